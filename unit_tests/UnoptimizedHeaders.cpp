// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing: the headers that tests share which are not optimised are precompiled with it.
