// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../Ranks.hpp"
#include "Discretization.hpp"
#include "Numbering.hpp"
#include "SideStream.hpp"

namespace example {

/// Moves numbers between neighbors. A rank sends to each of them as many as it receives. The
/// buffers are where the kernels run, and a side stream reads and writes them.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;
  /// The stream has been given the work that fills the buffer of what is sent.
  virtual void filled() = 0;
  virtual void send() = 0;
  virtual void progress() = 0;
  /// The stream's later work finds the received numbers in the buffer.
  virtual void receive() = 0;

  /// Whether a kernel can add numbers over all ranks, so that the host need not wait for them.
  virtual bool has_sums() const { return false; }
  /// Adds them in the order of the execution space's work. All ranks get the same bits.
  virtual void add_over_ranks(const Kokkos::DefaultExecutionSpace&, double*, std::size_t) const {}
};

/// Sums of vectors' entries over the ranks that share them, split into phases, so that kernels can
/// run meanwhile. Contributions are added in the order of the ranks, so all get the same bits.
/// The constructor and the destructor are collective.
class Exchange {
 public:
  Exchange(const Ranks& ranks, const std::vector<SharedUnknowns>& shared);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  /// Whether there are several ranks. The other members do nothing for one.
  bool is_needed() const { return transport_ != nullptr; }

  /// Where kernels are to be started that compute the shared entries. They run after those that
  /// were started anywhere before.
  const Kokkos::DefaultExecutionSpace& begin() const;
  /// The shared entries of y have been computed there. On a host they are sent at once. On a GPU
  /// the host does not wait, so it can start other kernels first, which must leave these entries
  /// alone.
  void start(const DeviceVector& y) const;
  /// Lets MPI work, and sends what start() did not.
  void progress() const;
  /// Kernels that are started afterwards run after those that compute the shared entries.
  void wait_for_entries() const;
  /// y has the sums for kernels that are started afterwards.
  void finish(const DeviceVector& y) const;
  void sum(const DeviceVector& y) const {
    if (!is_needed()) return;
    begin();
    start(y);
    progress();
    finish(y);
  }

  /// Whether the host must add numbers over the ranks, because no kernel can.
  bool needs_host_sums() const { return transport_ && !transport_->has_sums(); }
  /// Adds numbers over the ranks in the work that is started here, if the host need not.
  void add_over_ranks(double* values, std::size_t count) const {
    if (transport_) transport_->add_over_ranks({}, values, count);
  }

  /// How the numbers get from one rank to another. Collective.
  static std::string description(const Ranks& ranks);

 private:
  using Indices = Kokkos::View<int*, Kokkos::DefaultExecutionSpace>;
  DeviceVector sent_, received_;
  Indices sent_entry_;  // entries of a vector, in the order of sent_
  // For each shared entry, the contributions in the order of the ranks: offsets into received_, or
  // -1 for that of this rank.
  Indices shared_entry_, first_contribution_, contribution_;
  std::unique_ptr<const SideStream> side_;  // if there are several ranks
  Mark mark_, computed_;
  std::unique_ptr<Transport> transport_;
  mutable bool is_sent_ = false;
};

/// Prints how ranks exchange numbers, if there are several. Collective.
void print_transport(const Ranks& ranks);

}  // namespace example
