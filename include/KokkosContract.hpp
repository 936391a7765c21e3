// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HPP
#define KOKKOSCONTRACT_HPP

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Explain.hpp>
#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/Gemv.hpp>
#include <KokkosContract/HostContract.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/Operand.hpp>
#include <KokkosContract/Pack.hpp>
#include <KokkosContract/PackAccess.hpp>
#include <KokkosContract/Prefetch.hpp>
#include <KokkosContract/Reshape.hpp>
#include <KokkosContract/Scratch.hpp>
#include <KokkosContract/Spec.hpp>
#include <KokkosContract/Tags.hpp>
#include <KokkosContract/TeamPolicy.hpp>
#include <KokkosContract/Trsm.hpp>
#include <KokkosContract/Trsv.hpp>
#include <KokkosContract/Version.hpp>

#endif
