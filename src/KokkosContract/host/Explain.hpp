// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HOST_EXPLAIN_HPP
#define KOKKOSCONTRACT_HOST_EXPLAIN_HPP

#include <KokkosContract/host/Choices.hpp>
#include <KokkosContract/host/ContractAlgorithms.hpp>
#include <KokkosContract/host/ExtentTable.hpp>
#include <ostream>
#include <string>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

inline std::string text_of(const Labels& labels) {
  std::string text(labels.letter, labels.letter + labels.rank);
  return labels.conjugate ? text + '*' : text;
}

inline std::string text_of(std::ptrdiff_t value) {
  return value == dynamic ? "?" : std::to_string(value);
}

inline void explain_modes(std::ostream& os, const Lowered& l, Class k, const char* what) {
  if (l.count[static_cast<int>(k)] == 0) return;
  os << "  " << what << ":";
  for (int m = 0; m < l.count[static_cast<int>(k)]; ++m) {
    const Mode& mode = l.mode[static_cast<int>(k)][m];
    os << " " << std::string(mode.letter, mode.letter + mode.letters) << " (extent "
       << text_of(mode.extent) << ", strides " << text_of(mode.x) << "/" << text_of(mode.y) << "/"
       << text_of(mode.c) << ")";
  }
  os << "\n";
}

template <ProductChoice Chosen>
void explain_choice(std::ostream& os, const char* who) {
  using Algorithm = algorithm_t<Chosen.way>;
  os << "  " << who << ": " << Algorithm::text;
  if (Chosen.least > 0) os << ", of more than " << Chosen.least << " elements";
  if (Algorithm::otherwise != Algorithm::way) {
    os << "; else " << algorithm_t<Algorithm::otherwise>::text;
  }
  if (Chosen.staged) os << ", from copies of the inputs in shared memory where they fit";
  os << (Chosen.measured ? "; measured" : "; modelled") << "\n";
}

enum class ExplainedLevels { serial, all, all_of_padded_views };

/// The callers: workers of a GPU (an execution space), or of a host (void), at these levels. Teams
/// run padded Views as a PlainLevel.
template <class GpuOrVoid, ExplainedLevels L = ExplainedLevels::all>
struct ExplainedCallers {
  using Gpu = GpuOrVoid;
  static constexpr bool on_gpu = !std::is_void_v<Gpu>;
  static constexpr bool all_levels = L != ExplainedLevels::serial;
  static constexpr bool padded = L == ExplainedLevels::all_of_padded_views;
};

/// Writes the algorithms for one or two inputs, which are in a HostProduct.
template <class Who, class Product, Stored S>
void explain_ways(std::ostream& os) {
  using Gpu = typename Who::Gpu;
  constexpr ProductChoice serial =
      Product::template choice<Gpu, S>(callers_at<Gpu>(Workers::serial));
  explain_choice<serial>(os, Who::on_gpu ? "way at Serial" : "way");
  if constexpr (Who::on_gpu && Who::all_levels) {
    constexpr ProductChoice vector =
        Product::template choice<Gpu, S>(callers_at<Gpu>(Workers::vector, Who::padded));
    constexpr ProductChoice team =
        Product::template choice<Gpu, S>(callers_at<Gpu>(Workers::team, Who::padded));
    explain_choice<vector>(os, "way at Vector");
    explain_choice<team>(os, "way at Team and TeamVector");
  }
}

/// Writes the lowering, algorithm and plan of one or two inputs, which are in a HostProduct.
template <class Who, class Product, Stored S = Stored::linear>
void explain_pair(std::ostream& os) {
  using Low = typename Product::template Low<S>;
  constexpr Lowered l = Low::value;
  constexpr Callers worker{Who::on_gpu, !Who::on_gpu, false, false,
                           warp_size_of<typename Who::Gpu>};
  constexpr ProductChoice chosen = Product::template choice<typename Who::Gpu, S>(
      callers_at<typename Who::Gpu>(Who::on_gpu ? Workers::team : Workers::serial));
  constexpr Plan plan = make_plan(Low::nest, Product::machine(worker), true, chosen.tile);
  os << "  X = " << text_of(l.x_labels) << ", Y = " << text_of(l.y_labels)
     << "; strides in X/Y/C, ? is known at run time only\n";
  explain_modes(os, l, Class::batch, "batch");
  explain_modes(os, l, Class::row, "rows");
  explain_modes(os, l, Class::col, "columns");
  explain_modes(os, l, Class::sum, "sums");
  explain_ways<Who, Product, S>(os);
  os << "  tile: " << plan.rows[0] << " rows x " << (plan.cols[0] > 0 ? plan.cols[0] : plan.cols[1])
     << " registers of " << plan.lanes
     << (plan.along_sum
             ? " lanes along the sum"
             : (plan.batch_lanes ? " lanes along the batch" : " lanes along the columns"));
  if (plan.rows[1] > 0) os << "; remaining rows by " << plan.rows[1];
  if (plan.cols[0] > 0 && plan.cols[1] > 0) os << "; remaining registers by " << plan.cols[1];
  if (plan.tail) os << "; last columns in a register of " << plan.tail_lanes;
  if (plan.overlap > 0) os << "; the last register overlaps " << plan.overlap << " lanes";
  os << "\n";
}

template <class Who, const Chain& C, class Types, Labels Out, int N, class Output, class... Slots>
void explain_chain(std::ostream& os, const Output& output, const Slots&... slots) {
  if constexpr (N < C.steps) {
    constexpr int a = C.step[N].a;
    constexpr int b = C.step[N].b;
    constexpr int to = C.inputs + N;
    const auto& x = slot_at<a>(slots...);
    const auto& y = slot_at<b>(slots...);
    using X = std::remove_cvref_t<decltype(x)>;
    using Y = std::remove_cvref_t<decltype(y)>;
    using Real = typename Types::Real;
    os << "step " << N + 1 << ": " << text_of(C.slot[a]) << "," << text_of(C.slot[b]) << "->";
    if constexpr (N + 1 == C.steps) {
      os << text_of(Out) << "\n";
      explain_pair<Who, HostProduct<ProductLabels{C.slot[a], C.slot[b], Out}, X, Y, Output, Real>>(
          os);
    } else {
      const auto result = intermediate_of<C, Types, N>(slots...);
      os << text_of(C.slot[to]) << " in scratch buffer " << C.step[N].buffer << "\n";
      using Result = std::remove_const_t<decltype(result)>;
      using Product =
          HostProduct<ProductLabels{C.slot[a], C.slot[b], C.slot[to]}, X, Y, Result, Real>;
      explain_pair<Who, Product, Stored::sum>(os);
      explain_chain<Who, C, Types, Out, N + 1>(os, output, slots..., result);
    }
  }
}

/// Number of multiplications and additions for one product of two T and its addition to a sum.
template <class T>
consteval double flops_per_product() {
  const double lanes = is_pack<T> ? PackTraits<T>::lanes : 1;
  return lanes * (is_complex<scalar_t<T>> ? 8 : 2);
}

template <class A>
double bytes_moved(const A& a) {
  double n = sizeof(typename A::value_type);
  for (int i = 0; i < A::rank; ++i) n *= a.extent(i);
  return n;
}

template <const Chain& C>
double chain_products(const ExtentTable& table) {
  double products = 0;
  for (int s = 0; s < C.steps; ++s) {
    products += table.volume(letters_of(C.slot[C.step[s].a]) | letters_of(C.slot[C.step[s].b]));
  }
  return products;
}

inline std::ostream& explain_bound(std::ostream& os, double flops, double bytes) {
  return os << "flops: " << flops << ", bytes: " << bytes << ", intensity: " << flops / bytes
            << " flop/byte\n"
            << "bound: memory bandwidth on a machine with more than " << flops / bytes
            << " flop/s of peak per byte/s of bandwidth, else peak arithmetic\n";
}

inline void explain_extents(std::ostream& os, const ExtentTable& table) {
  os << " with";
  for (int i = 0; i < 52; ++i) {
    if ((table.known >> i & 1) != 0) os << " " << letter_of(i) << "=" << table.extent[i];
  }
  os << "\n";
}

/// Writes the algorithm by which `contract` runs a call in an execution space.
template <Spec S, class Space, class A, class B, class C>
void explain_contract(std::ostream& os, const Space& exec, const A& a, const B& b, const C& c) {
  const double factor = 1;
  const ContractCall<S, Accuracy::full, Space, double, A, B, double, C> call{exec,   factor, a, b,
                                                                             factor, c,      0};
  os << "  contract from the host: " << ContractAlgorithms::text(call) << "\n";
}
template <Spec S, class Space, class A, class C>
void explain_contract(std::ostream& os, const Space& exec, const A& a, const C& c) {
  explain_contract<S>(os, exec, a, NoOperand{}, c);
}

/// Explains the operands of a contraction. of_contract() explains `contract` from the host.
template <Spec S, class Who, class OfContract, int... I, class... Operands>
std::ostream& explain_operands(std::ostream& os, const OfContract& of_contract,
                               std::integer_sequence<int, I...>, const Operands&... operands) {
  constexpr Parsed p = Parse<S>::value;
  constexpr int n = p.inputs;
  const auto& output = slot_at<n>(operands...);
  using Output = std::remove_cvref_t<decltype(output)>;
  using T = accumulator_t<std::remove_const_t<typename Operands::value_type>...>;
  ExtentTable table;
  (table.read(p.input[I], slot_at<I>(operands...)), ...);
  table.read(p.output, output);

  os << "contraction " << text_of(p.input[0]);
  for (int i = 1; i < n; ++i) os << "," << text_of(p.input[i]);
  os << "->" << text_of(p.output);
  explain_extents(os, table);

  double products = 0;
  if constexpr (n == 1) {
    using A = std::remove_cvref_t<decltype(slot_at<0>(operands...))>;
    explain_pair<Who, HostProduct<ProductLabels{p.input[0], {}, p.output, false}, A, A, Output>>(
        os);
    products = table.volume(letters_of(p.input[0]));
  } else {
    using Of = ChainOf<S, Marks{}, Operands::shape...>;
    constexpr bool gpu = Who::on_gpu;
    explain_chain<Who, Of::value, ChainTypes<T, EmptyList, gpu>, p.output, 0>(
        os, output, slot_at<I>(operands...)...);
    if constexpr (n == 2 && !gpu) {
      if (const OutputSlices slices = output_slices_of<S>(operands...); slices.mode >= 0) {
        os << "  contract on a host: C in slices along its largest stride, of " << slices.count
           << " indices each\n";
      }
    }
    products = chain_products<Of::value>(table);
    if constexpr (n > 2) {
      os << "scratch: " << scratch_bytes<S, false, gpu>(operands...) << " bytes\n";
      if constexpr (gpu) {
        if constexpr (LinesOf<Of, T, Operands...>::possible) {
          os << "at Team and TeamVector instead: lines (small static matrices times lines of a "
                "tensor, which stay in registers between steps along one index); scratch: "
             << scratch_bytes<S, true, gpu>(operands...) << " bytes\n";
        }
      }
    }
  }

  of_contract();
  const double flops = products * flops_per_product<T>();
  const double bytes = (bytes_moved(output) + ... + bytes_moved(slot_at<I>(operands...)));
  return explain_bound(os, flops, bytes);
}

/// Explains a contraction on a host.
template <Spec S, class... Operands>
std::ostream& explain_on_host(std::ostream& os, const Operands&... operands) {
  using Inputs = std::make_integer_sequence<int, inputs_of<S>>;
  return explain_operands<S, ExplainedCallers<void>>(os, [] {}, Inputs{}, as_operand(operands)...);
}

/// Explains a contraction in an execution space.
template <Spec S, class Space, class... Operands>
std::ostream& explain_contraction(std::ostream& os, const Space& exec,
                                  const Operands&... operands) {
  using Inputs = std::make_integer_sequence<int, inputs_of<S>>;
  if constexpr (!is_gpu<Space>) {
    return explain_on_host<S>(os, operands...);
  } else {
    const auto of_contract = [&] {
      if constexpr (inputs_of<S> <= 2) explain_contract<S>(os, exec, operands...);
    };
    // Calls with Views in a GPU's memory make the same test.
    if ((is_packed(as_operand(operands)) && ...)) {
      return explain_operands<S, ExplainedCallers<Space>>(os, of_contract, Inputs{},
                                                          as_packed(as_operand(operands))...);
    }
    constexpr bool padded =
        (!(packed_shape(operand_t<Operands>::shape) == operand_t<Operands>::shape) || ...);
    constexpr auto levels = padded ? ExplainedLevels::all_of_padded_views : ExplainedLevels::all;
    return explain_operands<S, ExplainedCallers<Space, levels>>(os, of_contract, Inputs{},
                                                                as_operand(operands)...);
  }
}

template <class Space>
inline constexpr bool is_space = is_emulated<Space> || Kokkos::is_execution_space_v<Space>;

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
