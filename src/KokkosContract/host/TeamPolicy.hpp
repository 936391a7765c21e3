// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HOST_TEAMPOLICY_HPP
#define KOKKOSCONTRACT_HOST_TEAMPOLICY_HPP

// The problems, threads, lanes and scratch memory of a team. Each call of a kernel, and each tile,
// has demands for a problem (Demand), and the team's shape (TeamShape) serves all of them. On a
// host a team is one thread, with the problems that fit in its L1. On a GPU it is a block, with the
// problems that a product can copy to shared memory. It has enough lanes to hold the matrices of
// its problems.

#include <KokkosContract/dense/Choose.hpp>
#include <KokkosContract/dense/Gbtrf.hpp>
#include <KokkosContract/dense/Gbtrs.hpp>
#include <KokkosContract/dense/Gesv.hpp>
#include <KokkosContract/dense/Pbtrf.hpp>
#include <KokkosContract/dense/Pbtrs.hpp>
#include <KokkosContract/dense/Potrf.hpp>
#include <KokkosContract/dense/Potrs.hpp>
#include <KokkosContract/dense/Pttrf.hpp>
#include <KokkosContract/dense/Pttrs.hpp>
#include <KokkosContract/dense/QR.hpp>
#include <KokkosContract/dense/Reshape.hpp>
#include <KokkosContract/dense/SolveLU.hpp>
#include <KokkosContract/dense/Tbsv.hpp>
#include <KokkosContract/dense/Trmm.hpp>
#include <KokkosContract/dense/Trtri.hpp>
#include <KokkosContract/entry/Entry.hpp>
#include <KokkosContract/host/Choices.hpp>
#include <KokkosContract/host/TileDemand.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <array>
#include <stdexcept>
#include <string>
#include <tuple>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class R>
CallOf<Workers::serial, own_routine_t<R>> call_of(const SerialEntry<R>&);
template <class R>
CallOf<Workers::vector, own_routine_t<R>> call_of(const VectorEntry<R>&);
template <class R>
CallOf<Workers::team, own_routine_t<R>> call_of(const TeamEntry<R>&);
template <class R>
CallOf<Workers::team_vector, own_routine_t<R>> call_of(const TeamVectorEntry<R>&);

template <class Op>
concept Callable = requires(const Op& op) { call_of(op); };

// --- Facts about a routine: its kind, and the ranks of its operands for one problem. ---

enum class Kind { product, copy, dense };

/// The rank of right-hand sides for one problem: vectors, or matrices. The whole call determines
/// it.
inline constexpr int vector_or_matrix = -1;

template <class R>
struct RoutineTraits;
template <class R>
  requires requires { R::parsed; }
struct RoutineTraits<R> {
  static constexpr Parsed p = R::parsed;
  static constexpr Kind kind = p.inputs > 1 ? Kind::product : Kind::copy;
  static constexpr int operands = p.inputs + 1;
  /// Whether all operands begin with the same letter, which is then the letter of the problems.
  static constexpr bool has_batch_letter = [] {
    bool all = p.output.rank > 0;
    for (int i = 0; i < p.inputs && all; ++i) {
      all = p.input[i].rank > 0 && p.input[i].letter[0] == p.output.letter[0];
    }
    return all;
  }();
  static constexpr const Labels& labels(int operand) {
    return operand < p.inputs ? p.input[operand] : p.output;
  }
  static constexpr int rank(int operand) {
    return labels(operand).rank - (has_batch_letter ? 1 : 0);
  }
  /// Whether the first letter of the output is the letter of the problems, with these operands
  /// marked as shared by all problems. The other operands begin with it, and shared ones do not
  /// have it.
  static constexpr bool has_shared_inputs(const bool* shared) {
    bool some = false;
    bool all = p.output.rank > 0;
    for (int i = 0; i < p.inputs && all; ++i) {
      const Labels& input = p.input[i];
      some = some || shared[i];
      all = shared[i] ? !input.has(p.output.letter[0])
                      : input.rank > 0 && input.letter[0] == p.output.letter[0];
    }
    return some && all;
  }
};
template <class TransA, class TransB>
struct RoutineTraits<GemmRoutine<TransA, TransB>> {
  static constexpr Kind kind = Kind::product;
  static constexpr int operands = 3;
  static constexpr int rank(int) { return 2; }
};
template <class TransA>
struct RoutineTraits<GemvRoutine<TransA>> {
  static constexpr Kind kind = Kind::product;
  static constexpr int operands = 3;
  static constexpr int rank(int operand) { return operand == 0 ? 2 : 1; }
};
/// Traits of a routine with a matrix, followed by operands of these ranks.
template <DenseRoutine R, int... Ranks>
struct MatrixTraits {
  static constexpr Kind kind = Kind::dense;
  static constexpr DenseRoutine routine = R;
  static constexpr int operands = 1 + sizeof...(Ranks);
  static constexpr int rank(int operand) {
    constexpr int ranks[] = {2, Ranks...};
    return ranks[operand];
  }
};
template <>
struct RoutineTraits<LURoutine> : MatrixTraits<DenseRoutine::lu> {};
template <class Triangle, class TransA, class Diagonal>
struct RoutineTraits<TrsvRoutine<Triangle, TransA, Diagonal>>
    : MatrixTraits<DenseRoutine::solve, 1> {};
template <class Where, class Triangle, class TransA, class Diagonal>
struct RoutineTraits<TrsmRoutine<Where, Triangle, TransA, Diagonal>>
    : MatrixTraits<DenseRoutine::solve, 2> {};
template <class TransA>
struct RoutineTraits<SolveLURoutine<TransA>>
    : MatrixTraits<DenseRoutine::factors, vector_or_matrix> {};
template <>
struct RoutineTraits<GetrfRoutine> : MatrixTraits<DenseRoutine::getrf, 1> {};
template <class TransA>
struct RoutineTraits<GetrsRoutine<TransA>>
    : MatrixTraits<DenseRoutine::factors, 1, vector_or_matrix> {};
template <>
struct RoutineTraits<GesvRoutine<true>> : MatrixTraits<DenseRoutine::gesv, 1, vector_or_matrix> {};
template <>
struct RoutineTraits<GesvRoutine<false>> : MatrixTraits<DenseRoutine::lu, vector_or_matrix> {};
template <class Triangle>
struct RoutineTraits<PotrfRoutine<Triangle>> : MatrixTraits<DenseRoutine::triangle> {};
template <class Triangle>
struct RoutineTraits<PotrsRoutine<Triangle>>
    : MatrixTraits<DenseRoutine::adjoint, vector_or_matrix> {};
template <>
struct RoutineTraits<GeqrfRoutine> : MatrixTraits<DenseRoutine::qr, 1> {};
template <class Where, class TransQ>
struct RoutineTraits<OrmqrRoutine<Where, TransQ>>
    : MatrixTraits<DenseRoutine::qr, 1, vector_or_matrix> {};
template <>
struct RoutineTraits<GelsRoutine> : MatrixTraits<DenseRoutine::qr, 1, vector_or_matrix> {};
template <class Triangle, class Diagonal>
struct RoutineTraits<TrtriRoutine<Triangle, Diagonal>> : MatrixTraits<DenseRoutine::inverse> {};
template <>
struct RoutineTraits<InverseLURoutine> : MatrixTraits<DenseRoutine::factors, 1> {
  static constexpr bool solves_for_columns = true;  // the columns of the identity
};
template <class Where, class Triangle, class TransA, class Diagonal>
struct RoutineTraits<TrmmRoutine<Where, Triangle, TransA, Diagonal>>
    : MatrixTraits<DenseRoutine::multiply, 2> {};

/// The operands of a band routine have these ranks. A worker factors a matrix, or solves for one
/// right-hand side.
template <int... Ranks>
struct BandTraits {
  static constexpr Kind kind = Kind::dense;
  static constexpr int operands = sizeof...(Ranks);
  static constexpr int rank(int operand) {
    constexpr int ranks[] = {Ranks...};
    return ranks[operand];
  }
  static constexpr int lanes(bool one_column) {
    return one_column || rank(operands - 1) != vector_or_matrix ? 1 : threads_of_team;
  }
};
template <class Triangle>
struct RoutineTraits<PbtrfRoutine<Triangle>> : BandTraits<2> {};
template <class Triangle>
struct RoutineTraits<PbtrsRoutine<Triangle>> : BandTraits<2, vector_or_matrix> {};
template <>
struct RoutineTraits<GbtrfRoutine> : BandTraits<2, 1> {};
template <class TransA>
struct RoutineTraits<GbtrsRoutine<TransA>> : BandTraits<2, 1, vector_or_matrix> {};
template <>
struct RoutineTraits<PttrfRoutine> : BandTraits<1, 1> {};
template <class Triangle>
struct RoutineTraits<PttrsRoutine<Triangle>> : BandTraits<1, 1, vector_or_matrix> {};
template <class Triangle, class TransA, class Diagonal>
struct RoutineTraits<TbsvRoutine<Triangle, TransA, Diagonal>> : BandTraits<2, vector_or_matrix> {};

/// Lanes of a problem with a matrix of n rows, as if n were static. Warps that factor a matrix
/// together wait for each other, so only large ones have several.
constexpr int lanes_of_problem(DenseRoutine routine, int n, bool one_column, bool interleaved) {
  using R = DenseRoutine;
  DenseCase of{};
  of.routine = routine;
  of.rows = of.cols = n < 1 ? 1 : n;
  of.one_column = one_column;
  of.interleaved = interleaved;
  const bool by_warps =
      routine == R::getrf || routine == R::gesv || routine == R::triangle || routine == R::inverse;
  if (n > most_rows && !interleaved && by_warps) {
    return n <= most_rows_of_large_problem[0]   ? 32
           : n <= most_rows_of_large_problem[1] ? 64
                                                : threads_of_team;
  }
  if (n > most_rows) of.rows = of.cols = most_rows;
  return choose(of).grid.size();
}

// --- A call and its operands ---

/// The argument that `uses` stores: the operand, or the functor or kept tensor itself.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto used(const A& a) {
  if constexpr (is_pointwise<A>) {
    return a;
  } else {
    return as_operand(a);
  }
}

/// Number of functors and kept tensors among the first j of some arguments.
template <class... Arguments>
consteval int functors_before(int j) {
  constexpr bool functor[] = {is_pointwise<Arguments>...};
  int count = 0;
  for (int i = 0; i < j; ++i) count += functor[i] ? 1 : 0;
  return count;
}
/// Indices of the operands among some arguments; there are Count of them.
template <int Count, class... Arguments>
consteval std::array<std::size_t, Count> operand_places() {
  constexpr bool functor[] = {is_pointwise<Arguments>...};
  std::array<std::size_t, Count> places{};
  int count = 0;
  for (std::size_t i = 0; i < sizeof...(Arguments) && count < Count; ++i) {
    if (!functor[i]) places[count++] = i;
  }
  return places;
}

/// Arguments are operands, and for contractions also functors and kept tensors between them.
template <class Op, class... Arguments>
struct Uses {
  using List = std::tuple<decltype(used(std::declval<const Arguments&>()))...>;
  List arguments;
  using Call = decltype(call_of(std::declval<const Op&>()));
  using Traits = RoutineTraits<typename Call::Routine>;
  static constexpr int functors = functors_among<Arguments...>;
  static_assert(sizeof...(Arguments) == Traits::operands + functors,
                "KokkosContract: uses<Op> takes the operands of Op, without scaling factors");
  static_assert(
      functors == 0 || requires { Traits::p; },
      "KokkosContract: functors and kept tensors stand between operands of contractions");

  /// The argument index of operand number i.
  static constexpr auto place = operand_places<Traits::operands, Arguments...>();
  /// Whether it is marked as shared by all problems.
  static constexpr auto shared = [] {
    constexpr bool marked[] = {is_shared<Arguments>...};
    std::array<bool, Traits::operands> all{};
    for (int i = 0; i < Traits::operands; ++i) all[i] = marked[place[i]];
    return all;
  }();

  template <int I>
  using Operand = std::tuple_element_t<place[I], List>;
  template <int I>
  const Operand<I>& operand() const {
    return std::get<place[I]>(arguments);
  }

  template <int I>
  static constexpr int rank = Operand<I>::rank;

  static constexpr bool has_shared_inputs() {
    if constexpr (requires { Traits::has_shared_inputs(shared.data()); }) {
      return Traits::has_shared_inputs(shared.data());
    } else {
      return false;
    }
  }
  /// The rank of operand I for one problem.
  template <int I>
  static constexpr int problem_rank = [] {
    if constexpr (has_shared_inputs()) {
      return Traits::labels(I).rank - (shared[I] ? 0 : 1);
    } else if constexpr (Traits::rank(I) != vector_or_matrix) {
      return Traits::rank(I);
    } else {
      constexpr bool has_batch = shared[0] || rank<0> == Traits::rank(0) + 1;
      static_assert(rank<I> == (has_batch ? 2 : 1) || rank<I> == (has_batch ? 3 : 2),
                    "KokkosContract: right-hand sides of uses<Op> are vectors or matrices");
      return rank<I> - (has_batch ? 1 : 0);
    }
  }();

  /// Whether operand I has a dimension for the problems before those of one problem.
  template <int I>
  static constexpr bool has_problems = !shared[I] && rank<I> == problem_rank<I> + 1;

  template <int I>
  double add_operand(int problems, Demand& demand) const {
    static_assert(has_problems<I> || rank<I> == problem_rank<I>,
                  "KokkosContract: an operand of uses<Op> has the rank that Op takes for one "
                  "problem, or one more with a leading dimension for the problems");
    const auto& all = operand<I>();
    if (!extents_fit(all)) {
      throw std::invalid_argument("KokkosContract: team_policy: operand " + std::to_string(I) +
                                  " has an extent above 2^31 - 1024");
    }
    if constexpr (has_problems<I>) {
      if (all.extent(0) != problems) {
        throw std::invalid_argument("KokkosContract: team_policy: operand " + std::to_string(I) +
                                    " has " + std::to_string(all.extent(0)) + " problems, not " +
                                    std::to_string(problems));
      }
    }
    double bytes = sizeof(typename Operand<I>::value_type);
    for (int i = has_problems<I> ? 1 : 0; i < rank<I>; ++i) bytes *= all.extent(i);
    demand.bytes += bytes;
    (shared[I] ? demand.shared : demand.own) += bytes;
    return bytes;
  }

  /// Whether operand I has the problems as a dimension without a letter in the string.
  template <int I>
  static consteval bool has_problems_without_letter() {
    if constexpr (requires { Traits::labels(I); }) {
      return rank<I> == Traits::labels(I).rank + 1;
    } else {
      return false;
    }
  }
  /// Argument number J, as a call of the kernel gets it.
  template <int J>
  decltype(auto) argument_of_call() const {
    if constexpr (is_pointwise<std::tuple_element_t<J, List>>) {
      return (std::get<J>(arguments));
    } else {
      constexpr int number = J - functors_before<Arguments...>(J);
      if constexpr (has_problems_without_letter<number>()) {
        return sliced(std::get<J>(arguments), 0);
      } else {
        return (std::get<J>(arguments));
      }
    }
  }
  /// Bytes of a kept tensor for one problem, or 0 for other arguments.
  template <int J>
  double bytes_of_kept(int problems) const {
    using A = std::tuple_element_t<J, List>;
    if constexpr (is_pointwise<A>) {
      if constexpr (is_kept<decltype(A::functor)>) {
        const auto& kept = std::get<J>(arguments).functor.operand;
        using Kept = std::remove_cvref_t<decltype(kept)>;
        constexpr Labels labels = A::pointwise_labels;
        constexpr bool has_letter = Traits::has_batch_letter || has_shared_inputs();
        constexpr bool has_all =
            Kept::rank == labels.rank + 1 ||
            (has_letter && labels.rank > 0 && labels.letter[0] == Traits::p.output.letter[0]);
        double bytes = sizeof(typename Kept::value_type);
        for (int i = 0; i < Kept::rank; ++i) bytes *= kept.extent(i);
        return has_all && problems > 0 ? bytes / problems : bytes;
      }
    }
    return 0;
  }

  template <bool Padded, int J>
  static auto called_argument() {
    using A =
        std::remove_cvref_t<decltype(std::declval<const Uses&>().template argument_of_call<J>())>;
    if constexpr (Padded) {
      using Dynamic = decltype(padded_argument<typename Call::Routine>(std::declval<const A&>()));
      return std::type_identity<std::remove_cvref_t<Dynamic>>{};
    } else {
      return std::type_identity<packed_view_t<A>>{};
    }
  }
  /// The type of argument number J in the code for packed or for padded Views. ToScratch: the
  /// output is in scratch memory.
  template <bool Padded, bool ToScratch, int J>
  static auto argument_of_product() {
    using A = typename decltype(called_argument<Padded, J>())::type;
    if constexpr (ToScratch && J + 1 == sizeof...(Arguments) && !is_in_scratch<A>) {
      return std::type_identity<InScratch<A>>{};
    } else {
      return std::type_identity<A>{};
    }
  }
  template <class Space, bool Padded, bool ToScratch, int... J>
  static consteval ProductChoices choices_if(std::integer_sequence<int, J...>) {
    return ProductsOf<typename Call::Routine>::template choices<
        Space, typename decltype(argument_of_product<Padded, ToScratch, J>())::type...>(
        callers_at<Space>(Call::workers, Padded));
  }
  /// The algorithms by which workers of Space, a GPU, run the products of a call. A call makes the
  /// same test.
  template <class Space, bool ToScratch, int... J>
  ProductChoices choices(int problems, std::integer_sequence<int, J...> all) const {
    constexpr ProductChoices packed = choices_if<Space, false, ToScratch>(all);
    constexpr bool some_padded =
        (is_marked_view<std::remove_cvref_t<decltype(argument_of_call<J>())>> || ...);
    if constexpr (Call::workers != Workers::serial && some_padded) {
      constexpr ProductChoices padded = choices_if<Space, true, ToScratch>(all);
      if (problems > 0 && !(is_packed_view(argument_of_call<J>()) && ...)) return padded;
    }
    return packed;
  }
  static constexpr ProductReads reads_of(const ProductChoices& choices) {
    const bool stages = choices.take_stage();
    const bool of_thread = Call::workers == Workers::vector;
    return {!stages, stages && !of_thread ? stage_bytes : 0,
            stages && of_thread ? stage_bytes_of_threads : 0, choices.least_workers()};
  }

  /// Adds the scratch memory and lines of a call.
  template <class Space, int... J>
  void add_call(int problems, Demand& demand, std::integer_sequence<int, J...>) const {
    const double kept = (0 + ... + bytes_of_kept<J>(problems));
    demand.bytes += kept;
    demand.own += kept;
    constexpr bool all_at_once =
        !(has_problems_without_letter<J - functors_before<Arguments...>(J)>() || ...);
    if constexpr (requires { Op::scratch_bytes(argument_of_call<J>()...); }) {
      if (all_at_once || problems > 0) {
        const auto all =
            static_cast<double>(Op::template scratch_bytes<Space>(argument_of_call<J>()...));
        if (all > 0) {
          demand.scratch = all_at_once && demand.batch && problems > 0 ? all / problems : all;
          demand.scratch_alignment = static_cast<double>(Traits::operands) * scratch_alignment;
        }
      }
    }
    if constexpr (requires { Traits::p; }) {
      if constexpr (Traits::p.inputs > 2 || functors > 0) {
        if (all_at_once || problems > 0) {
          demand.lines = Call::Routine::lines_of_chain(argument_of_call<J>()...);
        }
      }
    }
  }

  template <class Space, int... I>
  Demand demand_of(int problems, std::integer_sequence<int, I...>) const {
    constexpr int last = sizeof...(I) - 1;
    Demand demand{};
    demand.workers = Call::workers;
    demand.batch = has_problems<last>;
    const double bytes[] = {add_operand<I>(problems, demand)...};
    if constexpr (Traits::kind == Kind::product) {
      demand.staged = demand.bytes - bytes[last];
      if constexpr (is_gpu<Space>) {
        constexpr std::make_integer_sequence<int, static_cast<int>(sizeof...(Arguments))> all{};
        demand.result = bytes[last];
        demand.reads = reads_of(choices<Space, false>(problems, all));
        demand.to_scratch = reads_of(choices<Space, true>(problems, all));
      }
    }
    const auto& matrix = operand<0>();
    constexpr int row = has_problems<0> ? 1 : 0;
    if constexpr (Traits::rank(0) > 0) {
      demand.rows = static_cast<int>(matrix.extent(row));
      using T = std::remove_const_t<typename Operand<0>::value_type>;
      demand.pack = PackTraits<T>::lanes;
      if constexpr (Traits::kind == Kind::dense) {
        constexpr bool one_column =
            problem_rank<last> == 1 && !requires { Traits::solves_for_columns; };
        if constexpr (requires { Traits::routine; }) {
          demand.lanes =
              lanes_of_problem(Traits::routine, demand.rows, one_column, demand.pack > 0);
          demand.matrix = bytes[0];
        } else {
          demand.lanes = Traits::lanes(one_column);
        }
      } else {
        demand.rows = 0;
      }
    }
    add_call<Space>(problems, demand,
                    std::make_integer_sequence<int, static_cast<int>(sizeof...(Arguments))>());
    return demand;
  }

  /// Space is the execution space of the kernel.
  template <class Space>
  Demand demand(int problems) const {
    return demand_of<Space>(problems, std::make_integer_sequence<int, Traits::operands>());
  }
};

template <class T>
inline constexpr bool is_uses = false;
template <class Op, class... Arguments>
inline constexpr bool is_uses<Uses<Op, Arguments...>> = true;
template <class Tile>
inline constexpr bool is_uses<UsesTile<Tile>> = true;

// --- The team ---

struct TeamShape {
  int problems = 1;
  int threads = 1;
  int lanes = 1;
  bool is_fixed = false;  ///< a tile determines the shape
};

/// Joins the demands of all calls of a kernel: the largest of each.
constexpr Demand joined(const Demand& a, const Demand& b) {
  const auto most = [](auto x, auto y) { return x > y ? x : y; };
  Demand both{};
  both.batch = a.batch || b.batch;
  both.bytes = most(a.bytes, b.bytes);
  both.shared = most(a.shared, b.shared);
  both.own = most(a.own, b.own);
  both.staged = most(a.staged, b.staged);
  both.lanes = most(a.lanes, b.lanes);
  both.pack = most(a.pack, b.pack);
  both.rows = most(a.rows, b.rows);
  both.reads = {
      (a.reads.in_place || a.staged <= 0) && (b.reads.in_place || b.staged <= 0),
      most(a.reads.block_stage, b.reads.block_stage),
      most(a.reads.thread_stage, b.reads.thread_stage),
      most(a.reads.least_workers, b.reads.least_workers),
  };
  both.lines = a.lines > 0 && b.lines > 0 ? most(a.lines, b.lines) : 0;
  both.scratch = most(a.scratch, b.scratch);
  both.scratch_alignment = most(a.scratch_alignment, b.scratch_alignment);
  return both;
}

constexpr int between(int least, double x, int most) {
  return x < least ? least : (x > most ? most : static_cast<int>(x));
}

/// `problems`, or the number of problems that fit into the scratch memory.
constexpr int room_for(const Demand& all, int problems, double room) {
  return all.scratch > 0 ? between(1, room / all.scratch, problems) : problems;
}

/// The problems of a GPU's team, or more of them if they share inputs, which each team reads. (If
/// there are copies of inputs, the memory for these is the limit.)
constexpr int with_shared_inputs(const Demand& all, int problems, double room) {
  if (!all.batch || !all.reads.in_place || all.own <= 0) return problems;
  const int wanted = between(1, all.shared / all.own, most_problems_with_shared_inputs);
  return wanted > problems ? room_for(all, wanted, room) : problems;
}

/// The shape of a host's team. Its thread takes the problems that its cache holds. It takes more if
/// reading the operands that all problems share would otherwise be a large part of its work. Each
/// thread gets a few teams.
constexpr TeamShape host_shape(const Demand& all, bool many, int problems, int concurrency,
                               double room) {
  TeamShape shape{};
  if (!many) return shape;
  constexpr int most = most_problems_of_host_team;
  const double shared = own_per_shared_byte * all.shared;
  const double bytes = shared > bytes_of_host_team ? shared : bytes_of_host_team;
  const int fits = room_for(all, all.own > 0 ? between(1, bytes / all.own, most) : most, room);
  const int fair = problems / (4 * (concurrency > 0 ? concurrency : 1));
  shape.problems = between(1, fair, fits);
  return shape;
}

/// room: bytes of scratch memory for a team's problems; warp: lanes of a warp of the GPU.
constexpr TeamShape gpu_shape(const Demand& all, bool collective, bool has_vector,
                              bool only_team_vector, double room, int warp_size) {
  constexpr int block = threads_of_team;
  TeamShape shape{};
  // Copies take no scratch memory, but come from the same shared memory.
  room -= all.reads.block_stage + all.reads.thread_stage;
  if (!collective) {
    // One thread per problem.
    if (has_vector) shape.lanes = lanes_of_thread(all.bytes, warp_size);
    shape.threads = room_for(all, block / shape.lanes, room);
    shape.problems = shape.threads;
    return shape;
  }
  if (all.lines > 0) {
    // One thread for each line, so that there is no loop over lines, and about one block.
    if (all.batch) shape.problems = between(1, 1.0 * block / all.lines, block);
    shape.problems = room_for(all, shape.problems, room);
    shape.threads =
        warp_size *
        between(1, (shape.problems * all.lines + warp_size - 1.0) / warp_size, most_warps_of_lines);
    if (only_team_vector) {
      shape.lanes = warp_size;
      shape.threads /= warp_size;
    }
    return shape;
  }
  const bool holds = all.lanes > 0;
  int threads = block;
  const bool pipeline = all.batch && all.staged > 0 && holds && all.reads.in_place &&
                        all.rows > 0 && all.rows <= most_rows;
  if (pipeline) {
    shape.problems = room_for(all, problems_of_pipeline(all.rows, warp_size), room);
    threads = warps_of_pipeline(all.rows) * warp_size;
  } else if (all.batch && all.staged > 0) {
    const double shared_memory = holds ? staged_bytes_of_factors : staged_bytes_of_products;
    shape.problems = room_for(all, between(1, shared_memory / all.staged, 1024), room);
    // The number of problems is a multiple of four, so that each team's data starts at a whole
    // sector.
    if (shape.problems >= 4) shape.problems = shape.problems / 4 * 4;
    // A single small product leaves half of the threads little to do.
    if (!holds && shape.problems == 1 && all.staged <= shared_memory) threads = block / 2;
  } else if (all.batch) {
    shape.problems = room_for(all, holds ? block / all.lanes : block, room);
  }
  if (!holds) shape.problems = with_shared_inputs(all, shape.problems, room);
  if (all.batch && holds && !pipeline) {
    // All threads work on larger matrices.
    threads = all.rows > most_rows ? block : between(warp_size, shape.problems * all.lanes, block);
  } else if (!all.batch && holds && all.pack > 0) {
    threads = between(warp_size, all.pack * all.lanes, 2 * block);
  } else if (!all.batch && all.rows <= most_rows && all.bytes <= most_bytes_of_warp) {
    threads = warp_size;
  }
  if (!holds && threads < all.reads.least_workers) threads = all.reads.least_workers;
  shape.threads = threads;
  if (only_team_vector) {
    shape.lanes = warp_size;
    shape.threads = threads / warp_size;
  }
  return shape;
}

/// The shape of a team that holds a tile.
constexpr TeamShape shape_with_tile(int workers, bool only_team_vector, int warp_size) {
  const int lanes = only_team_vector ? warp_size : 1;
  return {1, workers / lanes, lanes, true};
}

/// Scratch memory that the kernel itself takes.
struct UserBytes {
  double per_team = 0;
  double per_thread = 0;
  double per_problem = 0;
};

/// The demand of a product in a kernel that factors matrices of this size. If the product computes
/// one of them, it writes the matrix to the kernel's own memory of a problem, if there is room for
/// it. Whether smaller products copy their inputs, such as those of right-hand sides, matters
/// little.
constexpr Demand beside_factors(const Demand& product, double matrix, const UserBytes& user) {
  Demand demand = product;
  if (demand.result == matrix && user.per_problem >= matrix) demand.reads = demand.to_scratch;
  if (demand.result < matrix) demand.reads.in_place = true;
  return demand;
}

template <class Space>
TeamShape team_shape(const Space& exec, const Demand* demands, int count, int problems,
                     const UserBytes& user) {
  Demand all{};
  if (count > 0) all.lines = demands[0].lines;
  bool collective = false;
  bool has_vector = false;
  bool only_team_vector = true;
  bool many = true;
  double matrix = 0;
  for (int i = 0; i < count; ++i) matrix = demands[i].matrix > matrix ? demands[i].matrix : matrix;
  for (int i = 0; i < count; ++i) {
    const Demand& demand = demands[i];
    all = joined(all, matrix > 0 ? beside_factors(demand, matrix, user) : demand);
    const bool by_team = demand.is_of_team();
    collective = collective || by_team;
    has_vector = has_vector || demand.workers == Workers::vector;
    only_team_vector = only_team_vector && demand.workers == Workers::team_vector;
    many = many && (demand.batch || !by_team) && demand.kept == 0;
  }
  // A collective call without a batch takes one problem, so the kernel does, too. A worker of a
  // host with a tile also takes one problem.
  all.batch = all.batch && many;
  all.scratch += user.per_problem;
  if (!collective) all.scratch += user.per_thread + kept_bytes(demands, count, false, 0);
  const double room =
      Kokkos::TeamPolicy<Space>::scratch_size_max(0) - all.scratch_alignment - user.per_team;
  const int workers = tile_workers(demands, count);
  if (workers > 0) return shape_with_tile(workers, only_team_vector, warp_size_of<Space>);
  if constexpr (is_gpu<Space>) {
    return gpu_shape(all, collective, has_vector, only_team_vector && collective, room,
                     warp_size_of<Space>);
  } else {
    return host_shape(all, many, problems, exec.concurrency(), room);
  }
}

/// Scratch memory of levels 0 and 1.
struct TeamBytes {
  std::size_t team[2]{};
  std::size_t thread[2]{};  ///< bytes of each thread
};

inline TeamBytes team_bytes(const Demand* demands, int count, const TeamShape& shape,
                            const UserBytes& user) {
  // Calls take their memory in turn. The memory of tiles and of the user is additional.
  double team = 0;
  double thread = 0;
  for (int i = 0; i < count; ++i) {
    const Demand& demand = demands[i];
    const bool by_team = demand.is_of_team();
    const double bytes =
        demand.scratch * (by_team && demand.batch ? shape.problems : 1) + demand.scratch_alignment;
    double& most = by_team ? team : thread;
    most = bytes > most ? bytes : most;
  }
  const auto whole = [](double bytes) { return static_cast<std::size_t>(bytes + 0.5); };
  TeamBytes all{};
  for (int level = 0; level < 2; ++level) {
    all.team[level] = whole(kept_bytes(demands, count, true, level));
    all.thread[level] = whole(kept_bytes(demands, count, false, level));
  }
  all.team[0] += whole(team) + whole(user.per_team + user.per_problem * shape.problems);
  all.thread[0] += whole(thread) + whole(user.per_thread);
  return all;
}

/// Throws if a team requests more scratch memory of a level than there is. Otherwise Kokkos would
/// end the program when the kernel starts.
inline void require_room(std::size_t bytes, int room, int problems, int level) {
  if (bytes <= static_cast<std::size_t>(room)) return;
  throw std::invalid_argument(
      "KokkosContract: team_policy: a team of " + std::to_string(problems) + " problem(s) needs " +
      std::to_string(bytes) + " bytes of scratch memory of level " + std::to_string(level) +
      ", and Kokkos gives " + std::to_string(room) +
      (level == 0 ? ": keep operands in scratch memory of level 1 (policy.set_scratch_size(1, "
                    "...)), or in global memory, instead of user_scratch"
                  : ": take smaller tiles"));
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
