// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_OPERAND_HPP
#define KOKKOSCONTRACT_OPERAND_OPERAND_HPP

// This is the only file that knows the kinds of operands. All other code sees Strided.
//
//     View      static extents kept; strides static only where the type excludes padding
//     mdspan    as a View
//     array     Kokkos::Array, std::array: static, and of const elements
//     Operand   as its functions say
//     Shared    the operand inside; is_shared<A> tells it apart

// Included by <KokkosContract/Operand.hpp>, after the types it declares.

#include <KokkosContract/machine/Machine.hpp>
#include <KokkosContract/operand/Elements.hpp>
#include <KokkosContract/operand/SmallArray.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

inline constexpr int max_rank = 8;

template <class A>
inline constexpr bool is_shared = false;
template <class A>
inline constexpr bool is_shared<Shared<A>> = true;

template <class A>
inline constexpr bool is_tile = false;
template <class T, std::ptrdiff_t... Extents>
inline constexpr bool is_tile<Tile<T, Extents...>> = true;

template <class A>
inline constexpr bool has_foreign_elements<Shared<A>> = has_foreign_elements<A>;

/// Strides of a dense row-major (or column-major) array, as far as they follow from its static
/// extents.
template <int R>
consteval void set_packed_strides(StaticShape<R>& shape, bool row_major) {
  std::ptrdiff_t stride = 1;
  for (int k = 0; k < R; ++k) {
    const int i = row_major ? R - 1 - k : k;
    shape.stride[i] = stride;
    const bool known = stride != dynamic && shape.extent[i] != dynamic;
    stride = known ? stride * shape.extent[i] : dynamic;
  }
}

/// S with the strides of a packed array if it may be one, and S otherwise. It may be one if its
/// first or last dimension has stride 1, and all extents are static but that of the slowest
/// dimension.
template <int R>
consteval StaticShape<R> packed_shape(StaticShape<R> shape) {
  if constexpr (R > 1) {
    const bool row_major = shape.stride[R - 1] == 1;
    if (!row_major && shape.stride[0] != 1) return shape;
    const int slowest = row_major ? 0 : R - 1;
    for (int i = 0; i < R; ++i) {
      if (i != slowest && shape.extent[i] == dynamic) return shape;
    }
    StaticShape<R> packed = shape;
    set_packed_strides(packed, row_major);
    for (int i = 0; i < R; ++i) {
      if (shape.stride[i] != dynamic && shape.stride[i] != packed.stride[i]) return shape;
    }
    return packed;
  }
  return shape;
}

template <class V>
consteval auto shape_of_view() {
  constexpr int rank = static_cast<int>(V::rank());
  StaticShape<rank> shape{};
  for (int i = 0; i < rank; ++i) {
    const bool is_static = i >= static_cast<int>(V::rank_dynamic());
    shape.extent[i] = is_static ? static_cast<std::ptrdiff_t>(V::static_extent(i)) : dynamic;
    shape.stride[i] = dynamic;
  }
  constexpr bool row_major = std::is_same_v<typename V::array_layout, Kokkos::LayoutRight>;
  constexpr bool column_major = std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>;
  if constexpr ((row_major || column_major) && rank > 0) {
    // The mapping of a View built on mdspan may be padded whatever its extents. The older kind is
    // not padded if it has no dynamic extents.
    constexpr bool packed = V::rank_dynamic() == 0 && !requires(const V& v) { v.mapping(); };
    if constexpr (packed) {
      set_packed_strides(shape, row_major);
    } else {
      shape.stride[row_major ? rank - 1 : 0] = 1;
    }
  }
  return shape;
}

template <class Layout>
inline constexpr bool is_layout_right = std::is_same_v<Layout, Kokkos::layout_right>;
template <class Layout>
inline constexpr bool is_layout_left = std::is_same_v<Layout, Kokkos::layout_left>;
#if defined(__cpp_lib_mdspan)
template <>
inline constexpr bool is_layout_right<std::layout_right> = true;
template <>
inline constexpr bool is_layout_left<std::layout_left> = true;
#endif

template <class M>
consteval auto shape_of_mdspan() {
  constexpr int rank = static_cast<int>(M::rank());
  StaticShape<rank> shape{};
  for (int i = 0; i < rank; ++i) {
    const auto extent = M::static_extent(i);
    shape.extent[i] =
        extent == static_cast<std::size_t>(-1) ? dynamic : static_cast<std::ptrdiff_t>(extent);
    shape.stride[i] = dynamic;
  }
  using Layout = typename M::layout_type;
  // Standard layouts have a mapping without run-time strides. Other layouts are read on use.
  if constexpr (is_layout_right<Layout>) {
    set_packed_strides(shape, true);
  } else if constexpr (is_layout_left<Layout>) {
    set_packed_strides(shape, false);
  }
  return shape;
}

template <class M>
KOKKOS_FORCEINLINE_FUNCTION auto operand_of_mdspan(const M& m) {
  using Accessor = innermost_accessor_t<typename M::accessor_type>;
  constexpr bool atomic = AtomicAccessor<Accessor>;
  static_assert(
      atomic || PlainAccessor<Accessor>,
      "KokkosContract: an mdspan must have an accessor that takes elements as they lie in "
      "memory, as std::default_accessor; factors are alpha's and a * in the string "
      "conjugates");
  static_assert(M::mapping_type::is_always_strided(),
                "KokkosContract: an mdspan must have a layout whose mapping is always strided");
  using T = typename M::element_type;
  require_element<T>();
  return strided_t<own_t<T>, shape_of_mdspan<M>(), atomic>(
      own_pointer(static_cast<T*>(m.data_handle())), m);
}

template <class A>
consteval auto shape_of_operand() {
  StaticShape<static_cast<int>(A::rank)> shape{};
  for (int i = 0; i < shape.rank; ++i) {
    shape.extent[i] = A::static_extent(i);
    shape.stride[i] = A::static_stride(i);
  }
  return shape;
}

template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto as_operand(const A& a) {
  static_assert(!is_offset_view<A>,
                "KokkosContract: an OffsetView is not supported as an operand: use its view(), "
                "whose indices begin with 0");
  static_assert(!is_dual_view<A>,
                "KokkosContract: a DualView is not supported as an operand: use its view_device() "
                "or view_host()");
  static_assert(
      !is_dyn_rank_view<A>,
      "KokkosContract: the compiler does not know the rank of a DynRankView: name it with "
      "the extents, as in fix<dynamic, dynamic>(A) or fix<8, 8>(A)");
  if constexpr (Kokkos::is_view_v<A>) {
    require_element<typename A::value_type>();
    constexpr auto shape = shape_of_view<A>();
    using T = own_t<typename A::value_type>;
    using Operand = strided_t<T, shape, A::memory_traits::is_atomic>;
    using Execution = typename A::execution_space;
    // The host's code has one type less, because its routines read the shape.
    constexpr bool is_marked = is_gpu<Execution> && !(packed_shape(shape) == shape);
    using Marked = std::conditional_t<is_marked, MayBePadded<Operand>, Operand>;
    if constexpr (std::is_same_v<typename A::memory_space,
                                 typename Execution::scratch_memory_space>) {
      return InScratch<Marked>(own_pointer(a.data()), a);
    } else {
      return Marked(own_pointer(a.data()), a);
    }
  } else if constexpr (is_shared<A>) {
    return as_operand(a.operand);
  } else if constexpr (MdspanLike<A>) {
    return operand_of_mdspan(a);
  } else if constexpr (is_small_array<A>) {
    using Array = SmallArray<A>;
    require_element<typename Array::Element>();
    using T = own_t<const typename Array::Element>;
    return InTile<strided_t<T, Array::shape>>(
        own_pointer(reinterpret_cast<const typename Array::Element*>(&a)));
  } else if constexpr (requires {
                         A::shape;
                         A::atomic;
                         requires !is_foreign<std::remove_const_t<typename A::value_type>>;
                       }) {
    return a;
  } else {
    static_assert(Operand<A>,
                  "KokkosContract: an operand must be a Kokkos::View, an mdspan or a model of the "
                  "concept KokkosContract::Operand");
    require_element<std::remove_reference_t<decltype(*a.data())>>();
    constexpr auto shape = shape_of_operand<A>();
    using Operand = strided_t<own_t<std::remove_pointer_t<decltype(a.data())>>, shape>;
    using Result = std::conditional_t<is_tile<A>, InTile<Operand>, Operand>;
    return Result(own_pointer(a.data()), a);
  }
}

/// The argument as a routine gets it: unchanged, or this library's type in place of a foreign one.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) own_argument(const A& a) {
  if constexpr (is_foreign<A>) {
    own_element_t<A> result;
    static_assert(sizeof(result) == sizeof(a));
    __builtin_memcpy(static_cast<void*>(&result), static_cast<const void*>(&a), sizeof(result));
    return result;
  } else if constexpr (has_foreign_elements<A> && is_shared<A>) {
    return shared(as_operand(a));
  } else if constexpr (has_foreign_elements<A>) {
    return as_operand(a);
  } else {
    return (a);
  }
}

/// Whether an argument is an operand.
template <class A>
inline constexpr bool is_array = Kokkos::is_view_v<A> || is_shared<A> || MdspanLike<A> ||
                                 is_small_array<A> || requires(const A& a) { A::shape.extent; };
/// Whether an argument is an operand, or models the concept Operand without being one of the
/// library's own types.
template <class A>
inline constexpr bool is_operand = is_array<A> || Operand<A>;

/// Whether an argument is a tensor in which a chain keeps a result: written, but no output.
template <class A>
inline constexpr bool is_kept_tensor = requires { typename decltype(A::functor)::KeptOperand; };

/// Whether routines can count the extents of an operand.
template <class A, int... I>
KOKKOS_FORCEINLINE_FUNCTION bool extents_fit(const A& a, std::integer_sequence<int, I...>) {
  return (0 | ... | a.template extent<I>()) >= 0;
}
/// Whether routines can count the extents of any argument of a routine.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION bool extents_fit([[maybe_unused]] const A& a) {
  if constexpr (is_operand<A>) {
    const auto operand = as_operand(a);
    return extents_fit(operand, std::make_integer_sequence<int, decltype(operand)::rank>{});
  } else if constexpr (is_kept_tensor<A>) {
    return extents_fit(a.functor.operand);
  } else {
    return true;
  }
}

/// Whether code in Space can reach the memory of an argument, as far as its type shows it. The
/// argument is an operand, or a kept tensor between operands.
template <class Space, class A>
consteval bool can_reach() {
  if constexpr (requires { typename A::memory_space; }) {
    using Memory = typename A::memory_space;
    return Kokkos::SpaceAccessibility<Space, Memory>::accessible ||
           std::is_same_v<Memory, typename Space::scratch_memory_space>;
  } else if constexpr (MdspanLike<A>) {
    return can_reach<Space, typename A::accessor_type>();
  } else if constexpr (requires { typename decltype(A::functor)::KeptArray; }) {
    return can_reach<Space, typename decltype(A::functor)::KeptArray>();
  } else {
    return true;
  }
}
template <class Space, class A>
inline constexpr bool reaches = can_reach<Space, A>();
template <class Space, class A>
inline constexpr bool reaches<Space, Shared<A>> = reaches<Space, A>;

/// Ends a call whose arguments own_argument converted.
template <class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION void end_own_arguments() {
  if constexpr ((has_foreign_elements<Arguments> || ...)) {
    const char* any = nullptr;
    fence_pointer(any);
  }
}

/// The library's operand type for a user's argument.
template <class A>
using operand_t = decltype(as_operand(std::declval<const A&>()));

template <class A>
using value_t = std::remove_const_t<typename operand_t<A>::value_type>;

/// Requirements on an operand that a routine writes.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION constexpr void require_output() {
  static_assert(!std::is_const_v<typename operand_t<A>::value_type>,
                "KokkosContract: an operand of const elements cannot be written");
  static_assert(!is_shared<A>, "KokkosContract: an operand in shared(...) cannot be written");
}

/// Requirements on a right-hand side B of a matrix A, which the solution replaces.
template <class A, class B>
KOKKOS_FORCEINLINE_FUNCTION constexpr void require_right_hand_side() {
  using Acc = accumulator_t<value_t<A>, value_t<B>>;
  static_assert(!std::is_const_v<typename operand_t<B>::value_type>,
                "KokkosContract: the right-hand side is an operand of const elements");
  static_assert(is_complex<scalar_t<value_t<B>>> || !is_complex<scalar_t<Acc>>,
                "KokkosContract: a complex matrix needs a complex right-hand side");
  static_assert(is_pack<value_t<B>> || !is_pack<Acc>,
                "KokkosContract: a matrix of packs needs a right-hand side of packs");
}

template <int R>
consteval bool is_static(const StaticShape<R>& shape) {
  for (int i = 0; i < R; ++i) {
    if (shape.extent[i] == dynamic || shape.stride[i] == dynamic) return false;
  }
  return true;
}

template <class A>
using packed_strided_t = strided_t<typename A::value_type, packed_shape(A::shape), A::atomic>;
template <class A>
using packed_t =
    std::conditional_t<is_in_scratch<A>, InScratch<packed_strided_t<A>>, packed_strided_t<A>>;

/// Whether an operand is the packed array that its type may be.
template <class A, int... I>
KOKKOS_FORCEINLINE_FUNCTION bool is_packed(const A& a, std::integer_sequence<int, I...>) {
  constexpr auto packed = packed_shape(A::shape);
  return (... && (packed.stride[I] == dynamic || a.template stride<I>() == packed.stride[I]));
}
template <class A>
KOKKOS_FORCEINLINE_FUNCTION bool is_packed(const A& a) {
  return is_packed(a, std::make_integer_sequence<int, A::rank>{});
}

template <class A>
KOKKOS_FORCEINLINE_FUNCTION packed_t<A> as_packed(const A& a) {
  return packed_t<A>(a.data(), a);
}

template <int R>
consteval StaticShape<R> dynamic_shape() {
  StaticShape<R> shape{};
  for (int i = 0; i < R; ++i) shape.extent[i] = shape.stride[i] = dynamic;
  return shape;
}
template <class A>
using dynamic_strided_t = strided_t<typename A::value_type, dynamic_shape<A::rank>(), A::atomic>;
/// The operand with all extents and strides at run time.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto as_dynamic(const A& a) {
  using Own = dynamic_strided_t<A>;
  using Result = std::conditional_t<is_in_scratch<A>, InScratch<Own>, Own>;
  return Result(a.data(), a);
}

template <class A>
inline constexpr bool is_marked_view = false;
template <class A>
  requires is_array<A>
inline constexpr bool is_marked_view<A> = may_be_padded<operand_t<A>>;

/// Whether an argument is not a padded View of a GPU.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION bool is_packed_view([[maybe_unused]] const A& a) {
  if constexpr (is_marked_view<A>) {
    return is_packed(as_operand(a));
  } else {
    return true;
  }
}
/// The argument, with the strides of a packed array if it is a View of a GPU.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) packed_view(const A& a) {
  if constexpr (is_marked_view<A> && is_shared<A>) {
    return shared(as_packed(as_operand(a)));
  } else if constexpr (is_marked_view<A>) {
    return as_packed(as_operand(a));
  } else {
    return (a);
  }
}
/// The argument, without the static extents if it is a View of a GPU. Few such Views are padded,
/// and code without static extents takes few registers.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) padded_view(const A& a) {
  if constexpr (is_marked_view<A> && is_shared<A>) {
    return shared(as_dynamic(as_operand(a)));
  } else if constexpr (is_marked_view<A>) {
    return as_dynamic(as_operand(a));
  } else {
    return (a);
  }
}
template <class A>
using packed_view_t = std::remove_cvref_t<decltype(packed_view(std::declval<const A&>()))>;

template <int R>
consteval StaticShape<R - 1> shape_behind_first(const StaticShape<R>& shape) {
  StaticShape<R - 1> rest{};
  for (int i = 1; i < R; ++i) {
    rest.extent[i - 1] = shape.extent[i];
    rest.stride[i - 1] = shape.stride[i];
  }
  return rest;
}

/// Entry p of the leading dimension. If the operand is marked as in scratch memory, or as maybe
/// padded, the entry is, too.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto sliced(const A& a, int p) {
  constexpr int rank = A::rank;
  static_assert(rank > 0, "KokkosContract: slice needs an operand of rank 1 or more");
  check(p >= 0 && p < a.extent(0), "KokkosContract: slice: the index is outside of the operand");
  using Rest = strided_t<typename A::value_type, shape_behind_first(A::shape), A::atomic>;
  int extent[rank > 1 ? rank - 1 : 1]{};
  std::ptrdiff_t stride[rank > 1 ? rank - 1 : 1]{};
  for (int i = 1; i < rank; ++i) {
    extent[i - 1] = a.extent(i);
    stride[i - 1] = a.stride(i);
  }
  constexpr bool is_marked = may_be_padded<A> && !(packed_shape(Rest::shape) == Rest::shape);
  using Marked = std::conditional_t<is_marked, MayBePadded<Rest>, Rest>;
  return std::conditional_t<is_in_scratch<A>, InScratch<Marked>, Marked>(
      a.data() + p * a.template stride<0>(), extent, stride);
}

/// Whether a View alone owns its memory. In kernels of a host, Views are not counted as owners. A
/// copy shows whether they are counted.
template <class V>
bool is_only_owner(const V& view) {
  if (view.use_count() != 1) return false;
  const V copy = view;
  return copy.use_count() == 2;
}

/// Ends the program in a checked build if an operand points to the memory of a temporary View that
/// alone owns it. A is as deduced from A&&.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION void check_outlives([[maybe_unused]] const std::remove_cvref_t<A>& a) {
  if constexpr (checked_build && !std::is_lvalue_reference_v<A> && requires { a.use_count(); }) {
    KOKKOS_IF_ON_HOST(
        (check(!is_only_owner(a),
               "KokkosContract: the temporary View that an operand is made of by fix or the like "
               "alone owns its memory, which ends with it: give the View a name");))
  }
}

/// The argument of fix(): an operand of R dimensions, or a DynRankView with R dimensions at run
/// time.
template <int R, class A>
KOKKOS_FORCEINLINE_FUNCTION auto operand_to_fix(const A& a) {
  if constexpr (is_dyn_rank_view<A>) {
    require_element<typename A::value_type>();
    check(static_cast<int>(a.rank()) == R,
          "KokkosContract: fix: the DynRankView has another number of dimensions");
    return strided_t<own_t<typename A::value_type>, shape_of_dyn_rank_view<A, R>(),
                     A::memory_traits::is_atomic>(own_pointer(a.data()), a);
  } else {
    return as_operand(a);
  }
}

template <bool Packed, std::ptrdiff_t... Extents, int R>
consteval StaticShape<R> fixed_shape(StaticShape<R> shape) {
  if constexpr (R > 0) {
    const std::ptrdiff_t extents[] = {Extents...};
    for (int i = 0; i < R; ++i) {
      if (extents[i] != dynamic) shape.extent[i] = extents[i];
    }
  }
  if (Packed) set_packed_strides(shape, true);
  return shape;
}

template <class A, class F, int... I>
KOKKOS_FORCEINLINE_FUNCTION void check_fixed([[maybe_unused]] const A& a,
                                             [[maybe_unused]] const F& f, bool packed,
                                             std::integer_sequence<int, I...>) {
  (check(f.template extent<I>() == a.extent(I),
         "KokkosContract: fix: an extent is not that of the operand"),
   ...);
  (check(!packed || a.extent(I) <= 1 || f.template stride<I>() == a.stride(I),
         "KokkosContract: fix_packed: the operand's strides are not packed"),
   ...);
}

template <class T, std::ptrdiff_t... E, std::ptrdiff_t... S, bool Atomic, int... I>
KOKKOS_FORCEINLINE_FUNCTION auto mdspan_of(
    const Strided<T, std::integer_sequence<std::ptrdiff_t, E...>,
                  std::integer_sequence<std::ptrdiff_t, S...>, Atomic>& a,
    std::integer_sequence<int, I...>) {
  static_assert(!Atomic, "KokkosContract: to_mdspan: an mdspan would not add atomically");
  using Extents = Kokkos::extents<std::ptrdiff_t, (E == dynamic ? Kokkos::dynamic_extent
                                                                : static_cast<std::size_t>(E))...>;
  using Mapping = Kokkos::layout_stride::mapping<Extents>;
  // The overload with a std::array is not device code in all versions of Kokkos.
  const std::ptrdiff_t strides[sizeof...(I) > 0 ? sizeof...(I) : 1]{a.template stride<I>()...};
  return Kokkos::mdspan<T, Extents, Kokkos::layout_stride>(
      a.data(), Mapping(Kokkos::mdspan_non_standard, Extents(a.template extent<I>()...), strides));
}

template <bool Packed, std::ptrdiff_t... Extents, class A>
KOKKOS_FORCEINLINE_FUNCTION auto fixed(const A& a) {
  static_assert(sizeof...(Extents) == A::rank,
                "KokkosContract: fix needs as many extents as the operand has dimensions");
  const strided_t<typename A::value_type, fixed_shape<Packed, Extents...>(A::shape), A::atomic>
      result(a.data(), a);
  check_fixed(a, result, Packed, std::make_integer_sequence<int, A::rank>{});
  return result;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
