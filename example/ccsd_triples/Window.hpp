// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef EXAMPLE_MPI
#include <cstddef>
#include <exception>

#include "../Ranks.hpp"

namespace triples {

/// Memory of each rank that all ranks may access until it ends. Making and ending it is collective.
/// Accesses need no help by the rank that has the memory: on one node they are loads and stores.
template <class T>
class Window {
 public:
  Window(const example::Ranks& ranks, std::size_t count) {
    void* memory;
    MPI_Win_allocate(static_cast<MPI_Aint>(count * sizeof(T)), sizeof(T), MPI_INFO_NULL,
                     ranks.communicator(), &memory, &window_);
    memory_ = static_cast<T*>(memory);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  /// After an exception, other ranks may not come here.
  ~Window() {
    if (std::uncaught_exceptions() > 0) return;
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

  T* data() const { return memory_; }
  MPI_Win handle() const { return window_; }

 private:
  T* memory_;
  MPI_Win window_;
};

}  // namespace triples
#endif
