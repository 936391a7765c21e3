// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_VEC_HPP
#define KOKKOSCONTRACT_IMPL_VEC_HPP

// A SIMD register of the host with W lanes, and how it meets memory. W = 1 is the element itself
// (any type), so that one microkernel serves registers, scalars and packs.

#include <KokkosContract/Impl/Scalar.hpp>

#if defined(__AVX2__) || defined(__AVX512VL__)
#include <immintrin.h>
#endif

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

#if defined(__AVX2__)
/// The first `count` of W lanes, set in the sign bits, for a masked load.
template <int W, int Bytes>
inline auto lane_mask(int count) {
  if constexpr (Bytes == 8 && W == 4) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
  } else if constexpr (Bytes == 8) {
    return _mm_cmpgt_epi64(_mm_set1_epi64x(count), _mm_set_epi64x(1, 0));
  } else if constexpr (W == 8) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  } else {
    return _mm_cmpgt_epi32(_mm_set1_epi32(count), _mm_setr_epi32(0, 1, 2, 3));
  }
}
#endif

/// Lanes l < count are p[l * stride], the others zero; memory beyond them is not touched.
/// Unit: the stride is known to be 1. Full: count is known to be W.
template <int W, bool Unit, bool Full, class T>
KOKKOS_FORCEINLINE_FUNCTION register_t<T, W> load(const T* p, std::ptrdiff_t stride, int count) {
  if constexpr (W == 1) {
    return *p;
  } else {
    Vec<T, W> result;
    if constexpr (Full && Unit) {
      __builtin_memcpy(&result.v, p, sizeof(result.v));
      return result;
    } else if constexpr (Full) {
      KOKKOSCONTRACT_UNROLL
      for (int l = 0; l < W; ++l) result.v[l] = p[l * stride];
      return result;
    } else {
#if defined(__AVX2__)
      if constexpr (Unit && sizeof(T) * W <= 32 && std::is_floating_point_v<T>) {
        const auto mask = lane_mask<W, sizeof(T)>(count);
        if constexpr (sizeof(T) == 8 && W == 4) {
          const auto loaded = _mm256_maskload_pd(p, mask);
          __builtin_memcpy(&result.v, &loaded, sizeof(result.v));
        } else if constexpr (sizeof(T) == 8) {
          const auto loaded = _mm_maskload_pd(p, mask);
          __builtin_memcpy(&result.v, &loaded, sizeof(result.v));
        } else if constexpr (W == 8) {
          const auto loaded = _mm256_maskload_ps(p, mask);
          __builtin_memcpy(&result.v, &loaded, sizeof(result.v));
        } else {
          const auto loaded = _mm_maskload_ps(p, mask);
          __builtin_memcpy(&result.v, &loaded, sizeof(result.v));
        }
        return result;
      }
#endif
      result.v = typename Vec<T, W>::type{};
      KOKKOSCONTRACT_UNROLL
      for (int l = 0; l < W; ++l) {
        if (l < count) result.v[l] = p[l * stride];
      }
      return result;
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
