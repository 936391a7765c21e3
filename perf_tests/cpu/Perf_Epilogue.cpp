// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers Y = f(X W + b) of 16 x K by K x 128 floats, with several f:
//
//     Serial    one call, with steps of an epilogue
//     separate  the product by this library, then a reference loop for f
//     OpenBLAS  the same with its product
//
// Y of a problem stays in the L1 cache.
#include <KokkosContract/Epilogue.hpp>

#include "Peers.hpp"

namespace {

using namespace perf;
using namespace KokkosContract;

constexpr int rows = 16, cols = 128;

enum class Kind { bias, relu, largest, sum, silu };
constexpr const char* name_of(Kind kind) {
  constexpr const char* names[] = {"bias", "bias-relu", "bias-relu-max", "scale-sum", "bias-silu"};
  return names[static_cast<int>(kind)];
}
enum class Who { serial, separate, openblas };
constexpr const char* name_of(Who who) {
  constexpr const char* names[] = {"Serial", "separate", "OpenBLAS"};
  return names[static_cast<int>(who)];
}

struct Relu {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(const T& x) const {
    return x > T(0) ? x : T(0);
  }
};
struct Silu {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(const T& x) const {
    return x / (T(1) + Kokkos::exp(-x));
  }
};

template <class Data>
using Array = Kokkos::View<Data, Right, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The layer of a problem. `line` has a number for each row: a factor, a maximum or a sum.
template <Kind F, Who W, int K>
struct Layer {
  Storage<float> x, w, y, b, line;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member&, int p) const {
    const Array<float[rows][K]> in(x.data() + p * rows * K);
    const Array<float[K][cols]> weights(w.data());
    const Array<float[rows][cols]> out(y.data() + p * rows * cols);
    const Array<float[cols]> of_col(b.data());
    const Array<float[rows]> of_row(line.data() + p * rows);
    const auto multiply = [&](const auto&... epilogue) {
      (void)SerialContract<"si,ij->sj">::invoke(1.F, in, weights, 0.F, out, epilogue...);
    };
    if constexpr (W != Who::serial) {
      if constexpr (W == Who::separate) {
        multiply();
      } else {
#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, cols, K, 1.F, in.data(), K,
                    weights.data(), cols, 0.F, out.data(), cols);
#endif
      }
      loop(out, of_col, of_row);
    } else if constexpr (F == Kind::bias) {
      multiply(bias<"j">(of_col));
    } else if constexpr (F == Kind::relu) {
      multiply(bias<"j">(of_col) | activation(Relu{}));
    } else if constexpr (F == Kind::largest) {
      for (int s = 0; s < rows; ++s) of_row(s) = 0;
      multiply(bias<"j">(of_col) | activation(Relu{}) | row_max<"s">(of_row));
    } else if constexpr (F == Kind::sum) {
      for (int s = 0; s < rows; ++s) of_row(s) = 0;
      multiply(scale<"j">(of_col) | row_sum<"s">(of_row));
    } else {
      multiply(bias<"j">(of_col) | activation(Silu{}));
    }
  }

  template <class Out, class OfCol, class OfRow>
  KOKKOS_FORCEINLINE_FUNCTION static void loop(const Out& out, const OfCol& of_col,
                                               const OfRow& of_row) {
    for (int s = 0; s < rows; ++s) {
      float result = 0;
      for (int j = 0; j < cols; ++j) {
        float value = F == Kind::sum ? out(s, j) * of_col(j) : out(s, j) + of_col(j);
        if constexpr (F == Kind::relu || F == Kind::largest) value = Relu{}(value);
        if constexpr (F == Kind::silu) value = Silu{}(value);
        if constexpr (F == Kind::largest) result = value > result ? value : result;
        if constexpr (F == Kind::sum) result += value;
        out(s, j) = value;
      }
      if constexpr (F == Kind::largest || F == Kind::sum) of_row(s) = result;
    }
  }
};

template <Kind F, Who W, int K>
void layer(benchmark::State& state) {
  const int problems = batch_size(in_l2, sizeof(float) * rows * (K + cols));
  const auto make = [&]<Who By>() {
    return Layer<F, By, K>{
        random_storage<float>("x", problems * rows * K), random_storage<float>("ww", K * cols),
        random_storage<float>("yyy", problems * rows * cols), random_storage<float>("bbbb", cols),
        random_storage<float>("line", problems * rows)};
  };
  const auto expected = make.template operator()<Who::separate>();
  const auto measured = make.template operator()<W>();
  run_batch(problems, 1, expected);
  run_batch(problems, 1, measured);
  const bool has_line = F == Kind::largest || F == Kind::sum;
  if (!agree(measured.y, expected.y, K) ||
      (has_line && !agree(measured.line, expected.line, K * cols))) {
    return state.SkipWithError("wrong result");
  }
  time_batch(state, problems,
             {2.0 * rows * K * cols, static_cast<double>(sizeof(float) * rows * (K + cols))},
             measured);
}

template <int K, Kind... F>
void add_kinds() {
  const auto add = []<Kind G, Who W>() {
    add_benchmark(std::string("Epilogue-") + name_of(G) + "/float/right/static/L2/" + name_of(W) +
                      "/" + std::to_string(K),
                  layer<G, W, K>);
  };
  (add.template operator()<F, Who::serial>(), ...);
  (add.template operator()<F, Who::separate>(), ...);
#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
  (add.template operator()<F, Who::openblas>(), ...);
#endif
}

const Registered registered([] {
  if (threads() > 1) return;  // one core only
  for_each_width(std::integer_sequence<int, 16, 64, 128>{}, []<int K>() {
    add_kinds<K, Kind::bias, Kind::relu, Kind::largest, Kind::sum, Kind::silu>();
  });
});

}  // namespace
