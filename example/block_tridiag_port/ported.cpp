// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program for KokkosBatched with include and namespace changed.

// [port]
#include <KokkosContract/KokkosBatched.hpp>

namespace kb = KokkosContract;
namespace blas = KokkosContract;
// [/port]

#include "KokkosBatchedStyle.hpp"

example::Times example::solve_ported(const Options& options) { return run(options); }
