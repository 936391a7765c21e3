// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of a program: the processes that mpirun started together, or the only process. With
// EXAMPLE_MPI, which CMake defines where it finds MPI, they are those of MPI.
//
// Each rank takes its own GPU: Kokkos counts by mpirun's number of the rank on its node, unless
// --kokkos-device-id says otherwise. More ranks than GPUs share them. OpenMP starts as many threads
// in each rank as the rank may use cores: bind ranks (mpirun --map-by slot:pe=4 --bind-to core), or
// set OMP_NUM_THREADS.
#pragma once

#ifdef EXAMPLE_MPI
#include <mpi.h>
#endif

#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "Options.hpp"

namespace example {

/// Thrown on every rank, after one of them has printed why.
struct Stopped {};

/// Starts MPI and ends it. Make it before Kokkos::ScopeGuard. All members but rank, size,
/// is_first, size_of_node and run are collective: each rank calls them, in the same sequence.
class Ranks {
 public:
  /// The standard output of all ranks but the first one goes nowhere.
  Ranks([[maybe_unused]] int& argc, char**& argv) : program_(program_name(argv[0])) {
#ifdef EXAMPLE_MPI
    int provided;  // only the thread that made this calls MPI
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(communicator(), &rank_);
    MPI_Comm_size(communicator(), &size_);
    MPI_Comm node;
    MPI_Comm_split_type(communicator(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &size_of_node_);
    MPI_Comm_free(&node);
#endif
    if (!is_first() && std::freopen("/dev/null", "w", stdout) == nullptr)
      std::fprintf(stderr, "%s: cannot write to /dev/null\n", program_.c_str());
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks() {
#ifdef EXAMPLE_MPI
    MPI_Finalize();
#endif
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  /// How many ranks share the memory and the GPUs of this one.
  int size_of_node() const { return size_of_node_; }
#ifdef EXAMPLE_MPI
  MPI_Comm communicator() const { return MPI_COMM_WORLD; }
#endif

  /// Adds numbers over the ranks, each with the same of other ranks. How many ranks there are
  /// changes how the sums are rounded.
  void sum(double* values, int count) const {
#ifdef EXAMPLE_MPI
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, communicator());
#else
    (void)values;
    (void)count;
#endif
  }
  /// The largest and the smallest of the ranks' numbers.
  std::int64_t max(std::int64_t value) const {
#ifdef EXAMPLE_MPI
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, communicator());
#endif
    return value;
  }
  std::int64_t min(std::int64_t value) const { return -max(-value); }
  void wait_for_all() const {
#ifdef EXAMPLE_MPI
    MPI_Barrier(communicator());
#endif
  }

  /// Whether all ranks have the same bytes.
  bool agree(std::string_view bytes) const {
    std::string first(bytes);
#ifdef EXAMPLE_MPI
    std::int64_t count = max(is_first() ? static_cast<std::int64_t>(bytes.size()) : 0);
    first.resize(static_cast<std::size_t>(count));
    MPI_Bcast(first.data(), static_cast<int>(count), MPI_CHAR, 0, communicator());
#endif
    return min(first == bytes ? 1 : 0) == 1;
  }

  /// Calls f() on each rank, which may throw but may not wait for other ranks. If it throws
  /// somewhere, the first such rank prints the message, and every rank throws Stopped.
  template <class F>
  void together(F&& f) const {
    std::optional<std::string> message;
    try {
      f();
    } catch (const std::invalid_argument& error) {
      message = std::string(error.what()) + "; see --help";
    } catch (const std::exception& error) {
      message = error.what();
    }
    const std::int64_t first = min(message ? rank_ : size_);
    if (first == size_) return;
    if (first == rank_) report(*message);
    wait_for_all();  // mpirun stops the others as soon as one has ended with a status
    throw Stopped{};
  }

  /// Runs a program, which returns its status; the status of one that has stopped is 2. Another
  /// exception ends all ranks, because they may be waiting for this one.
  template <class F>
  int run(F&& program) const {
    try {
      return program();
    } catch (const Stopped&) {
    } catch (const std::exception& error) {
      report(error.what());
#ifdef EXAMPLE_MPI
      if (size_ > 1) MPI_Abort(communicator(), 2);
#endif
    }
    return 2;
  }

  /// Reads a command line, as example::read_options does. All ranks must have the same one.
  std::optional<int> read_options(int argc, char* const argv[], const char* usage,
                                  std::initializer_list<Option> options) const {
    const CommandLine line = parse_options(argc, argv, options);
    std::string all;
    for (int i = 1; i < argc; ++i) all += std::string(argv[i]) + '\n';
    together([&] {
      if (line.fault) throw std::invalid_argument(*line.fault);
    });
    const bool is_same = agree(all);
    together([&] {
      if (!is_same) throw std::invalid_argument("the ranks have different options");
    });
    if (!line.wants_help) return {};
    std::printf("%s", usage);
    return 0;
  }

 private:
  void report(const std::string& message) const {
    std::fprintf(stderr, "%s: %s\n", program_.c_str(), message.c_str());
  }

  std::string program_;
  int rank_ = 0, size_ = 1, size_of_node_ = 1;
};

}  // namespace example
