// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_ENTRY_PASSED_HPP
#define KOKKOSCONTRACT_ENTRY_PASSED_HPP

// How an argument is passed to a routine out of line: in registers if it fits there. An argument
// passed by reference would be written to memory and read again before the routine can start.

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/operand/Lanes.hpp>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class A>
struct ByReference {
  const A& argument;
  KOKKOS_FORCEINLINE_FUNCTION const A& get() const { return argument; }
};
template <class A>
struct ByValue {
  A argument;
  KOKKOS_FORCEINLINE_FUNCTION const A& get() const { return argument; }
};
/// An operand whose extents and strides are all static.
template <class Strided>
struct ByPointer {
  typename Strided::value_type* data;
  KOKKOS_FORCEINLINE_FUNCTION Strided get() const { return Strided(data); }
};

template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto passed(const A& a) {
  if constexpr (is_array<A> && !is_shared<A>) {
    using Strided = operand_t<A>;
    if constexpr (is_static(Strided::shape)) {
      return ByPointer<Strided>{as_operand(a).data()};
    } else {
      return ByReference<A>{a};
    }
  } else if constexpr (std::is_arithmetic_v<A> || std::is_empty_v<A>) {
    return ByValue<A>{a};
  } else {
    return ByReference<A>{a};
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
