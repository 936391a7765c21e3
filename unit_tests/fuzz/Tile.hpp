// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that generated cases of tiles call.
#pragma once

#include "Call.hpp"

namespace KokkosContract::Test::Fuzz {

/// A functor of for_each.
struct TwistElement {
  template <class T, class... I>
  KOKKOS_FUNCTION void operator()(T& value, I... i) const {
    value = Twist{}(value, i...);
  }
};

/// A functor of reduce: f(value, indices..., sum).
struct AddElement {
  template <class T>
  KOKKOS_FUNCTION void operator()(const T& value, T& sum) const {
    sum += value;
  }
  template <class T, class... Rest>
  KOKKOS_FUNCTION void operator()(const T& value, int, Rest&&... rest) const {
    (*this)(value, rest...);
  }
};

/// Codes of cases whose checks fail in the kernel.
inline constexpr int code_of_added = 1001, code_of_other_sum = 1002;

/// Adds `sum` of a tile to `total`. It is the same in all workers.
template <class T>
KOKKOS_FUNCTION int add_sum(const T& sum, T& total) {
  total += sum;
  return 0;
}
template <class T, class Member>
KOKKOS_FUNCTION int add_sum(const T& sum, T& total, const Member& member) {
  T first = sum;
  member.team_broadcast(first, 0);
  if (member.team_rank() == 0) total += sum;
  return first == sum ? 0 : code_of_other_sum;
}

/// The code of add(). A call that is refused leaves the tile unchanged.
template <class T, class Tile, class Add>
KOKKOS_FUNCTION int add_to(Tile& tile, const Add& add) {
  T before, after;
  tile.reduce(AddElement{}, before);
  const int code = add();
  if (code == 0) return 0;
  tile.reduce(AddElement{}, after);
  return before == after ? code : code_of_added;
}

/// Calls f(origin, extents) for the tiles of a tensor until one returns a code. It calls f for one
/// tile that begins at a third of each extent, or for all tiles, at least one.
template <class Tile, int... Shape, class F>
KOKKOS_FUNCTION int for_tiles(const Place& tensor, bool one, const F& f) {
  constexpr int rank = sizeof...(Shape);
  constexpr int shape[rank > 0 ? rank : 1] = {Shape...};
  typename Tile::Index origin{}, extents{};
  for (int d = 0; d < rank; ++d) {
    extents[d] = static_cast<int>(tensor.extent[d]);
    if (one) origin[d] = extents[d] / 3;
  }
  while (true) {
    const int code = f(origin, extents);
    if (code != 0 || one) return code;
    int d = rank - 1;
    for (; d >= 0 && (origin[d] += shape[d]) >= extents[d]; --d) origin[d] = 0;
    if (d < 0) return 0;
  }
}

}  // namespace KokkosContract::Test::Fuzz
