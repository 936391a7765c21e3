// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A routine of the library at all levels, for tests of many routines.
#pragma once

#include <KokkosContract/entry/Entry.hpp>

#include "Operation.hpp"

namespace KokkosContract::Test {

template <class Routine>
struct RoutineForms {
  using Serial = KokkosContract::Impl::SerialEntry<Routine>;
  template <class>
  using Vector = KokkosContract::Impl::VectorEntry<Routine>;
  template <class>
  using Team = KokkosContract::Impl::TeamEntry<Routine>;
  template <class>
  using TeamVector = KokkosContract::Impl::TeamVectorEntry<Routine>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return Routine::run(level, args...);
  }
};
/// RoutineOp<Routine>::call(level, arguments...)
template <class Routine>
using RoutineOp = PublicForms<RoutineForms<Routine>>;

/// Calls verify() after the functor has run for one problem, in each configuration of the level.
/// restore() is called first.
template <class Level, class Functor, class Restore, class Verify>
void for_each_configuration(const Functor& functor, const Restore& restore, const Verify& verify,
                            ScratchBytes scratch = {}) {
  for (const Configuration& configuration : Level::configurations()) {
    SCOPED_TRACE(configuration.text());
    restore();
    const auto codes = Level::launch(configuration, 1, functor, {}, scratch);
    if (codes.empty()) continue;
    verify(codes[0]);
    if (testing::Test::HasFailure()) return;  // one failing case is enough
  }
}

}  // namespace KokkosContract::Test
