// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A StridedTensor whose element type is known at run time only, read and written in higher
// precision. All numbers are complex<long double>, which holds every element type exactly.
#pragma once

#include <memory>

#include "Fuzz.hpp"

namespace KokkosContract::Test::Fuzz {

using Wide = std::complex<long double>;

/// The facts about a type that the error analysis needs.
struct TypeFacts {
  bool complex, integer;
  long double roundoff, smallest;
};
TypeFacts facts(Type type);
/// The facts of sums of products of these types: the roundoff of the widest, and at most that of
/// float.
TypeFacts accumulator(const std::vector<Type>& types);

class Tensor {
 public:
  virtual ~Tensor() = default;
  virtual const std::vector<int>& extents() const = 0;
  virtual int lane_count() const = 0;
  /// One value for each element, with the last index fastest. Scalars have one lane for all.
  virtual Dense<Wide> dense(int problem, int lane) const = 0;
  virtual void assign(const std::vector<Wide>& values, int problem, int lane) = 0;
  virtual void upload() = 0;
  virtual void download() = 0;
  virtual void restore() = 0;
  virtual testing::AssertionResult unchanged() const = 0;
  virtual testing::AssertionResult guards_unchanged() const = 0;
  virtual Place place() const = 0;
  virtual Watched watched() const = 0;

  /// f(dense, problem, lane) changes the values of each.
  template <class F>
  void change(int problems, const F& f) {
    for (int p = 0; p < problems; ++p) {
      for (int l = 0; l < lane_count(); ++l) {
        auto values = dense(p, l);
        f(values, p, l);
        assign(values.values, p, l);
      }
    }
    upload();
  }
};

/// Fills it with random numbers; integers of at most `most`.
std::unique_ptr<Tensor> make_tensor(Random& random, Type type, int lanes, const Arranged& arranged,
                                    int problems, int most);

/// A number that no result may depend on: NaN, or the largest integer.
Wide poison(Type type);
/// NaN, the largest integer, or, sometimes, infinity.
Wide poison(Type type, Random& random);

}  // namespace KokkosContract::Test::Fuzz
