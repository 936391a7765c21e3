// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_ENTRY_WATCH_HPP
#define KOKKOSCONTRACT_ENTRY_WATCH_HPP

// Checks of a checked build while a call runs. All threads of a team pass the same operands. The
// output overlaps nothing, itself included, and no other caller writes it. If extents disagree, the
// message names them. In other builds this is empty.

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/entry/Arrivals.hpp>
#include <KokkosContract/entry/Writers.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/nest/Parse.hpp>
#include <KokkosContract/operand/Overlap.hpp>
#include <utility>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

#if defined(KOKKOSCONTRACT_CHECKED)
template <class A>
KOKKOS_INLINE_FUNCTION unsigned long long address_of(const A& a) {
  if constexpr (is_operand<A>) {
    if constexpr (!is_in_tile<operand_t<A>>) {  // a Tile is in its thread's own memory
      return static_cast<unsigned long long>(
          reinterpret_cast<std::uintptr_t>(as_operand(a).data()));
    }
  }
  return 0;
}

/// The address of an operand whose elements only one caller may write at a time, or null.
template <bool Written, class A>
KOKKOS_INLINE_FUNCTION const void* written_address(const A& a) {
  if constexpr (Written && is_operand<A>) {
    const auto operand = as_operand(a);
    if constexpr (!decltype(operand)::atomic) {
      if (!is_empty(operand)) return operand.data();
    }
  }
  return nullptr;
}

/// The operand of an argument, or the tensor in which a chain keeps a result.
template <class A>
KOKKOS_INLINE_FUNCTION const auto& operand_of_argument(const A& a) {
  if constexpr (is_kept_tensor<A>) {
    return a.functor.operand;
  } else {
    return a;
  }
}

/// Whether two operands overlap. One of them is written, and may be the other one itself in some
/// calls.
template <bool MayBeSame, class A, class B>
KOKKOS_INLINE_FUNCTION bool operands_overlap(const A& written, const B& other) {
  if constexpr (is_operand<A> && is_operand<B>) {
    const auto a = as_operand(written);
    const auto b = as_operand(other);
    return !(MayBeSame && is_same_array(a, b)) && overlap(a, b);
  }
  return false;
}

/// Whether two elements of a written operand are at one address. (An atomic operand may have such
/// elements: both are added.)
template <bool Written, class A>
KOKKOS_INLINE_FUNCTION bool repeats_written_elements(const A& a) {
  if constexpr (Written && is_operand<A>) {
    const auto operand = as_operand(a);
    if constexpr (!decltype(operand)::atomic) return repeats_elements(operand);
  }
  return false;
}

/// The extents of letters, as operand after operand is read.
struct ReadExtents {
  int extent[52]{};
  bool known[52]{};

  /// Writes the first letter whose extent differs from an earlier one, and both extents. Returns
  /// whether there is one.
  template <class A>
  KOKKOS_INLINE_FUNCTION bool find_clash(const Labels& labels, const A& a, Text& text) {
    for (int i = 0; i < labels.rank && i < A::rank; ++i) {
      const char c = labels.letter[i];
      const int letter = c >= 'a' ? c - 'a' : c - 'A' + 26;
      if (known[letter] && extent[letter] != a.extent(i)) {
        text << c << " is " << extent[letter] << " and " << static_cast<int>(a.extent(i));
        return true;
      }
      known[letter] = true;
      extent[letter] = static_cast<int>(a.extent(i));
    }
    return false;
  }
};

/// Writes the extents of an operand, which is number `number` of a call: `operand 2 is 3 x 4`.
template <class A>
KOKKOS_INLINE_FUNCTION void write_extents([[maybe_unused]] const A& a, [[maybe_unused]] int& number,
                                          [[maybe_unused]] Text& text) {
  if constexpr (is_operand<A>) {
    const auto operand = as_operand(a);
    constexpr int rank = decltype(operand)::rank;
    text << (number == 0 ? "operand " : ", operand ") << number + 1 << " is ";
    if (rank == 0) text << "a scalar";
    for (int i = 0; i < rank; ++i) text << (i == 0 ? "" : " x ") << operand.extent(i);
    ++number;
  }
}

template <class Call, Level L, class... Arguments>
class Watch {
  using Routine = typename Call::Routine;
  static constexpr int written = first_written<Routine, Arguments...>();
  static constexpr int count = static_cast<int>(sizeof...(Arguments));

 public:
  KOKKOS_INLINE_FUNCTION explicit Watch(const L& level, const Arguments&... arguments)
      : level_(level) {
    using Host [[maybe_unused]] = Kokkos::DefaultHostExecutionSpace;
    if constexpr (!is_device_code()) {
      require<Call, Misuse::memory>((reaches<Host, Arguments> && ...));
    }
    begin(std::make_integer_sequence<int, count>{}, arguments...);
  }

  KOKKOS_INLINE_FUNCTION void end(int code, const Arguments&... arguments) const {
    if (code == extents_disagree) end_at_extents(arguments...);
    level_.barrier();
    if (level_.rank() == 0) end_writing(data_);
    level_.barrier();
  }

 private:
  template <int... I>
  KOKKOS_INLINE_FUNCTION void begin(std::integer_sequence<int, I...> places,
                                    const Arguments&... arguments) {
    unsigned long long addresses = 0;
    ((addresses = addresses * 31 + address_of(arguments)), ...);
    require<Call, Misuse::absent>(all_threads_come(level_));
    require<Call, Misuse::arguments>(level_.agree(addresses));
    require<Call, Misuse::overlap>(
        !(false || ... || overlaps_earlier<I>(arguments, places, arguments...)));
    require<Call, Misuse::repeated>(
        !(false || ... ||
          repeats_written_elements<(I >= written || is_kept_tensor<Arguments>)>(
              operand_of_argument(arguments))));
    ((data_ = data_ != nullptr ? data_ : written_address<(I >= written)>(arguments)), ...);
    if (level_.rank() == 0) require<Call, Misuse::writers>(begin_writing(data_));
  }

  /// Whether argument I and an earlier one overlap, and at least one of them is written.
  template <int I, class A, int... J>
  KOKKOS_INLINE_FUNCTION static bool overlaps_earlier(const A& a, std::integer_sequence<int, J...>,
                                                      const Arguments&... arguments) {
    return (false || ... || overlaps<I, J>(a, arguments));
  }
  template <int I, int J, class A, class B>
  KOKKOS_INLINE_FUNCTION static bool overlaps(const A& a, const B& b) {
    constexpr bool kept = is_kept_tensor<A> || is_kept_tensor<B>;
    if constexpr (J < I && (I >= written || kept)) {
      return operands_overlap < !kept &&
             may_replace<J>() > (operand_of_argument(a), operand_of_argument(b));
    }
    return false;
  }
  /// Whether an output may be argument J itself.
  template <int J>
  static consteval bool may_replace() {
    if constexpr (requires { Routine::template may_replace<J, Arguments...>(); }) {
      return Routine::template may_replace<J, Arguments...>();
    }
    return false;
  }

  /// Ends the program. The message has the letter and its extents, or those of all operands.
  KOKKOSCONTRACT_COLD_CODE KOKKOS_FUNCTION static void end_at_extents(
      const Arguments&... arguments) {
    Text text;
    if constexpr (requires { Routine::template labels_of_argument<0, Arguments...>(); }) {
      write_clash(text, std::make_integer_sequence<int, count>{}, arguments...);
    } else {
      int number = 0;
      (write_extents(arguments, number, text), ...);
    }
    end_program<Call, Misuse::extents>(text);
  }
  template <int... I>
  KOKKOS_INLINE_FUNCTION static void write_clash(Text& text, std::integer_sequence<int, I...>,
                                                 const Arguments&... arguments) {
    ReadExtents extents;
    (void)(false || ... || finds_clash<I>(extents, arguments, text));
  }
  template <int I, class A>
  KOKKOS_INLINE_FUNCTION static bool finds_clash(ReadExtents& extents, const A& a, Text& text) {
    constexpr Labels labels = Routine::template labels_of_argument<I, Arguments...>();
    if constexpr (labels.rank > 0) {
      return extents.find_clash(labels, as_operand(operand_of_argument(a)), text);
    }
    return false;
  }

  const L& level_;
  const void* data_ = nullptr;
};
#else
template <class Call, Level L, class... Arguments>
struct Watch {
  KOKKOS_FORCEINLINE_FUNCTION explicit Watch(const L&, const Arguments&...) {}
  KOKKOS_FORCEINLINE_FUNCTION void end(int, const Arguments&...) const {}
};
#endif

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
