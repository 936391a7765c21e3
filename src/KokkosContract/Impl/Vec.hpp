// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_VEC_HPP
#define KOKKOSCONTRACT_IMPL_VEC_HPP

// A SIMD register of the host with W lanes, and how it meets memory. W = 1 is the element itself
// (any type), so that one microkernel serves registers, scalars and packs.

#include <KokkosContract/Impl/Scalar.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

// Device code has no such registers, and its compiler does not accept their type.
#if defined(__CUDA_ARCH__)
template <class T, int W>
struct Vec;
#else
template <class T, int W>
struct Vec {
  typedef T type __attribute__((vector_size(sizeof(T) * W)));  // NOLINT(modernize-use-using)
  type v;

  // x - 0 is x for every x (x + 0 would turn -0 into 0), so that this becomes one broadcast.
  static KOKKOS_FORCEINLINE_FUNCTION Vec splat(T x) { return {x - type{}}; }
  friend KOKKOS_FORCEINLINE_FUNCTION Vec operator+(Vec a, Vec b) { return {a.v + b.v}; }
  friend KOKKOS_FORCEINLINE_FUNCTION Vec operator-(Vec a, Vec b) { return {a.v - b.v}; }
  friend KOKKOS_FORCEINLINE_FUNCTION Vec operator/(Vec a, Vec b) { return {a.v / b.v}; }
  friend KOKKOS_FORCEINLINE_FUNCTION Vec operator*(Vec a, Vec b) { return {a.v * b.v}; }
};
#endif

/// Element types that a host register holds; `generic` code takes the others one by one.
template <class T>
inline constexpr bool has_vec =
    std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, std::int32_t>;

/// Lanes of the widest register for T.
template <class T>
inline constexpr int native_lanes = KOKKOSCONTRACT_VECTOR_BYTES / static_cast<int>(sizeof(T));

template <class T, int W>
struct RegisterOf {
  using type = Vec<T, W>;
};
template <class T>
struct RegisterOf<T, 1> {
  using type = T;
};
template <class T, int W>
using register_t = typename RegisterOf<T, W>::type;

template <int W, class T>
KOKKOS_FORCEINLINE_FUNCTION register_t<T, W> splat(const T& x) {
  if constexpr (W == 1) {
    return x;
  } else {
    return Vec<T, W>::splat(x);
  }
}

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
/// The masked loads of AVX, by the compilers' builtins: the header with their usual names takes
/// longer to compile than the rest of this library.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> masked_load(const T* p, int count) {
  using Lane = std::conditional_t<sizeof(T) == 8, long long, int>;
  typedef Lane Mask __attribute__((vector_size(sizeof(T) * W)));  // NOLINT(modernize-use-using)
  using Register = typename Vec<T, W>::type;
  Mask lanes{};
  KOKKOSCONTRACT_UNROLL
  for (int l = 0; l < W; ++l) lanes[l] = l;
  const Mask mask = lanes < static_cast<Lane>(count);
  const auto* at = reinterpret_cast<const Register*>(p);
  if constexpr (sizeof(T) == 8 && W == 4) {
    return {__builtin_ia32_maskloadpd256(at, mask)};
  } else if constexpr (sizeof(T) == 8) {
    return {__builtin_ia32_maskloadpd(at, mask)};
  } else if constexpr (W == 8) {
    return {__builtin_ia32_maskloadps256(at, mask)};
  } else {
    return {__builtin_ia32_maskloadps(at, mask)};
  }
}
template <class T, int W>
inline constexpr bool has_masked_load =
    std::is_floating_point_v<T> && (sizeof(T) * W == 16 || sizeof(T) * W == 32);
#else
template <class T, int W>
inline constexpr bool has_masked_load = false;
#endif

template <int W, class T, int... Lane>
KOKKOS_FORCEINLINE_FUNCTION register_t<T, W> gather(const T* p, std::ptrdiff_t stride,
                                                    std::integer_sequence<int, Lane...>) {
  return {typename Vec<T, W>::type{p[Lane * stride]...}};
}

/// Lanes l < count are p[l * stride], the others zero; memory beyond them is not touched.
/// Unit: the stride is known to be 1. Full: count is known to be W.
template <int W, bool Unit, bool Full, class T>
KOKKOS_FORCEINLINE_FUNCTION register_t<T, W> load(const T* p, std::ptrdiff_t stride, int count) {
  if constexpr (W == 1) {
    return *p;
  } else {
    Vec<T, W> result{};
    if constexpr (Full && Unit) {
      __builtin_memcpy(&result.v, p, sizeof(result.v));
      return result;
    } else if constexpr (Full) {
      return gather<W>(p, stride, std::make_integer_sequence<int, W>{});
    } else {
      if constexpr (Unit && has_masked_load<T, W>) {
        return masked_load<T, W>(p, count);
      } else {
        KOKKOSCONTRACT_UNROLL
        for (int l = 0; l < W; ++l) {
          if (l < count) result.v[l] = p[l * stride];
        }
        return result;
      }
    }
  }
}

/// p[l * stride] = lane l for l < count.
template <int W, bool Unit, bool Full, class T>
KOKKOS_FORCEINLINE_FUNCTION void store(T* p, std::ptrdiff_t stride, const register_t<T, W>& value,
                                       int count) {
  if constexpr (W == 1) {
    *p = value;
  } else if constexpr (Full && Unit) {
    __builtin_memcpy(p, &value.v, sizeof(value.v));
  } else {
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < W; ++l) {
      if (Full || l < count) p[l * stride] = value.v[l];
    }
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
