// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of Intrepid2 and the calls that docs/from-intrepid2.md has for them, from the host, on
// DynRankViews of n basis functions and as many points; PLACE is the number of cells.
//   contract    the string, on the same arrays, whose components are known to be 3
//   Intrepid2   its function
// Flops are those of the string, bytes those that have to move.
#include <Intrepid2_ArrayTools.hpp>
#include <Intrepid2_FunctionSpaceTools.hpp>
#include <Kokkos_DynRankView.hpp>

#include "Perf.hpp"

namespace {

using namespace perf;
using KokkosContract::contract, KokkosContract::dynamic, KokkosContract::fix;

using Array = Kokkos::DynRankView<double, Space::device_type>;
using Tools = Intrepid2::ArrayTools<Space::device_type>;
using FunctionTools = Intrepid2::FunctionSpaceTools<Space::device_type>;

template <class... Extents>
Array random_array(const std::string& label, Extents... extents) {
  const Array array(label, extents...);
  const auto numbers = random_storage<double>(label, array.size());
  std::copy_n(numbers.data(), array.size(), array.data());
  return array;
}

// --- The functions: each has arrays for c cells, n functions and n points, the flops of a cell,
// and both calls.

auto scalars(const Array& cell_point) { return fix<dynamic, dynamic>(cell_point); }
auto fields(const Array& cell_field_point) {
  return fix<dynamic, dynamic, dynamic>(cell_field_point);
}
auto vectors(const Array& cell_point) { return fix<dynamic, dynamic, 3>(cell_point); }
auto vector_fields(const Array& a) { return fix<dynamic, dynamic, dynamic, 3>(a); }
auto matrices(const Array& cell_point) { return fix<dynamic, dynamic, 3, 3>(cell_point); }
auto matrix_fields(const Array& a) { return fix<dynamic, dynamic, dynamic, 3, 3>(a); }

struct FieldFieldScalar {
  static constexpr const char* name = "contractFieldFieldScalar";
  static double flops(double n) { return 2 * n * n * n; }
  Array left, right, out;
  FieldFieldScalar(int c, int n)
      : left(random_array("left", c, n, n)),
        right(random_array("right", c, n, n)),
        out("out", c, n, n) {}
  void ours() const {
    contract<"clp,crp->clr">(Space(), 1.0, fields(left), fields(right), 0.0, fields(out));
  }
  void theirs() const { Tools::contractFieldFieldScalar(out, left, right); }
};

struct FieldFieldVector {
  static constexpr const char* name = "contractFieldFieldVector";
  static double flops(double n) { return 6 * n * n * n; }
  Array left, right, out;
  FieldFieldVector(int c, int n)
      : left(random_array("left", c, n, n, 3)),
        right(random_array("right", c, n, n, 3)),
        out("out", c, n, n) {}
  void ours() const {
    contract<"clpd,crpd->clr">(Space(), 1.0, vector_fields(left), vector_fields(right), 0.0,
                               fields(out));
  }
  void theirs() const { Tools::contractFieldFieldVector(out, left, right); }
};

struct DataFieldScalar {
  static constexpr const char* name = "contractDataFieldScalar";
  static double flops(double n) { return 2 * n * n; }
  Array left, right, out;
  DataFieldScalar(int c, int n)
      : left(random_array("left", c, n)), right(random_array("right", c, n, n)), out("out", c, n) {}
  void ours() const {
    contract<"cp,clp->cl">(Space(), 1.0, scalars(left), fields(right), 0.0, scalars(out));
  }
  void theirs() const { Tools::contractDataFieldScalar(out, left, right); }
};

struct DataFieldVector {
  static constexpr const char* name = "contractDataFieldVector";
  static double flops(double n) { return 6 * n * n; }
  Array left, right, out;
  DataFieldVector(int c, int n)
      : left(random_array("left", c, n, 3)),
        right(random_array("right", c, n, n, 3)),
        out("out", c, n) {}
  void ours() const {
    contract<"cpd,clpd->cl">(Space(), 1.0, vectors(left), vector_fields(right), 0.0, scalars(out));
  }
  void theirs() const { Tools::contractDataFieldVector(out, left, right); }
};

struct DataFieldTensor {
  static constexpr const char* name = "contractDataFieldTensor";
  static double flops(double n) { return 18 * n * n; }
  Array left, right, out;
  DataFieldTensor(int c, int n)
      : left(random_array("left", c, n, 3, 3)),
        right(random_array("right", c, n, n, 3, 3)),
        out("out", c, n) {}
  void ours() const {
    contract<"cpij,clpij->cl">(Space(), 1.0, matrices(left), matrix_fields(right), 0.0,
                               scalars(out));
  }
  void theirs() const { Tools::contractDataFieldTensor(out, left, right); }
};

struct MultiplyMeasure {
  static constexpr const char* name = "multiplyMeasure";
  static double flops(double n) { return n * n; }
  Array left, right, out;
  MultiplyMeasure(int c, int n)
      : left(random_array("left", c, n)),
        right(random_array("right", c, n, n)),
        out("out", c, n, n) {}
  void ours() const {
    contract<"cp,clp->clp">(Space(), 1.0, scalars(left), fields(right), 0.0, fields(out));
  }
  void theirs() const { FunctionTools::multiplyMeasure(out, left, right); }
};

struct TransformGradients {
  static constexpr const char* name = "HGRADtransformGRAD";
  static double flops(double n) { return 18 * n * n; }
  Array left, right, out;
  TransformGradients(int c, int n)
      : left(random_array("left", c, n, 3, 3)),
        right(random_array("right", n, n, 3)),
        out("out", c, n, n, 3) {}
  void ours() const {
    contract<"cpji,lpj->clpi">(Space(), 1.0, matrices(left), vectors(right), 0.0,
                               vector_fields(out));
  }
  void theirs() const { FunctionTools::HGRADtransformGRAD(out, left, right); }
};

// --- The benchmarks

template <class Case, bool Ours>
void call(const Case& arrays) {
  if constexpr (Ours) {
    arrays.ours();
  } else {
    arrays.theirs();
  }
  Kokkos::fence();
}

Storage<double> elements_of(const Array& array) {
  Storage<double> copy("copy", array.size());
  std::copy_n(array.data(), array.size(), copy.data());
  return copy;
}

template <class Case, bool Ours>
void time_call(benchmark::State& state, int cells, int n) {
  const Case arrays(cells, n);
  call<Case, !Ours>(arrays);
  const auto expected = elements_of(arrays.out);
  call<Case, Ours>(arrays);
  if (!agree(elements_of(arrays.out), expected, 3 * n)) return state.SkipWithError("wrong result");
  const double words = static_cast<double>(arrays.left.size() + arrays.right.size());
  const Work work{Case::flops(n) * cells,
                  sizeof(double) * (words + static_cast<double>(arrays.out.size()))};
  for (auto _ : state) call<Case, Ours>(arrays);
  count(state, 1, work);
}

/// A call of Intrepid2 takes ten seconds where there are more.
constexpr double most_flops = 4e9;

template <class Case>
void add() {
  for (const int cells : {20, 1000}) {
    for (const int n : {8, 27, 64, 125}) {
      if (Case::flops(n) * cells > most_flops) continue;
      const std::string path = std::string("Intrepid2-") + Case::name + "/double/right/dynamic/" +
                               std::to_string(cells) + "/";
      add_benchmark(path + "contract/" + std::to_string(n), time_call<Case, true>, cells, n);
      add_benchmark(path + "Intrepid2/" + std::to_string(n), time_call<Case, false>, cells, n);
    }
  }
}

const Registered registered([] {
  if (threads() > 1) return;  // one core only
  add<FieldFieldScalar>();
  add<FieldFieldVector>();
  add<DataFieldScalar>();
  add<DataFieldVector>();
  add<DataFieldTensor>();
  add<MultiplyMeasure>();
  add<TransformGradients>();
});

}  // namespace
