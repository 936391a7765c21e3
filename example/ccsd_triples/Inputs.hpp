// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../Ranks.hpp"
#include "SpreadAmplitudes.hpp"
#include "Triples.hpp"

namespace triples {

/// The file of make_triples.py.
class File {
 public:
  /// What the file begins with.
  struct Header {
    char magic[8];
    unsigned version, order, occupied, virtuals, unused[2];
    double hartree_fock, ccsd;
    Energies reference;
  };

  /// \throw std::runtime_error if it is no such file, or shorter than it says.
  explicit File(const std::string& name) : file_(name, std::ios::binary) {
    if (!file_) throw std::runtime_error(name + ": cannot open");
    if (!file_.read(reinterpret_cast<char*>(&header), sizeof header) ||
        std::memcmp(header.magic, "KCTRIPLE", 8) != 0 || header.version != 1 || header.order != 0)
      throw std::runtime_error(name + " is no file of make_triples.py");
    const double o = header.occupied, v = header.virtuals;
    const double numbers = o + v + v * o + v * v * o * o + v * o * v * v + o * v * v * o +
                           o * o * v * o + o * o * v * v;
    file_.seekg(0, std::ios::end);
    if (static_cast<double>(file_.tellg()) < sizeof header + sizeof(double) * numbers)
      throw std::runtime_error(name + " is too short");
    file_.seekg(sizeof header);
  }

  int occupied() const { return static_cast<int>(header.occupied); }
  int virtuals() const { return static_cast<int>(header.virtuals); }

  void read_energies_and_singles(const Amplitudes& x) {
    file_.seekg(sizeof header);
    read(x.e_occupied);
    read(x.e_virtual);
    read(x.t1);
  }

  /// Fills a part of a tensor, which may have gaps.
  void read(const TensorOfFour& tensor, const Tensor<double****>& part, int begin) {
    const int o = occupied(), v = virtuals();
    std::size_t position = o + v + v * o;
    for (const TensorOfFour* other = tensors_of_four; other != &tensor; ++other) {
      const Extents n = extents_of(*other, o, v);
      position += static_cast<std::size_t>(n[0]) * n[1] * n[2] * n[3];
    }
    // The file has v2[h_c, h_b, p_a, m]; the summed index becomes the fastest.
    const bool is_v2_h = tensor.member == &Amplitudes::v2_h;
    Extents n{};
    for (int d = 0; d < 4; ++d) n[d] = part.extent_int(is_v2_h ? (d + 1) % 4 : d);
    const int axis = is_v2_h ? 2 : tensor.axis;
    const Tensor<double****> packed("a part of the file", n[0], n[1], n[2], n[3]);
    read_part(packed, axis, begin, position);
    if (!is_v2_h) return Kokkos::deep_copy(part, packed);
    Kokkos::parallel_for(
        Kokkos::MDRangePolicy<Kokkos::Rank<4>>({0, 0, 0, 0}, {n[0], n[1], n[2], n[3]}),
        KOKKOS_LAMBDA(int c, int b, int a, int m) { part(m, c, b, a) = packed(c, b, a, m); });
  }

  Header header{};

 private:
  template <class View>
  void read(const View& view) {
    const auto host = Kokkos::create_mirror_view(view);
    read(host.data(), host.span());
    Kokkos::deep_copy(view, host);
  }
  void read(double* to, std::size_t count) {
    file_.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(double)));
    if (!file_) throw std::runtime_error("cannot read the file");
  }
  /// Reads the runs of numbers that are next to each other in a tensor of v virtual orbitals.
  void read_part(const Tensor<double****>& packed, int axis, int begin, std::size_t position) {
    const auto host = Kokkos::create_mirror_view(packed);
    const std::size_t inner = packed.stride(axis);
    const std::size_t run = inner * packed.extent(axis);
    for (std::size_t done = 0; done < packed.size(); done += run) {
      const std::size_t before = position + inner * (begin + done / run * header.virtuals);
      file_.seekg(static_cast<std::streamoff>(sizeof header + before * sizeof(double)));
      read(host.data() + done, run);
    }
    Kokkos::deep_copy(packed, host);
  }

  std::ifstream file_;
};

/// Half of a rank's share of the memory in which kernels read tensors.
inline double default_memory(const example::Ranks& ranks) {
  double bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  int sharers = ranks.size_of_node();
#if defined(KOKKOS_ENABLE_CUDA)
  bytes = static_cast<double>(Kokkos::Cuda().cuda_device_prop().totalGlobalMem);
#elif defined(KOKKOS_ENABLE_HIP)
  bytes = static_cast<double>(Kokkos::HIP().hip_device_prop().totalGlobalMem);
#endif
  if (const int devices = Kokkos::num_devices(); devices > 0)
    sharers = (sharers + devices - 1) / devices;
  return bytes / 2 / sharers;
}

/// Blocks of virtual orbitals that leave a few sets of three blocks for each rank, in slots that
/// fit into the memory. Lengths are multiples of `width`.
/// \throw std::invalid_argument if the smallest ones do not fit
inline Blocks choose_blocks(int o, int v, double memory, int ranks, int width) {
  const auto fits = [&](const Blocks& b) { return bytes_of_tensors(o, v, b.held()) <= memory; };
  int count = 1;
  while (count * (count + 1) * (count + 2) / 6 < 8 * ranks) ++count;
  const int widths = (v + width - 1) / width;
  Blocks blocks{v, width * ((widths + count - 1) / count), 0};
  for (;; blocks.length -= width) {
    blocks.slots = std::min(4, blocks.count());
    if (fits(blocks)) break;
    if (blocks.length == width)
      throw std::invalid_argument(
          "option --memory: blocks of " + std::to_string(width) + " virtual orbitals need " +
          std::to_string(static_cast<std::int64_t>(bytes_of_tensors(o, v, blocks.held()))) +
          " bytes");
  }
  while (blocks.slots < blocks.count()) {
    Blocks more = blocks;
    ++more.slots;
    if (!fits(more)) break;
    blocks = more;
  }
  return blocks;
}

#ifdef EXAMPLE_MPI
inline constexpr bool can_spread = true;
#else
inline constexpr bool can_spread = false;
#endif

struct InputOptions {
  std::string data;
  int occupied = 0, virtuals = 0;  // for random amplitudes; 0: read the data
  std::string replicate = "auto";
  double memory = 0;  // 0: half of what a rank may have
};

/// The amplitudes, as this rank holds them.
class Inputs {
 public:
  /// Collective. The virtual orbitals of a tile are `width`.
  /// \throw example::Stopped if a rank cannot read its file, or if the smallest blocks do not fit
  Inputs(const example::Ranks& ranks, const InputOptions& options, int width) {
    int o = options.occupied, v = options.virtuals;
    ranks.together([&] {
      if (o > 0) return;
      file_ = std::make_unique<File>(options.data);
      o = file_->occupied();
      v = file_->virtuals();
    });
    require_same_file(ranks);
    ranks.together([&] {
      x_ = allocate_energies_and_singles(o, v);
      if (file_)
        file_->read_energies_and_singles(x_);
      else
        fill_with_energies_and_singles(x_);
    });
    const double own = options.memory > 0 ? options.memory : default_memory(ranks);
    const auto memory = static_cast<double>(ranks.min(static_cast<std::int64_t>(own)));
    const bool fits = bytes_of_tensors(o, v, v) <= memory;
    if (!can_spread || options.replicate == "yes" || (options.replicate == "auto" && fits)) {
      blocks_ = {v, v, 1};
      ranks.together([&] {
        for (const TensorOfFour& tensor : tensors_of_four) {
          x_.*tensor.member = allocate(tensor, extents_of(tensor, o, v));
          fill(tensor, x_.*tensor.member, 0);
        }
      });
    } else {
      ranks.together([&] { blocks_ = choose_blocks(o, v, memory, ranks.size(), width); });
      spread(ranks);
    }
  }

  /// The tensors of four indices have the virtual orbitals that are held.
  const Amplitudes& held() const { return x_; }
  const Blocks& blocks() const { return blocks_; }
  /// What is known of a molecule.
  const File::Header* header() const { return file_ ? &file_->header : nullptr; }

#ifdef EXAMPLE_MPI
  bool is_replicated() const { return spread_ == nullptr; }
  /// Holds the blocks of c, b and a. Returns the kernel's shift.
  Index hold(const Index& block) { return is_replicated() ? Index{} : spread_->hold(block); }
  double fetched_bytes() const { return is_replicated() ? 0 : spread_->fetched_bytes(); }
#else
  bool is_replicated() const { return true; }
  Index hold(const Index&) { return {}; }
  double fetched_bytes() const { return 0; }
#endif

 private:
  void require_same_file(const example::Ranks& ranks) const {
    const bool is_same =
        !file_ || ranks.agree(std::string_view(reinterpret_cast<const char*>(&file_->header),
                                               sizeof file_->header));
    ranks.together([&] {
      if (!is_same) throw std::runtime_error("the ranks have different files");
    });
  }
  void fill(const TensorOfFour& tensor, const Tensor<double****>& part, int begin) const {
    if (file_)
      file_->read(tensor, part, begin);
    else
      fill_with_numbers(tensor, part, begin, x_.virtuals());
  }
#ifdef EXAMPLE_MPI
  void spread(const example::Ranks& ranks) {
    spread_ = std::make_unique<SpreadAmplitudes>(
        ranks, x_, blocks_,
        [this](const TensorOfFour& tensor, const Tensor<double****>& part, int begin) {
          fill(tensor, part, begin);
        });
    x_ = spread_->held();
  }
  std::unique_ptr<SpreadAmplitudes> spread_;
#else
  void spread(const example::Ranks&) {}
#endif

  Amplitudes x_;
  Blocks blocks_{};
  std::unique_ptr<File> file_;
};

}  // namespace triples
