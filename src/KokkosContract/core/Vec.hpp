// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_VEC_HPP
#define KOKKOSCONTRACT_CORE_VEC_HPP

// A SIMD register of the host with W lanes, and its loads and stores. W = 1 is the element itself
// (any type), so that one microkernel serves registers, scalars and packs.

#include <KokkosContract/core/Scalar.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class T, int W>
struct Vec {
  typedef T type KOKKOSCONTRACT_VECTOR(sizeof(T) * W);  // NOLINT(modernize-use-using)
  typedef T may_alias_type KOKKOSCONTRACT_VECTOR(       // NOLINT(modernize-use-using)
      sizeof(T) * W) __attribute__((may_alias, aligned(alignof(T))));
  type v;

  // x - 0 is x for every x, so this becomes one broadcast. (x + 0 would turn -0 into 0.)
  static KOKKOS_FORCEINLINE_FUNCTION Vec splat(T x) { return {x - type{}}; }
  friend KOKKOS_FORCEINLINE_FUNCTION Vec operator+(Vec a, Vec b) { return {a.v + b.v}; }
  friend KOKKOS_FORCEINLINE_FUNCTION Vec operator-(Vec a, Vec b) { return {a.v - b.v}; }
  friend KOKKOS_FORCEINLINE_FUNCTION Vec operator/(Vec a, Vec b) { return {a.v / b.v}; }
  friend KOKKOS_FORCEINLINE_FUNCTION Vec operator*(Vec a, Vec b) { return {a.v * b.v}; }

  KOKKOS_FORCEINLINE_FUNCTION T lane(int l) const { return v[l]; }
  KOKKOS_FORCEINLINE_FUNCTION void set_lane(int l, T x) { v[l] = x; }
};

/// Real and imaginary parts in turn.
template <class R, int W>
struct Vec<Kokkos::complex<R>, W> {
  using type = typename Vec<R, 2 * W>::type;
  type v;

  static KOKKOS_FORCEINLINE_FUNCTION Vec splat(const Kokkos::complex<R>& x) {
    Vec result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < W; ++l) result.set_lane(l, x);
    return result;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Vec operator+(Vec a, Vec b) { return {a.v + b.v}; }

  KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> lane(int l) const {
    return {v[2 * l], v[2 * l + 1]};
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_lane(int l, const Kokkos::complex<R>& x) {
    v[2 * l] = x.real();
    v[2 * l + 1] = x.imag();
  }
};

/// Element types that a host register holds. Generic code takes the others one by one.
template <class T>
inline constexpr bool has_vec =
    std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, std::int32_t>;

/// Element types whose products the microkernels form in registers, W elements at a time.
template <class T>
inline constexpr bool has_product = has_vec<real_t<T>> && !is_pack<T>;

/// Hides from a host's compiler where a number came from, so that it does not compute neighbours in
/// one register.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void keep_apart([[maybe_unused]] T& x) {
  if constexpr (!is_device_code() && std::is_floating_point_v<T>) {
#if !KOKKOSCONTRACT_DEVICE_CODE && defined(__SSE2__)
    asm("" : "+x"(x));
#elif !KOKKOSCONTRACT_DEVICE_CODE && defined(__ARM_NEON)
    asm("" : "+w"(x));
#endif
  }
}

/// Lanes of the widest register for T.
template <class T>
inline constexpr int native_lanes = KOKKOSCONTRACT_VECTOR_BYTES / static_cast<int>(sizeof(T));

/// A pack whose lanes fill M > 1 registers.
template <class T, int W, int M>
struct Vecs {
  using element_type = Vec<T, W>;
  Vec<T, W> v[M];
  template <class Op>
  static KOKKOS_FORCEINLINE_FUNCTION Vecs zip(const Vecs& a, const Vecs& b, const Op& op) {
    Vecs result;
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < M; ++m) result.v[m] = op(a.v[m], b.v[m]);
    return result;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Vecs operator+(const Vecs& a, const Vecs& b) {
    return zip(a, b, [](const auto& x, const auto& y) { return x + y; });
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Vecs operator-(const Vecs& a, const Vecs& b) {
    return zip(a, b, [](const auto& x, const auto& y) { return x - y; });
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Vecs operator/(const Vecs& a, const Vecs& b) {
    return zip(a, b, [](const auto& x, const auto& y) { return x / y; });
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Vecs operator*(const Vecs& a, const Vecs& b) {
    return zip(a, b, [](const auto& x, const auto& y) { return x * y; });
  }
};

/// Number of registers, and of their lanes, that hold a T. There are 0 registers if T is best kept
/// as it is.
template <class T>
struct PackRegisters {
  static constexpr int count = 0;
};
template <class T, int L>
  requires(has_vec<T> && !is_device_code())
struct PackRegisters<Pack<T, L>> {
  static constexpr int lanes = L < native_lanes<T> ? L : native_lanes<T>;
  static constexpr int count =
      L > 1 && (lanes & (lanes - 1)) == 0 && L % lanes == 0 ? L / lanes : 0;
};

template <class T, int W>
struct RegisterOf {
  using type = Vec<T, W>;
};
template <class T>
struct RegisterOf<T, 1> {
  using type = T;
};
template <class T>
  requires(PackRegisters<T>::count == 1)
struct RegisterOf<T, 1> {
  using type = Vec<scalar_t<T>, PackRegisters<T>::lanes>;
};
template <class T>
  requires(PackRegisters<T>::count > 1)
struct RegisterOf<T, 1> {
  using type = Vecs<scalar_t<T>, PackRegisters<T>::lanes, PackRegisters<T>::count>;
};
/// The type that holds W elements of type T in a microkernel. A pack is held as registers, because
/// compilers keep arrays of registers in registers and arrays of packs in memory.
template <class T, int W>
using register_t = typename RegisterOf<T, W>::type;

// These are typed accesses, because GCC turns memcpy into integer moves that it cannot coalesce.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION register_t<T, 1> to_register(const T& x) {
  if constexpr (PackRegisters<T>::count == 1) {
    return {*reinterpret_cast<const typename register_t<T, 1>::may_alias_type*>(&x)};
  } else if constexpr (PackRegisters<T>::count > 1) {
    using V = typename register_t<T, 1>::element_type;
    register_t<T, 1> result;
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < PackRegisters<T>::count; ++m) {
      result.v[m] = {reinterpret_cast<const typename V::may_alias_type*>(&x)[m]};
    }
    return result;
  } else {
    return x;
  }
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T from_register(const register_t<T, 1>& x) {
  if constexpr (PackRegisters<T>::count == 1) {
    T result;
    *reinterpret_cast<typename register_t<T, 1>::may_alias_type*>(&result) = x.v;
    return result;
  } else if constexpr (PackRegisters<T>::count > 1) {
    using V = typename register_t<T, 1>::element_type;
    T result;
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < PackRegisters<T>::count; ++m) {
      reinterpret_cast<typename V::may_alias_type*>(&result)[m] = x.v[m].v;
    }
    return result;
  } else {
    return x;
  }
}

template <int W, class T>
KOKKOS_FORCEINLINE_FUNCTION register_t<T, W> splat(const T& x) {
  if constexpr (W == 1) {
    return to_register(x);
  } else {
    return Vec<T, W>::splat(x);
  }
}

#if defined(__AVX512F__)
/// A bit for each lane l < count.
template <int W>
KOKKOS_FORCEINLINE_FUNCTION auto lane_mask(int count) {
  using Mask = std::conditional_t<W == 8, unsigned char, unsigned short>;
  return static_cast<Mask>(count < W ? (1U << count) - 1U : ~0U);
}
#endif

#if defined(__AVX2__)
/// The masked loads and stores of AVX, by the compilers' builtins: the header with their usual
/// names takes longer to compile than the rest of this library.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> masked_load(const T* p, int count) {
  if constexpr (is_complex<T>) {
    using R = real_t<T>;
    return {masked_load<R, 2 * W>(reinterpret_cast<const R*>(p), 2 * count).v};
#if defined(__AVX512F__)
  } else if constexpr (sizeof(T) * W == 64) {
    const typename Vec<T, W>::type zero{};
    if constexpr (W == 8) {
      return {__builtin_ia32_loadupd512_mask(p, zero, lane_mask<W>(count))};
    } else {
      return {__builtin_ia32_loadups512_mask(p, zero, lane_mask<W>(count))};
    }
#endif
  } else {
    using Lane = std::conditional_t<sizeof(T) == 8, long long, int>;
    using Mask = typename Vec<Lane, W>::type;
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
}
template <class T, int W>
inline constexpr bool has_masked_load =
    (is_complex<T> || std::is_floating_point_v<T>) && sizeof(T) * W >= 16 &&
    sizeof(T) * W <= KOKKOSCONTRACT_VECTOR_BYTES;
#else
template <class T, int W>
inline constexpr bool has_masked_load = false;
#endif

/// Stores of fewer lanes than a register has, in one instruction. AVX2 has such stores, too, but a
/// load that soon follows would wait for them.
#if defined(__AVX512F__)
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION void masked_store(T* p, const Vec<T, W>& value, int count) {
  if constexpr (is_complex<T>) {
    using R = real_t<T>;
    masked_store<R, 2 * W>(reinterpret_cast<R*>(p), {value.v}, 2 * count);
  } else {
    if constexpr (W == 8) {
      __builtin_ia32_storeupd512_mask(p, value.v, lane_mask<W>(count));
    } else {
      __builtin_ia32_storeups512_mask(p, value.v, lane_mask<W>(count));
    }
  }
}
template <class T, int W>
inline constexpr bool has_masked_store = has_masked_load<T, W> && sizeof(T) * W == 64;
#else
template <class T, int W>
inline constexpr bool has_masked_store = false;
#endif

template <int W, class T, int... Lane>
KOKKOS_FORCEINLINE_FUNCTION register_t<T, W> gather(const T* p, std::ptrdiff_t stride,
                                                    std::integer_sequence<int, Lane...>) {
  if constexpr (is_complex<T>) {
    Vec<T, W> result;
    (result.set_lane(Lane, p[Lane * stride]), ...);
    return result;
  } else {
    return {typename Vec<T, W>::type{p[Lane * stride]...}};
  }
}

template <int W, class T, int... Lane>
KOKKOS_FORCEINLINE_FUNCTION register_t<T, W> gather_first(const T* p, std::ptrdiff_t stride,
                                                          int count,
                                                          std::integer_sequence<int, Lane...>) {
  if constexpr (is_complex<T>) {
    Vec<T, W> result;
    (result.set_lane(Lane, Lane < count ? p[Lane * stride] : T(0)), ...);
    return result;
  } else {
    return {typename Vec<T, W>::type{(Lane < count ? p[Lane * stride] : T(0))...}};
  }
}

/// factor * x in all lanes.
template <int W, class Factor, class T>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> scale(const Factor& factor, const Vec<T, W>& x) {
  if constexpr (std::is_same_v<Factor, T> && is_complex<T>) {
    Vec<T, W> result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < W; ++l) result.set_lane(l, factor * x.lane(l));
    return result;
  } else if constexpr (is_complex<T>) {
    return {x.v * Vec<real_t<T>, 2 * W>::splat(factor).v};
  } else {
    return splat<W>(factor) * x;
  }
}

/// Lanes First <= l < count are p[l * stride], and the others are zero. Other memory is not
/// touched. Unit: the stride is known to be 1. Full: count is known to be W.
template <int W, bool Unit, bool Full, int First = 0, class T>
KOKKOS_FORCEINLINE_FUNCTION register_t<T, W> load(const T* p, std::ptrdiff_t stride, int count) {
  if constexpr (W == 1) {
    return *p;
  } else {
    Vec<T, W> result{};
    if constexpr (First > 0) {
      KOKKOSCONTRACT_UNROLL
      for (int l = First; l < W; ++l) {
        if (Full || l < count) result.set_lane(l, p[l * stride]);
      }
      return result;
    } else if constexpr (Full && Unit) {
      __builtin_memcpy(&result.v, p, sizeof(result.v));
      return result;
    } else if constexpr (Full) {
      if (stride == 1) return load<W, true, true>(p, 1, W);
      return gather<W>(p, stride, std::make_integer_sequence<int, W>{});
    } else if constexpr (Unit && has_masked_load<T, W>) {
      return masked_load<T, W>(p, count);
    } else {
#if defined(__GNUC__)
      // Sets all lanes at once if the optimiser knows the count: it cannot join lanes that are set
      // one by one. Otherwise the same code makes GCC 16 crash. nvcc answers for the host's
      // compiler what does not depend on a template's argument.
      if (__builtin_constant_p(count < W)) {
        return gather_first<W>(p, stride, count, std::make_integer_sequence<int, W>{});
      }
#endif
      KOKKOSCONTRACT_UNROLL
      for (int l = 0; l < W; ++l) {
        if (l < count) result.set_lane(l, p[l * stride]);
      }
      return result;
    }
  }
}

/// Number of neighbours of each of W elements that load_transposed reads: those in 16 bytes.
template <class T, int W>
inline constexpr int transposed_block =
    !is_pack<T> && W * sizeof(T) % 16 == 0 ? 16 / static_cast<int>(sizeof(T)) : 1;

/// Lane l is number from(l) of the lanes of a, followed by those of b.
template <class T, int W, class From, int... Lane>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> shuffled(const Vec<T, W>& a, const Vec<T, W>& b, const From&,
                                               std::integer_sequence<int, Lane...>) {
#if defined(__clang__)
  return {__builtin_shufflevector(a.v, b.v, From{}(Lane)...)};
#else
  using Index = std::conditional_t<sizeof(T) == 8, long long, int>;
  typedef Index Order __attribute__((vector_size(sizeof(a.v))));  // NOLINT(modernize-use-using)
  return {__builtin_shuffle(a.v, b.v, Order{From{}(Lane)...})};
#endif
}
template <class T, int W, class From>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> shuffled(const Vec<T, W>& a, const Vec<T, W>& b,
                                               const From& from) {
  return shuffled(a, b, from, std::make_integer_sequence<int, W>{});
}

/// The lower or the upper halves of each 16 bytes of a and b, their elements in turn.
template <bool Upper, class T, int W>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> interleaved(const Vec<T, W>& a, const Vec<T, W>& b) {
  constexpr int n = 16 / static_cast<int>(sizeof(T));
  return shuffled(a, b, [](int l) {
    return l / n * n + (Upper ? n / 2 : 0) + l % n / 2 + (l % 2 == 0 ? 0 : W);
  });
}

/// 16 bytes each from at(First), at(First + Step), ..., in sequence: N of them.
template <int First, int Step, int N, class At>
KOKKOS_FORCEINLINE_FUNCTION Vec<double, 2 * N> joined_pieces(const At& at) {
  if constexpr (N == 1) {
    typedef double Piece  // NOLINT(modernize-use-using)
        __attribute__((vector_size(16), may_alias, aligned(1)));
    return {*reinterpret_cast<const Piece*>(at(First))};
  } else {
    const auto a = joined_pieces<First, Step, N / 2>(at);
    const auto b = joined_pieces<First + N / 2 * Step, Step, N / 2>(at);
    // Written element by element, because GCC reads single elements for {a.v[0], a.v[1], ...}.
    if constexpr (N == 2) {
      return {__builtin_shufflevector(a.v, b.v, 0, 1, 2, 3)};
    } else {
      return {__builtin_shufflevector(a.v, b.v, 0, 1, 2, 3, 4, 5, 6, 7)};
    }
  }
}

/// Lane l of out[k] is at(l)[k], where at(l) is a pointer.
template <int W, class T, class At>
KOKKOS_FORCEINLINE_FUNCTION void load_transposed(const At& at,
                                                 Vec<T, W> (&out)[transposed_block<T, W>]) {
  constexpr int n = transposed_block<T, W>;
  using Register = typename Vec<T, W>::type;
  if constexpr (n == 1) {
    out[0] = {(Register)joined_pieces<0, 1, W>(at).v};
  } else if constexpr (n == 2) {
    const auto even = joined_pieces<0, 2, W / 2>(at);
    const auto odd = joined_pieces<1, 2, W / 2>(at);
    out[0] = {(Register)interleaved<false>(even, odd).v};
    out[1] = {(Register)interleaved<true>(even, odd).v};
  } else {
    const Vec<T, W> row[]{{(Register)joined_pieces<0, 4, W / 4>(at).v},
                          {(Register)joined_pieces<1, 4, W / 4>(at).v},
                          {(Register)joined_pieces<2, 4, W / 4>(at).v},
                          {(Register)joined_pieces<3, 4, W / 4>(at).v}};
    using Pairs = Vec<double, W / 2>;
    const Pairs low[]{{(typename Pairs::type)interleaved<false>(row[0], row[1]).v},
                      {(typename Pairs::type)interleaved<false>(row[2], row[3]).v}};
    const Pairs high[]{{(typename Pairs::type)interleaved<true>(row[0], row[1]).v},
                       {(typename Pairs::type)interleaved<true>(row[2], row[3]).v}};
    out[0] = {(Register)interleaved<false>(low[0], low[1]).v};
    out[1] = {(Register)interleaved<true>(low[0], low[1]).v};
    out[2] = {(Register)interleaved<false>(high[0], high[1]).v};
    out[3] = {(Register)interleaved<true>(high[0], high[1]).v};
  }
}

/// Lane l of out[k] is p[l * stride + k] for l < count; later lanes are copies of the last one.
/// Full: count is known to be W.
template <int W, bool Full, class T>
KOKKOS_FORCEINLINE_FUNCTION void load_transposed(const T* p, std::ptrdiff_t stride, int count,
                                                 Vec<T, W> (&out)[transposed_block<T, W>]) {
  load_transposed<W>(
      [&](int l)
          KOKKOSCONTRACT_INLINE_LAMBDA { return p + (Full || l < count ? l : count - 1) * stride; },
      out);
}

/// Exchanges the upper lanes of a with the lower ones of b, within each 2 Step.
template <int Step, class T, int W>
KOKKOS_FORCEINLINE_FUNCTION void exchange(Vec<T, W>& a, Vec<T, W>& b) {
  const Vec<T, W> lower = shuffled(a, b, [](int l) { return (l & Step) == 0 ? l : W + l - Step; });
  b = shuffled(a, b, [](int l) { return (l & Step) == 0 ? l + Step : W + l; });
  a = lower;
}
/// Lane l of row[k] becomes lane k of row[l].
template <int Step = 1, class T, int W>
KOKKOS_FORCEINLINE_FUNCTION void transpose(Vec<T, W> (&row)[W]) {
  if constexpr (Step < W) {
    KOKKOSCONTRACT_UNROLL
    for (int k = 0; k < W; ++k) {
      if ((k & Step) != 0) continue;
      exchange<Step>(row[k], row[k + Step]);
    }
    transpose<2 * Step>(row);
  }
}

/// Lane l < N is the sum of the lanes of row[l].
template <int Step = 1, class T, int W, int N>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> sums_of_lanes(const Vec<T, W> (&row)[N]) {
  if constexpr (N > 1) {
    Vec<T, W> pair[N / 2];
    KOKKOSCONTRACT_UNROLL
    for (int k = 0; k < N / 2; ++k) {
      Vec<T, W> a = row[2 * k];
      Vec<T, W> b = row[2 * k + 1];
      exchange<Step>(a, b);
      pair[k] = a + b;
    }
    return sums_of_lanes<2 * Step>(pair);
  } else if constexpr (Step < W) {
    const Vec<T, W> others = shuffled(row[0], row[0], [](int l) { return l ^ Step; });
    const Vec<T, W> both[1]{row[0] + others};
    return sums_of_lanes<2 * Step>(both);
  } else {
    return row[0];
  }
}

// A row of C that ends within a register and is read again soon, as by beta = 1, is read and
// written in parts of 1, 2, 4 ... lanes. A load waits for a masked store that it overlaps, even
// where the mask leaves all of its bytes out, and for stores that have parts of its bytes.

/// Element types whose registers are joined and halved.
template <class T>
inline constexpr bool has_parts = !is_complex<T> && has_vec<T>;

/// The lower or the upper half of the lanes.
template <bool Upper, class T, int W>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W / 2> half(const Vec<T, W>& x) {
  Vec<T, W / 2> result;
  __builtin_memcpy(&result.v, reinterpret_cast<const char*>(&x.v) + (Upper ? sizeof(result.v) : 0),
                   sizeof(result.v));
  return result;
}

/// The lanes of both, in sequence. nvcc's front end drops the dots of a parameter pack in
/// __builtin_shufflevector, so that its hosts join them in memory.
template <class T, int W, int... Lane>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, 2 * W> joined(const Vec<T, W>& lower, const Vec<T, W>& upper,
                                                 std::integer_sequence<int, Lane...>) {
#if defined(__CUDACC__)
  Vec<T, 2 * W> result;
  __builtin_memcpy(&result.v, &lower.v, sizeof(lower.v));
  __builtin_memcpy(reinterpret_cast<char*>(&result.v) + sizeof(lower.v), &upper.v, sizeof(upper.v));
  return result;
#else
  return {__builtin_shufflevector(lower.v, upper.v, Lane...)};
#endif
}

/// Lanes l < count are p[l], the others zero; count is less than W.
template <int W, class T>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> load_parts(const T* p, int count) {
  if constexpr (W == 2) {
    return {typename Vec<T, W>::type{count > 0 ? p[0] : T(0), T(0)}};
  } else {
    constexpr int h = W / 2;
    Vec<T, h> lower, upper{};
    if (count >= h) {
      __builtin_memcpy(&lower.v, p, sizeof(lower.v));
      upper = load_parts<h>(p + h, count - h);
    } else {
      lower = load_parts<h>(p, count);
    }
    return joined(lower, upper, std::make_integer_sequence<int, W>{});
  }
}

/// Reads as load_parts does, but in parts only where the compiler knows the count.
template <int W, class T>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> load_partial(const T* p, int count) {
#if defined(__GNUC__)
  // The argument depends on a template's, because nvcc answers other questions itself.
  if (__builtin_constant_p(count < W)) return load_parts<W>(p, count);
#endif
  return load<W, true, false>(p, 1, count);
}

/// p[l] = lane l for l < count, which is less than W.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION void store_parts(T* p, const Vec<T, W>& value, int count) {
  if constexpr (W == 2) {
    if (count > 0) *p = value.lane(0);
  } else {
    constexpr int h = W / 2;
    const Vec<T, h> lower = half<false>(value);
    const bool whole = count >= h;
    if (whole) __builtin_memcpy(static_cast<void*>(p), &lower.v, sizeof(lower.v));
    store_parts(whole ? p + h : p, whole ? half<true>(value) : lower, whole ? count - h : count);
  }
}

/// p[l * stride] = lane l for First <= l < count.
template <int W, bool Unit, bool Full, int First = 0, class T>
KOKKOS_FORCEINLINE_FUNCTION void store(T* p, std::ptrdiff_t stride, const register_t<T, W>& value,
                                       int count) {
  if constexpr (W == 1) {
    *p = value;
  } else if constexpr (Full && Unit && First == 0) {
    __builtin_memcpy(static_cast<void*>(p), &value.v, sizeof(value.v));
  } else {
    if constexpr (Unit && First == 0) {
      if (count >= W) return store<W, true, true>(p, stride, value, count);
      if constexpr (has_masked_store<T, W>) return masked_store<T, W>(p, value, count);
    }
    if constexpr (Full && !Unit && First == 0) {
      if (stride == 1) return store<W, true, true>(p, 1, value, W);
    }
    KOKKOSCONTRACT_UNROLL
    for (int l = First; l < W; ++l) {
      if (Full || l < count) p[l * stride] = value.lane(l);
    }
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
