// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing: the headers that tests of the emulated GPU share are precompiled with it.
