// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HPP
#define KOKKOSCONTRACT_HPP

#include <KokkosContract/Axpy.hpp>
#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Copy.hpp>
#include <KokkosContract/Dot.hpp>
#include <KokkosContract/Explain.hpp>
#include <KokkosContract/Fault.hpp>
#include <KokkosContract/Gecon.hpp>
#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/Gemv.hpp>
#include <KokkosContract/Ger.hpp>
#include <KokkosContract/Gesv.hpp>
#include <KokkosContract/Getrf.hpp>
#include <KokkosContract/Getrs.hpp>
#include <KokkosContract/HostContract.hpp>
#include <KokkosContract/InverseLU.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/Norm.hpp>
#include <KokkosContract/Operand.hpp>
#include <KokkosContract/Pack.hpp>
#include <KokkosContract/PackAccess.hpp>
#include <KokkosContract/Pointwise.hpp>
#include <KokkosContract/Potrf.hpp>
#include <KokkosContract/Potrs.hpp>
#include <KokkosContract/Prefetch.hpp>
#include <KokkosContract/QR.hpp>
#include <KokkosContract/Reciprocal.hpp>
#include <KokkosContract/Reshape.hpp>
#include <KokkosContract/Scratch.hpp>
#include <KokkosContract/Set.hpp>
#include <KokkosContract/SolveLU.hpp>
#include <KokkosContract/Spec.hpp>
#include <KokkosContract/Syr.hpp>
#include <KokkosContract/Tags.hpp>
#include <KokkosContract/TeamPolicy.hpp>
#include <KokkosContract/TeamTile.hpp>
#include <KokkosContract/TileParts.hpp>
#include <KokkosContract/Trmm.hpp>
#include <KokkosContract/Trsm.hpp>
#include <KokkosContract/Trsv.hpp>
#include <KokkosContract/Trtri.hpp>
#include <KokkosContract/Version.hpp>

#endif
