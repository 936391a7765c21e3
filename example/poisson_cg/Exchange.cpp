// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Exchange.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <utility>

#ifdef EXAMPLE_MPI
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#if defined(EXAMPLE_NCCL) && defined(KOKKOS_ENABLE_CUDA)
#define EXCHANGE_BY_NCCL
#include <nccl.h>
#endif
#endif

namespace example {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Range = Kokkos::RangePolicy<Space>;
using Indices = Kokkos::View<int*, Space>;
constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
constexpr int own = -1;

struct Pack {
  DeviceVector y, sent;
  Indices entry;
  KOKKOS_FUNCTION void operator()(int i) const { sent(i) = y(entry(i)); }
};

struct AddUp {
  DeviceVector y, received;
  Indices entry, first, contribution;
  KOKKOS_FUNCTION void operator()(int i) const {
    const double own_value = y(entry(i));
    double sum = 0;
    for (int k = first(i); k < first(i + 1); ++k)
      sum += contribution(k) == own ? own_value : received(contribution(k));
    y(entry(i)) = sum;
  }
};

#ifdef EXAMPLE_MPI
Indices to_device(const std::vector<int>& values) {
  using Host = Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const Indices result("indices", values.size());
  const auto host = Kokkos::create_mirror_view(result);
  Kokkos::deep_copy(host, Host(values.data(), values.size()));
  Kokkos::deep_copy(result, host);
  return result;
}

/// The neighbors of a rank, and how many numbers go to each and come from each.
struct Neighbors {
  std::vector<int> ranks, counts, offsets;
};

/// A persistent neighborhood collective of MPI on a graph of the ranks, from buffers that MPI can
/// read: the ones of the kernels, or copies of these in pinned memory of the host.
template <class Memory>
class ByMpi final : public Transport {
 public:
  ByMpi(const Ranks& ranks, const Neighbors& neighbors, const SideStream& side,
        const DeviceVector& sent, const DeviceVector& received)
      : neighbors_(neighbors),
        side_(side.space()),
        sent_(sent),
        received_(received),
        to_send_(Kokkos::create_mirror_view(Memory(), sent)),
        arriving_(Kokkos::create_mirror_view(Memory(), received)) {
    const int count = static_cast<int>(neighbors_.ranks.size());
    MPI_Dist_graph_create_adjacent(ranks.communicator(), count, neighbors_.ranks.data(),
                                   MPI_UNWEIGHTED, count, neighbors_.ranks.data(), MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph_);
#if MPI_VERSION >= 4
    MPI_Neighbor_alltoallv_init(to_send_.data(), neighbors_.counts.data(),
                                neighbors_.offsets.data(), MPI_DOUBLE, arriving_.data(),
                                neighbors_.counts.data(), neighbors_.offsets.data(), MPI_DOUBLE,
                                graph_, MPI_INFO_NULL, &request_);
#endif
  }
  ~ByMpi() override {
#if MPI_VERSION >= 4
    MPI_Request_free(&request_);
#endif
    MPI_Comm_free(&graph_);
  }

  void filled() override {
    if (to_send_.data() != sent_.data()) Kokkos::deep_copy(side_, to_send_, sent_);
    filled_.set(side_);
  }
  void send() override {
    filled_.wait();
#if MPI_VERSION >= 4
    MPI_Start(&request_);
#else
    MPI_Ineighbor_alltoallv(to_send_.data(), neighbors_.counts.data(), neighbors_.offsets.data(),
                            MPI_DOUBLE, arriving_.data(), neighbors_.counts.data(),
                            neighbors_.offsets.data(), MPI_DOUBLE, graph_, &request_);
#endif
  }
  void progress() override {
    int is_complete;
    MPI_Request_get_status(request_, &is_complete, MPI_STATUS_IGNORE);
  }
  void receive() override {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    if (arriving_.data() != received_.data()) Kokkos::deep_copy(side_, received_, arriving_);
  }

 private:
  Neighbors neighbors_;
  Space side_;
  DeviceVector sent_, received_;
  Kokkos::View<double*, Memory> to_send_, arriving_;
  Mark filled_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

#ifdef EXCHANGE_BY_NCCL
/// All ranks as NCCL's communicator.
struct NcclRanks {
  ncclComm_t communicator = nullptr;  ///< null where NCCL cannot: it wants a GPU for each rank
  std::string failure;                ///< what it says then, on this rank
};
const NcclRanks& nccl_ranks(const Ranks& ranks) {
  static const NcclRanks found = [&] {
    ncclUniqueId id;
    if (ranks.is_first()) ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, ranks.communicator());
    NcclRanks result;
    const ncclResult_t status =
        ncclCommInitRank(&result.communicator, ranks.size(), id, ranks.rank());
    if (status != ncclSuccess) result.failure = ncclGetErrorString(status);
    if (ranks.min(status == ncclSuccess ? 1 : 0) == 0) result.communicator = nullptr;
    return result;
  }();
  return found;
}

/// NCCL's sends, receipts and sums are kernels. Those of one communicator run one after the other,
/// in the order of their calls, in whichever streams. All ranks call them in the same order.
class ByNccl final : public Transport {
 public:
  ByNccl(const Ranks& ranks, const Neighbors& neighbors, const SideStream& side,
         const DeviceVector& sent, const DeviceVector& received)
      : communicator_(nccl_ranks(ranks).communicator),
        neighbors_(neighbors),
        stream_(side.space().cuda_stream()),
        sent_(sent),
        received_(received) {}

  void filled() override {}
  void send() override {
    ncclGroupStart();
    for (std::size_t i = 0; i < neighbors_.ranks.size(); ++i) {
      const int offset = neighbors_.offsets[i], rank = neighbors_.ranks[i];
      const std::size_t count = neighbors_.counts[i];
      ncclSend(sent_.data() + offset, count, ncclDouble, rank, communicator_, stream_);
      ncclRecv(received_.data() + offset, count, ncclDouble, rank, communicator_, stream_);
    }
    ncclGroupEnd();
  }
  void progress() override {}
  void receive() override {}
  bool has_sums() const override { return true; }
  void add_over_ranks(const Space& space, double* values, std::size_t count) const override {
    ncclAllReduce(values, values, count, ncclDouble, ncclSum, communicator_, space.cuda_stream());
  }

 private:
  ncclComm_t communicator_;
  Neighbors neighbors_;
  cudaStream_t stream_;
  DeviceVector sent_, received_;
};
#endif

using MakeTransport = std::unique_ptr<Transport> (*)(const Ranks&, const Neighbors&,
                                                     const SideStream&, const DeviceVector&,
                                                     const DeviceVector&);
struct Way {
  std::string name;
  MakeTransport make;
  std::string reason;  ///< why it is taken, where there was a choice
};
template <class T>
std::unique_ptr<Transport> make(const Ranks& ranks, const Neighbors& neighbors,
                                const SideStream& side, const DeviceVector& sent,
                                const DeviceVector& received) {
  return std::make_unique<T>(ranks, neighbors, side, sent, received);
}

bool mpi_reads_device_memory() {
#ifdef MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

#ifdef EXCHANGE_BY_NCCL
/// The time of an exchange of each rank with the next and the one before. A cube of 10^7 unknowns
/// has as many on a face.
double microseconds(const Ranks& ranks, const Way& way) {
  constexpr int count = 50000, repetitions = 20;
  const int next = (ranks.rank() + 1) % ranks.size();
  const int before = (ranks.rank() + ranks.size() - 1) % ranks.size();
  Neighbors neighbors{{next}, {count}, {0}};
  if (next != before) neighbors = {{before, next}, {count, count}, {0, count}};
  const DeviceVector sent("sent", 2 * count), received("received", 2 * count);
  const SideStream side;
  const auto transport = way.make(ranks, neighbors, side, sent, received);
  Kokkos::Timer timer;
  for (int i = -2; i < repetitions; ++i) {  // the first ones do not count
    if (i == 0) timer.reset();
    transport->filled();
    transport->send();
    transport->receive();
    Kokkos::fence();
  }
  const double seconds = timer.seconds() / repetitions;
  return 1e-3 * static_cast<double>(ranks.max(static_cast<std::int64_t>(1e9 * seconds)));
}
#endif

Way choose(const Ranks& ranks) {
  constexpr auto by_mpi = make<ByMpi<Space::memory_space>>;
  if (on_host) return {"MPI", by_mpi, ""};
  Way way{"MPI from pinned memory of the host", make<ByMpi<Kokkos::SharedHostPinnedSpace>>, ""};
  const bool direct = ranks.min(mpi_reads_device_memory() ? 1 : 0) == 1;
  if (direct) way = {"MPI from device memory", by_mpi, ""};
#ifdef EXCHANGE_BY_NCCL
  const NcclRanks& nccl = nccl_ranks(ranks);
  if (nccl.communicator == nullptr) {
    way.reason = "NCCL: " + (nccl.failure.empty() ? "failed on another rank" : nccl.failure);
    return way;
  }
  Way other{"NCCL", make<ByNccl>, ""};
  double time = microseconds(ranks, way), time_of_other = microseconds(ranks, other);
  if (time_of_other < time) {
    std::swap(way, other);
    std::swap(time, time_of_other);
  }
  std::array<char, 100> times{};
  std::snprintf(times.data(), times.size(), "%.0f us, %s %.0f us", time, other.name.c_str(),
                time_of_other);
  way.reason = times.data();
#endif
  return way;
}
const Way& chosen(const Ranks& ranks) {
  static const Way way = choose(ranks);
  return way;
}
#endif

}  // namespace

Exchange::Exchange([[maybe_unused]] const Ranks& ranks,
                   [[maybe_unused]] const std::vector<SharedUnknowns>& shared) {
#ifdef EXAMPLE_MPI
  if (ranks.size() == 1) return;
  std::map<int, std::vector<int>> entries;  // those shared with each neighbor
  for (const auto& [sharers, unknowns] : shared)
    for (const int rank : sharers)
      if (rank != ranks.rank())
        entries[rank].insert(entries[rank].end(), unknowns.begin(), unknowns.end());
  Neighbors neighbors;
  std::vector<int> sent;
  std::map<int, int> next;  // offset of the next number from a neighbor
  for (const auto& [rank, of_neighbor] : entries) {
    next[rank] = static_cast<int>(sent.size());
    neighbors.ranks.push_back(rank);
    neighbors.counts.push_back(static_cast<int>(of_neighbor.size()));
    neighbors.offsets.push_back(next[rank]);
    sent.insert(sent.end(), of_neighbor.begin(), of_neighbor.end());
  }
  std::vector<int> entry, first{0}, contribution;
  for (const auto& [sharers, unknowns] : shared)
    for (const int i : unknowns) {
      entry.push_back(i);
      for (const int rank : sharers)
        contribution.push_back(rank == ranks.rank() ? own : next[rank]++);
      first.push_back(static_cast<int>(contribution.size()));
    }
  sent_entry_ = to_device(sent);
  shared_entry_ = to_device(entry);
  first_contribution_ = to_device(first);
  contribution_ = to_device(contribution);
  sent_ = DeviceVector("sent", sent.size());
  received_ = DeviceVector("received", sent.size());
  side_ = std::make_unique<const SideStream>();
  transport_ = chosen(ranks).make(ranks, neighbors, *side_, sent_, received_);
#endif
}

Exchange::~Exchange() = default;

const Space& Exchange::begin() const {
  mark_.set(Space());
  mark_.wait(side_->space());
  return side_->space();
}

void Exchange::start(const DeviceVector& y) const {
  if (!transport_) return;
  computed_.set(side_->space());
  Kokkos::parallel_for("exchange: pack", Range(side_->space(), 0, sent_.extent(0)),
                       Pack{y, sent_, sent_entry_});
  transport_->filled();
  is_sent_ = false;
  if (on_host) progress();
}

void Exchange::progress() const {
  if (!transport_) return;
  is_sent_ ? transport_->progress() : transport_->send();
  is_sent_ = true;
}

void Exchange::wait_for_entries() const {
  if (transport_) computed_.wait(Space());
}

void Exchange::finish(const DeviceVector& y) const {
  if (!transport_) return;
  transport_->receive();
  Kokkos::parallel_for("exchange: add up", Range(side_->space(), 0, shared_entry_.extent(0)),
                       AddUp{y, received_, shared_entry_, first_contribution_, contribution_});
  mark_.set(side_->space());
  mark_.wait(Space());
}

std::string Exchange::description([[maybe_unused]] const Ranks& ranks) {
#ifdef EXAMPLE_MPI
  const Way& way = chosen(ranks);
  return way.reason.empty() ? way.name : way.name + " (" + way.reason + ")";
#else
  return "nothing";
#endif
}

void print_transport(const Ranks& ranks) {
  if (ranks.size() > 1)
    std::printf("%d ranks, which exchange by %s\n", ranks.size(),
                Exchange::description(ranks).c_str());
}

}  // namespace example
