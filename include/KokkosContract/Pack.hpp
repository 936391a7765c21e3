// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PACK_HPP
#define KOKKOSCONTRACT_PACK_HPP

#include <KokkosContract/core/Config.hpp>
#include <KokkosContract/core/Quotient.hpp>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// L independent problems, interleaved in one element: lane l belongs to problem l. Arithmetic is
/// lane by lane, and uses the machine's vector registers on a host. A View<Pack<double, 4>***>
/// holds element (i, j) of the problems 4 b to 4 b + 3 at (b, i, j). This is the compact layout of
/// MKL and KokkosBatched.
template <class T, int L>
struct Pack {
  static_assert(L > 0, "KokkosContract: a pack has at least one lane");
  using value_type = T;
  static constexpr int length = L;
  static constexpr int vector_length = L;  // KokkosBatched's name
  static constexpr std::size_t alignment =
      (L & (L - 1)) != 0 ? alignof(T) : (sizeof(T) * L < 64 ? sizeof(T) * L : 64);

  alignas(alignment) T lane[L];  ///< one number of each problem

  Pack() = default;
  /// Sets all lanes to x.
  KOKKOS_FORCEINLINE_FUNCTION constexpr Pack(const T& x) {  // NOLINT(google-explicit-constructor)
    if constexpr (has_registers && chunk > 1) {
      if (!std::is_constant_evaluated()) {
        fill_registers(x);
        return;
      }
    }
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < L; ++l) lane[l] = x;
  }
  template <class U>
    requires(std::is_arithmetic_v<U> && !std::is_same_v<U, T> && std::is_constructible_v<T, U>)
  KOKKOS_FORCEINLINE_FUNCTION constexpr Pack(const U& x)  // NOLINT(google-explicit-constructor)
      : Pack(static_cast<T>(x)) {}

  KOKKOS_FORCEINLINE_FUNCTION constexpr T& operator[](int l) { return lane[l]; }
  KOKKOS_FORCEINLINE_FUNCTION constexpr const T& operator[](int l) const { return lane[l]; }

  friend KOKKOS_FORCEINLINE_FUNCTION Pack operator+(const Pack& a, const Pack& b) {
    return zip(a, b, [](const auto& x, const auto& y) { return x + y; });
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Pack operator-(const Pack& a, const Pack& b) {
    return zip(a, b, [](const auto& x, const auto& y) { return x - y; });
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Pack operator*(const Pack& a, const Pack& b) {
    return zip(a, b, [](const auto& x, const auto& y) { return x * y; });
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Pack operator/(const Pack& a, const Pack& b) {
    return zip(a, b, [](const auto& x, const auto& y) { return Impl::quotient(x, y); });
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Pack operator-(const Pack& a) { return Pack(T(0)) - a; }
  KOKKOS_FORCEINLINE_FUNCTION Pack& operator+=(const Pack& b) { return *this = *this + b; }
  KOKKOS_FORCEINLINE_FUNCTION Pack& operator-=(const Pack& b) { return *this = *this - b; }
  KOKKOS_FORCEINLINE_FUNCTION Pack& operator*=(const Pack& b) { return *this = *this * b; }
  KOKKOS_FORCEINLINE_FUNCTION Pack& operator/=(const Pack& b) { return *this = *this / b; }

  /// Whether `test` holds in all lanes. `test` combines comparisons by & and |. Its arguments are a
  /// lane, or a register of lanes, of this pack and of the others.
  template <class Test, std::same_as<Pack>... Others>
  KOKKOS_FORCEINLINE_FUNCTION bool all_of(const Test& test, const Others&... others) const {
    if constexpr (has_registers && chunk > 1) {
      auto all = test(register_at(lane), register_at(others.lane)...);
      for (int l = chunk; l < L; l += chunk) {
        all = all & test(register_at(lane + l), register_at(others.lane + l)...);
      }
      return all_set<decltype(register_at(lane))>(all);
    } else {
      bool all = true;
      for (int l = 0; l < L; ++l) all = all && static_cast<bool>(test(lane[l], others.lane[l]...));
      return all;
    }
  }

  /// Whether all lanes are equal.
  friend KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator==(const Pack& a, const Pack& b) {
    bool equal = true;
    for (int l = 0; l < L; ++l) equal = equal && a.lane[l] == b.lane[l];
    return equal;
  }

 private:
  static constexpr bool has_registers =
      std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, int>;

  // Number of lanes in one register: the largest power of two that divides L and fits. A GPU has no
  // such registers.
  static constexpr int chunk = [] {
    int c = 1;
    while (!Impl::is_device_code() && L % (2 * c) == 0 &&
           2 * c * sizeof(T) <= KOKKOSCONTRACT_VECTOR_BYTES)
      c *= 2;
    return c;
  }();

  /// The register of `chunk` lanes that begins at `lanes`, by value and with the alignment of a
  /// register. A reference to a type of less alignment would promise too much. GCC turns a memcpy
  /// into integer moves that it cannot coalesce, so this is a typed access.
  static KOKKOS_FORCEINLINE_FUNCTION auto register_at(const T* lanes) {
    typedef T Value __attribute__((vector_size(sizeof(T) * chunk)));  // NOLINT(modernize-use-using)
    typedef T Register                                                // NOLINT(modernize-use-using)
        __attribute__((vector_size(sizeof(T) * chunk), may_alias, aligned(alignof(T))));
    const Value value = *reinterpret_cast<const Register*>(lanes);
    return value;
  }

  /// Whether a register of comparisons is true in all lanes.
  template <class Register, class Mask>
  static KOKKOS_FORCEINLINE_FUNCTION bool all_set(const Mask& mask) {
#if defined(__AVX2__)
    if constexpr (std::is_same_v<T, double> && chunk == 4) {
      return __builtin_ia32_movmskpd256(reinterpret_cast<const Register&>(mask)) == 0xf;
    } else if constexpr (std::is_same_v<T, float> && chunk == 8) {
      return __builtin_ia32_movmskps256(reinterpret_cast<const Register&>(mask)) == 0xff;
    }
#endif
#if defined(__AVX512DQ__)
    if constexpr (sizeof(T) == 8 && chunk == 8) {
      typedef long long Lanes __attribute__((vector_size(64)));  // NOLINT(modernize-use-using)
      return static_cast<unsigned char>(
                 __builtin_ia32_cvtq2mask512(reinterpret_cast<const Lanes&>(mask))) == 0xff;
    } else if constexpr (sizeof(T) == 4 && chunk == 16) {
      typedef int Lanes __attribute__((vector_size(64)));  // NOLINT(modernize-use-using)
      return static_cast<unsigned short>(
                 __builtin_ia32_cvtd2mask512(reinterpret_cast<const Lanes&>(mask))) == 0xffff;
    }
#endif
    auto result = mask[0];
    for (int l = 1; l < chunk; ++l) result = result & mask[l];
    return result != 0;
  }

  /// Fills the lanes by registers. GCC might assemble the lanes in memory, and wait for all of them
  /// there.
  KOKKOS_FORCEINLINE_FUNCTION void fill_registers(const T& x) {
    typedef T Register  // NOLINT(modernize-use-using)
        __attribute__((vector_size(sizeof(T) * chunk), may_alias, aligned(alignof(T))));
    KOKKOSCONTRACT_UNROLL
    // x - 0 is x for every x (x + 0 would turn -0 into 0).
    for (int l = 0; l < L; l += chunk) *reinterpret_cast<Register*>(lane + l) = x - Register{};
  }

  template <class Op>
  static KOKKOS_FORCEINLINE_FUNCTION Pack zip(const Pack& a, const Pack& b, const Op& op) {
    if constexpr (has_registers && chunk > 1) {
      return zip_registers(a, b, op);
    } else {
      Pack result;
      KOKKOSCONTRACT_UNROLL
      for (int l = 0; l < L; ++l) result.lane[l] = op(a.lane[l], b.lane[l]);
      return result;
    }
  }
  template <class Op>
  static KOKKOS_FORCEINLINE_FUNCTION Pack zip_registers(const Pack& a, const Pack& b,
                                                        const Op& op) {
    typedef T Register  // NOLINT(modernize-use-using)
        __attribute__((vector_size(sizeof(T) * chunk), may_alias, aligned(alignof(T))));
    Pack result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < L; l += chunk) {
      *reinterpret_cast<Register*>(result.lane + l) =
          op(register_at(a.lane + l), register_at(b.lane + l));
    }
    return result;
  }
};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
