// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_HPP
#define KOKKOSCONTRACT_OPERAND_HPP

#include <KokkosContract/core/Codes.hpp>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <version>
#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Stands for an extent or a stride that is known at run time only.
inline constexpr std::ptrdiff_t dynamic = -std::numeric_limits<std::ptrdiff_t>::max();

namespace Impl {

/// An extent as routines count it. An extent that is too large becomes -1, which no routine takes.
template <class Extent>
KOKKOS_FORCEINLINE_FUNCTION constexpr int narrowed_extent(const Extent& extent) {
  if constexpr (sizeof(Extent) <= sizeof(int) && std::is_signed_v<Extent>) {
    return extent;
  } else {
    return static_cast<std::uintmax_t>(extent) > static_cast<std::uintmax_t>(most_extent)
               ? -1
               : static_cast<int>(extent);
  }
}

}  // namespace Impl

/// What is known of an operand at compile time: each extent and stride (in elements), or `dynamic`.
template <int R>
struct StaticShape {
  static constexpr int rank = R;
  std::ptrdiff_t extent[R > 0 ? R : 1]{};  ///< extent of each dimension, in elements
  std::ptrdiff_t stride[R > 0 ? R : 1]{};  ///< stride of each dimension, in elements

  friend constexpr bool operator==(const StaticShape&, const StaticShape&) = default;
};

/// What a routine needs to know of a tensor in memory. A model is cheap to copy. Element (i, j,
/// ...) is at data() + i * stride(0) + j * stride(1) + ... static_extent(i) and static_stride(i)
/// are constant expressions, possibly `dynamic`. A Kokkos::View or an mdspan may be passed
/// directly, and for inputs a Kokkos::Array or std::array, too.
template <class A>
concept Operand = requires(const std::remove_cvref_t<A>& a) {
  { std::remove_cvref_t<A>::rank } -> std::convertible_to<int>;
  { *a.data() };
  { a.extent(0) } -> std::convertible_to<std::ptrdiff_t>;
  { a.stride(0) } -> std::convertible_to<std::ptrdiff_t>;
  { std::remove_cvref_t<A>::static_extent(0) } -> std::convertible_to<std::ptrdiff_t>;
  { std::remove_cvref_t<A>::static_stride(0) } -> std::convertible_to<std::ptrdiff_t>;
};

/// The library's own model of Operand: a pointer, extents and strides. Each extent and stride is
/// static or dynamic. Extents and Strides are std::integer_sequence<std::ptrdiff_t, ...>, outermost
/// dimension first. `Atomic` marks an output to which elements are added atomically.
template <class T, class Extents, class Strides, bool Atomic = false>
class Strided;

template <class T, std::ptrdiff_t... Extents, std::ptrdiff_t... Strides, bool Atomic>
class Strided<T, std::integer_sequence<std::ptrdiff_t, Extents...>,
              std::integer_sequence<std::ptrdiff_t, Strides...>, Atomic> {
 public:
  using value_type = T;
  static constexpr int rank = sizeof...(Extents);
  static_assert(sizeof...(Strides) == sizeof...(Extents));
  static constexpr StaticShape<rank> shape{{Extents...}, {Strides...}};
  static_assert(((Extents <= Impl::most_extent) && ...),
                "KokkosContract: a static extent is above 2^31 - 1024");
  static constexpr bool atomic = Atomic;

  Strided() = default;

  /// Reads the dynamic extents and strides from `from`, any operand of this rank.
  template <class From>
  KOKKOS_FORCEINLINE_FUNCTION constexpr Strided(T* data, [[maybe_unused]] const From& from)
      : data_(data) {
    if constexpr (rank > 0) {  // an mdspan of rank 0 has no strides
      for (int i = 0; i < rank; ++i) {
        extent_[i] = Impl::narrowed_extent(from.extent(i));
        stride_[i] = static_cast<std::ptrdiff_t>(from.stride(i));
      }
    }
  }

  /// For operands whose extents and strides are all static.
  KOKKOS_FORCEINLINE_FUNCTION explicit constexpr Strided(T* data)
    requires(((Extents != dynamic) && ...) && ((Strides != dynamic) && ...))
      : data_(data), extent_{Extents...}, stride_{Strides...} {}

  KOKKOS_FORCEINLINE_FUNCTION constexpr Strided(T* data, const int (&extent)[rank > 0 ? rank : 1],
                                                const std::ptrdiff_t (&stride)[rank > 0 ? rank : 1])
      : data_(data) {
    for (int i = 0; i < rank; ++i) {
      extent_[i] = extent[i];
      stride_[i] = stride[i];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION constexpr T* data() const { return data_; }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int extent(int i) const { return extent_[i]; }
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t stride(int i) const { return stride_[i]; }

  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t static_extent(int i) {
    const std::ptrdiff_t extents[] = {Extents..., 1};
    return extents[i];
  }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t static_stride(int i) {
    const std::ptrdiff_t strides[] = {Strides..., 1};
    return strides[i];
  }

  /// Extent and stride, as constants where they are static.
  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION constexpr int extent() const {
    constexpr std::ptrdiff_t fixed = shape.extent[I];
    if constexpr (fixed != dynamic) {
      return static_cast<int>(fixed);
    } else {
      return extent_[I];
    }
  }
  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t stride() const {
    constexpr std::ptrdiff_t fixed = shape.stride[I];
    if constexpr (fixed != dynamic) {
      return fixed;
    } else {
      return stride_[I];
    }
  }

  template <class... I>
    requires(sizeof...(I) == sizeof...(Extents) && (std::convertible_to<I, std::ptrdiff_t> && ...))
  KOKKOS_FORCEINLINE_FUNCTION constexpr T& operator()(I... i) const {
    std::ptrdiff_t offset = 0;
    [[maybe_unused]] int dimension = 0;
    ((offset += static_cast<std::ptrdiff_t>(i) * stride_[dimension++]), ...);
    return data_[offset];
  }

 private:
  T* data_ = nullptr;
  int extent_[rank > 0 ? rank : 1]{};
  std::ptrdiff_t stride_[rank > 0 ? rank : 1]{};
};

namespace Impl {

/// An operand that is known to be in scratch memory, where the lanes of a GPU need not access
/// neighbouring elements.
template <class Base>
struct InScratch : Base {
  using Base::Base;
  static constexpr bool in_scratch = true;
};
template <class A>
inline constexpr bool is_in_scratch = requires { A::in_scratch; };

/// An operand that is known to be a Tile. At a collective level a Tile is part of the kernel's
/// functor.
template <class Base>
struct InTile : Base {
  using Base::Base;
  static constexpr bool in_tile = true;
};
template <class A>
inline constexpr bool is_in_tile = requires { A::in_tile; };

/// An operand made from a View whose strides are those of a packed array unless the View is padded.
/// Only the run time shows whether it is.
template <class Base>
struct MayBePadded : Base {
  using Base::Base;
  static constexpr bool may_be_padded = true;
};
template <class A>
inline constexpr bool may_be_padded = requires { A::may_be_padded; };

template <class T, StaticShape S, bool Atomic, int... I>
auto strided_of(std::integer_sequence<int, I...>)
    -> Strided<T, std::integer_sequence<std::ptrdiff_t, S.extent[I]...>,
               std::integer_sequence<std::ptrdiff_t, S.stride[I]...>, Atomic>;

/// The operand of a StaticShape. A StaticShape is no parameter of Strided, because nvcc cannot name
/// a kernel's argument whose type has one.
template <class T, StaticShape S, bool Atomic = false>
using strided_t = decltype(strided_of<T, S, Atomic>(std::make_integer_sequence<int, S.rank>{}));

}  // namespace Impl

/// A small private tensor of one thread, for Serial routines: `Tile<double, 3, 3> J;`. It is
/// row-major with static extents, and is in registers where the compiler can keep it there. As with
/// a View, a const Tile has writable elements.
template <class T, std::ptrdiff_t... Extents>
class Tile {
 public:
  using value_type = T;
  static constexpr int rank = sizeof...(Extents);

  /// Does not set the elements.
  KOKKOS_FORCEINLINE_FUNCTION Tile() {
  }  // NOLINT(modernize-use-equals-default): a const Tile is useful

  KOKKOS_FORCEINLINE_FUNCTION T* data() const { return element_; }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t extent(int i) {
    return static_extent(i);
  }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t stride(int i) {
    return static_stride(i);
  }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t static_extent(int i) {
    const std::ptrdiff_t extents[] = {Extents..., 1};
    return extents[i];
  }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t static_stride(int i) {
    std::ptrdiff_t stride = 1;
    for (int k = rank - 1; k > i; --k) stride *= static_extent(k);
    return stride;
  }

  /// Element (i, j, ...), by reference.
  template <class... I>
    requires(sizeof...(I) == sizeof...(Extents))
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(I... i) const {
    std::ptrdiff_t offset = 0;
    ((offset = offset * Extents + static_cast<std::ptrdiff_t>(i)), ...);
    return element_[offset];
  }

 private:
  mutable T element_[(std::size_t{1} * ... * static_cast<std::size_t>(Extents))];
};

/// The result of shared(...). It has no use of its own.
template <class A>
struct Shared {
  A operand;
};

/// Marks an input of a dense routine that lacks the leading batch dimension of the other operands.
/// It is one matrix or vector for all problems of the batch within the team. An output cannot be
/// shared. Contractions express the same with their string.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION Shared<A> shared(const A& operand) {
  return {operand};
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#include <KokkosContract/operand/Operand.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// `fix<8, 8>(A)` returns A with these extents known at compile time and its strides kept. A is a
/// View, an mdspan or an Operand of this rank, or a DynRankView that has this rank at run time.
/// `dynamic` leaves an extent unchanged. The result points to A's memory, so A, or another View of
/// the same allocation, must outlive it. Checked builds verify the extents. They also refuse a
/// temporary View that alone owns its memory.
template <std::ptrdiff_t... Extents, class A>
KOKKOS_FORCEINLINE_FUNCTION auto fix(A&& a) {
  Impl::check_outlives<A>(a);
  return Impl::fixed<false, Extents...>(Impl::operand_to_fix<sizeof...(Extents)>(a));
}

/// `fix_packed<8, 8>(A)` is fix with the strides of a packed row-major array, whose last index has
/// stride 1. Checked builds verify the strides.
template <std::ptrdiff_t... Extents, class A>
KOKKOS_FORCEINLINE_FUNCTION auto fix_packed(A&& a) {
  Impl::check_outlives<A>(a);
  return Impl::fixed<true, Extents...>(Impl::operand_to_fix<sizeof...(Extents)>(a));
}

/// `slice(A, p)` returns entry p of A's leading dimension, as Kokkos::subview(A, p, ALL...) does
/// for a View. An example is matrix p of scratch_matrices. Static extents and strides are kept.
/// Checked builds verify p. A's memory must outlive the result, as for fix.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto slice(A&& a, int p) {
  Impl::check_outlives<A>(a);
  return Impl::sliced(Impl::as_operand(a), p);
}

/// `to_mdspan(A)` returns the same memory as a Kokkos::mdspan with layout_stride and A's static
/// extents, for functions that take an mdspan. A is a slice, a Tile, a View or any other operand,
/// but not an atomic one. The mdspan is valid as long as A's memory is; nothing is copied.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto to_mdspan(A&& a) {
  Impl::check_outlives<A>(a);
  return Impl::mdspan_of(Impl::as_operand(a),
                         std::make_integer_sequence<int, Impl::operand_t<A>::rank>{});
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

namespace Kokkos {

/// Declared only for its message.
template <class T, class Extents, class Strides, bool Atomic, class... Slices>
void subview(const KokkosContract::Strided<T, Extents, Strides, Atomic>&, const Slices&...) {
  static_assert(KokkosContract::Impl::always_false<T>,
                "KokkosContract: an operand as scratch_matrices() or fix() make it is no View, and "
                "has no subview: KokkosContract::slice(A, p) is entry p of its leading dimension");
}

}  // namespace Kokkos

#endif
