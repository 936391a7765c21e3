// expect: an mdspan must have a layout whose mapping is always strided
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

/// Blocks of two by two.
struct LayoutBlocks {
  template <class Extents>
  struct mapping {
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using size_type = typename Extents::size_type;
    using rank_type = typename Extents::rank_type;
    using layout_type = LayoutBlocks;
    Extents extents_;
    constexpr const Extents& extents() const noexcept { return extents_; }
    constexpr index_type required_span_size() const noexcept {
      return extents_.extent(0) * extents_.extent(1);
    }
    constexpr index_type operator()(index_type i, index_type j) const noexcept {
      return (i / 2 * (extents_.extent(1) / 2) + j / 2) * 4 + i % 2 * 2 + j % 2;
    }
    static constexpr bool is_always_unique() noexcept { return true; }
    static constexpr bool is_always_exhaustive() noexcept { return true; }
    static constexpr bool is_always_strided() noexcept { return false; }
    static constexpr bool is_unique() noexcept { return true; }
    static constexpr bool is_exhaustive() noexcept { return true; }
    static constexpr bool is_strided() noexcept { return false; }
    constexpr index_type stride(rank_type) const noexcept { return 1; }
  };
};

int fault(Kokkos::mdspan<double, Kokkos::dextents<int, 2>, LayoutBlocks> a, Matrix c) {
  return SerialContract<"ij->ji">::invoke(1., a, 0., c);
}
