// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_WAY_HPP
#define KOKKOSCONTRACT_WAY_HPP

#include <KokkosContract/core/Config.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// The ways in which a contraction of one or two inputs runs. The library takes the one that
/// measurements say is the best; `explain` says which and why. Another one may be asked for:
///
///     TeamContract<"bik,bkj->bij", Way::warps>::invoke(member, 1.0, A, B, 0.0, C);
///
/// It does not compile where that way cannot take the contraction on the machine that it is for. On
/// the other machine, and where the workers or the extents at run time do not suit it (warps of a
/// team that is not made of whole ones), the call goes as it would without.
enum class Way {
  best,         ///< the library's choice
  tiles,        ///< anyone: a worker computes tiles of C in registers
  blocked,      ///< a host: packed blocks for its caches, of one real type
  shared,       ///< several workers of a GPU: tiles, from copies of the inputs in shared memory
  warps,        ///< whole warps of a GPU: matrix instructions
  block_tiles,  ///< a GPU's team of 128: large matrices, part by part of C in all workers'
                ///< registers
  thin,         ///< several workers of a GPU: whole columns of few static rows
  lanes,        ///< lanes of a GPU's warps: interleaved problems, up to 32 static rows
  lines         ///< a GPU's team: a small static matrix times lines of a tensor
};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
