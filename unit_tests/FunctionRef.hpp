// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>
#include <utility>

namespace KokkosContract::Test {

template <class Signature>
class FunctionRef;

/// A functor on the host that lives elsewhere, and longer. What takes one does not see its type,
/// and is compiled once.
template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class Functor>
    requires(!std::is_same_v<Functor, FunctionRef>)
  FunctionRef(const Functor& functor) : functor_(&functor), call_(&call<Functor>) {}

  Result operator()(Args... args) const { return call_(functor_, std::forward<Args>(args)...); }

 private:
  template <class Functor>
  static Result call(const void* functor, Args... args) {
    return (*static_cast<const Functor*>(functor))(std::forward<Args>(args)...);
  }

  const void* functor_;
  Result (*call_)(const void*, Args...);
};

}  // namespace KokkosContract::Test
