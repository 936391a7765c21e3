// expect: a fault on purpose
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosContract/Version.hpp>

static_assert(KOKKOSCONTRACT_VERSION < 0, "a fault on purpose");
