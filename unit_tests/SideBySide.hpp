// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of Ported.hpp, of Kokkos Kernels and of this library with the tags of either.
#pragma once

#include <KokkosBatched_ApplyQ_Decl.hpp>
#include <KokkosBatched_Axpy.hpp>
#include <KokkosBatched_Copy_Decl.hpp>
#include <KokkosBatched_Dot.hpp>
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Iamax.hpp>
#include <KokkosBatched_InverseLU_Decl.hpp>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_QR_Decl.hpp>
#include <KokkosBatched_SetIdentity_Decl.hpp>
#include <KokkosBatched_SolveLU_Decl.hpp>
#include <KokkosBatched_Trmm_Decl.hpp>
#include <KokkosBatched_Trmm_Serial_Impl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>
#include <KokkosBatched_Trsv_Decl.hpp>
#include <KokkosBatched_Trtri_Decl.hpp>
#include <KokkosBatched_Trtri_Serial_Impl.hpp>
#include <KokkosBlas1_scal.hpp>
#include <KokkosBlas1_set.hpp>
#include <KokkosBlas2_serial_gemv.hpp>
#include <KokkosBlas2_team_gemv.hpp>

#include "KokkosKernels.hpp"

namespace KokkosContract::Test {

namespace there {
namespace kb = KokkosBatched;
namespace blas = KokkosBlas;
namespace tags = KokkosBatched;
#include "Ported.hpp"
}  // namespace there
namespace here {
namespace kb = KokkosContract;
namespace blas = KokkosContract;
namespace tags = KokkosContract;
#include "Ported.hpp"
}  // namespace here
/// This library's routines with Kokkos Kernels' tags.
namespace mixed {
namespace kb = KokkosContract;
namespace blas = KokkosContract;
namespace tags = KokkosBatched;
#include "Ported.hpp"
}  // namespace mixed

/// Runs run(calls, output) by Kokkos Kernels, and by this library with the tags of either, on
/// copies of `output`. The results must agree.
template <class V, class Run>
void compare(const V& output, int n, const Run& run) {
  const V expected = copy_of(output);
  EXPECT_EQ(run(there::Calls{}, expected), 0);
  const auto check = [&](auto calls, const char* whose) {
    SCOPED_TRACE(whose);
    const V got = copy_of(output);
    EXPECT_EQ(run(calls, got), 0);
    expect_near(got, expected, n);
  };
  check(mixed::Calls{}, "tags of Kokkos Kernels");
  check(here::Calls{}, "tags of KokkosContract");
}

}  // namespace KokkosContract::Test
