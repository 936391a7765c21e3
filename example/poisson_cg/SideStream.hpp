// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace example {

/// Marks a point in the work of an execution space, for which the host or another one can wait.
/// Without CUDA the host waits at once.
class Mark {
 public:
  using Space = Kokkos::DefaultExecutionSpace;
#ifdef KOKKOS_ENABLE_CUDA
  Mark() { cudaEventCreateWithFlags(&event_, cudaEventDisableTiming); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark() { cudaEventDestroy(event_); }
  void set(const Space& in) const { cudaEventRecord(event_, in.cuda_stream()); }
  void wait() const { cudaEventSynchronize(event_); }
  void wait(const Space& waiting) const { cudaStreamWaitEvent(waiting.cuda_stream(), event_); }

 private:
  cudaEvent_t event_{};
#else
  void set(const Space& in) const { in.fence(); }
  void wait() const {}
  void wait(const Space&) const {}
#endif
};

/// A stream of a GPU beside the one of other kernels. It has the highest priority, so its work need
/// not wait until a kernel that fills the GPU has ended. Without CUDA it is the one of all kernels.
class SideStream {
 public:
  using Space = Kokkos::DefaultExecutionSpace;
  SideStream() {
#ifdef KOKKOS_ENABLE_CUDA
    int least, greatest;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStream_t stream;
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest);
    space_ = Space(stream);
#endif
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
  ~SideStream() {
#ifdef KOKKOS_ENABLE_CUDA
    const cudaStream_t stream = space_.cuda_stream();
    space_ = Space();
    cudaStreamDestroy(stream);
#endif
  }
  const Space& space() const { return space_; }

 private:
  Space space_;
};

}  // namespace example
