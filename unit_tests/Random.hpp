// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random test data: the same in each run, and printed when a test fails.
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace KokkosContract::Test {

template <class T>
struct is_complex : std::false_type {};
template <class T>
struct is_complex<Kokkos::complex<T>> : std::true_type {};

/// splitmix64, seeded by the name of the running test.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  Random() : state_(1469598103934665603u) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string name =
        test ? std::string(test->test_suite_name()) + "." + test->name() : std::string("none");
    for (const char c : name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// An integer of [low, high].
  int integer(int low, int high) {
    return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }

  /// A number of [-1, 1] with a full mantissa; a small integer for integers.
  template <class T>
  T number() {
    if constexpr (is_complex<T>::value) {
      const auto real = number<typename T::value_type>();
      return T(real, number<typename T::value_type>());
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(integer(-128, 127));
    } else {
      return static_cast<T>(static_cast<double>(bits() >> 11) * 0x1p-52 - 1.);
    }
  }

  template <class Item>
  void shuffle(std::vector<Item>& items) {
    for (int i = static_cast<int>(items.size()) - 1; i > 0; --i) {
      std::swap(items[i], items[integer(0, i)]);
    }
  }

  /// Printed by SCOPED_TRACE, so that a failing case can be started alone.
  std::string state() const { return "random state " + std::to_string(state_); }

 private:
  std::uint64_t state_;
};

}  // namespace KokkosContract::Test
