// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tensor.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace KokkosContract::Test::Fuzz {
namespace {

/// f(T()) with the type of that name.
template <class F>
auto with_type(Type type, const F& f) {
  switch (type) {
    case Type::f32:
      return f(float{});
    case Type::f64:
      return f(double{});
    case Type::c32:
      return f(Kokkos::complex<float>{});
    case Type::c64:
      return f(Kokkos::complex<double>{});
    case Type::f16:
      return f(Kokkos::Experimental::half_t{});
    case Type::bf16:
      return f(Kokkos::Experimental::bhalf_t{});
    case Type::i8:
      return f(std::int8_t{});
    case Type::i16:
      return f(std::int16_t{});
    case Type::i32:
      return f(std::int32_t{});
  }
  throw std::logic_error("no such type");
}

template <class T>
class TensorOf : public Tensor {
  using Scalar = typename lanes<T>::scalar;

 public:
  TensorOf(Random& random, const Arranged& arranged, int problems, int most)
      : tensor_(random, arranged, problems) {
    if constexpr (std::is_integral_v<Scalar>) {
      tensor_.set([&](Scalar& x, int) { x = static_cast<Scalar>(random.integer(-most, most)); });
    }
  }
  const std::vector<int>& extents() const override { return tensor_.extents(); }
  int lane_count() const override { return lanes<T>::count; }
  Dense<Wide> dense(int problem, int lane) const override {
    return tensor_.template dense<Wide>(problem, std::min(lane, lanes<T>::count - 1));
  }
  void assign(const std::vector<Wide>& values, int problem, int lane) override {
    if constexpr (is_complex<Scalar>::value) {
      tensor_.assign(values, problem, lane);
    } else {
      std::vector<long double> real;
      for (const Wide& value : values) real.push_back(value.real());
      tensor_.assign(real, problem, lane);
    }
  }
  void upload() override { tensor_.upload(); }
  void download() override { tensor_.download(); }
  void restore() override { tensor_.restore(); }
  testing::AssertionResult unchanged() const override { return tensor_.unchanged(); }
  testing::AssertionResult guards_unchanged() const override { return tensor_.guards_unchanged(); }
  Place place() const override {
    Place place{tensor_.data(), tensor_.distance(), {}, {}};
    for (std::size_t d = 0; d < tensor_.extents().size(); ++d) {
      place.extent[d] = tensor_.extents()[d];
      place.stride[d] = tensor_.strides()[d];
    }
    return place;
  }
  Watched watched() const override { return tensor_.watched(); }

 private:
  StridedTensor<T> tensor_;
};

}  // namespace

TypeFacts facts(Type type) {
  return with_type(type, [](auto x) {
    using T = decltype(x);
    return TypeFacts{is_complex<T>::value, std::is_integral_v<T>, unit_roundoff<T>(),
                     smallest<T>()};
  });
}

TypeFacts accumulator(const std::vector<Type>& types) {
  TypeFacts result{false, true, unit_roundoff<float>(), smallest<float>()};
  for (const Type type : types) {
    const TypeFacts one = facts(type);
    result.complex |= one.complex;
    result.integer &= one.integer;
    if (!one.integer && one.roundoff < result.roundoff) {
      result.roundoff = one.roundoff;
      result.smallest = one.smallest;
    }
  }
  if (result.integer) result.roundoff = result.smallest = 0;
  return result;
}

std::unique_ptr<Tensor> make_tensor(Random& random, Type type, int lanes, const Arranged& arranged,
                                    int problems, int most) {
  return with_type(type, [&](auto x) -> std::unique_ptr<Tensor> {
    using T = decltype(x);
    if (lanes == 1) return std::make_unique<TensorOf<T>>(random, arranged, problems, most);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                  std::is_same_v<T, std::int32_t> || is_complex<T>::value) {
      if (lanes == 2) {
        return std::make_unique<TensorOf<Pack<T, 2>>>(random, arranged, problems, most);
      }
      if (lanes == 4) {
        return std::make_unique<TensorOf<Pack<T, 4>>>(random, arranged, problems, most);
      }
      if (lanes == 8) {
        return std::make_unique<TensorOf<Pack<T, 8>>>(random, arranged, problems, most);
      }
    }
    throw std::logic_error("no such pack");
  });
}

Wide poison(Type type) {
  if (!facts(type).integer) return std::numeric_limits<long double>::quiet_NaN();
  return type == Type::i8 ? 127 : type == Type::i16 ? 32767 : 2147483647;
}
Wide poison(Type type, Random& random) {
  const bool infinite = !facts(type).integer && random.integer(0, 2) == 0;
  return infinite ? std::numeric_limits<long double>::infinity() : poison(type);
}

}  // namespace KokkosContract::Test::Fuzz
