// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_FRONT_HPP
#define KOKKOSCONTRACT_IMPL_FRONT_HPP

#include <KokkosContract/Impl/Level.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

// The invoke functions of the four levels. A routine is a class Routine with one template
// `run(level, arguments...)`, and its public names derive from these. run is the unit of code:
// levels that are the same on a machine (Serial and Vector, Team and TeamVector on a host) share
// its instances.

template <class Routine>
struct SerialFront {
  template <class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int invoke(const Arguments&... arguments) {
    return Routine::run(SerialLevel{}, arguments...);
  }
};

template <class Routine>
struct VectorFront {
  template <class Member, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int invoke(const Member& member,
                                                const Arguments&... arguments) {
    return Routine::run(vector_level(member), arguments...);
  }
};

template <class Routine>
struct TeamFront {
  template <class Member, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int invoke(const Member& member,
                                                const Arguments&... arguments) {
    return Routine::run(team_level(member), arguments...);
  }
};

template <class Routine>
struct TeamVectorFront {
  template <class Member, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int invoke(const Member& member,
                                                const Arguments&... arguments) {
    return Routine::run(team_vector_level(member), arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
