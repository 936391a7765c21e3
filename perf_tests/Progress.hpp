// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_PROGRESS_HPP
#define KOKKOSCONTRACT_PERF_PROGRESS_HPP

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

namespace perf {

/// The progress of a long run: a line of a terminal that disappears when something else is printed.
class Progress {
 public:
  /// Shows nothing if `file` is no terminal.
  explicit Progress(std::FILE* file = stderr) : file_(file), shows_(isatty(fileno(file)) != 0) {}

  bool shows() const { return shows_; }
  /// Begins a run of this many parts.
  void begin(int parts) {
    parts_ = parts;
    done_ = -1;
    part_.clear();
    start_ = std::chrono::steady_clock::now();
  }
  /// Begins a part, or continues it if it has the name of the last one. The part before is done.
  void enter(const std::string& part) {
    if (!shows_) return;
    if (done_ < 0 || part != part_) done_ = std::min(done_ + 1, std::max(parts_ - 1, 0));
    part_ = part;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    winsize window{};
    const bool has_width = ioctl(fileno(file_), TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
    // A line that is wrapped could not be erased.
    const std::size_t width = has_width ? window.ws_col - 1u : 79;
    std::fprintf(file_, "\r%s\033[K", text(part, done_, parts_, elapsed.count(), width).c_str());
    std::fflush(file_);
  }
  /// Makes room for other output.
  void leave() {
    if (!shows_) return;
    std::fputs("\r\033[K", file_);
    std::fflush(file_);
  }

  /// The line: parts done, the time left if the others take as long, and the part that runs.
  static std::string text(const std::string& part, int done, int parts, double seconds,
                          std::size_t width) {
    std::string line = "[" + std::to_string(done) + " of " + std::to_string(parts);
    if (done > 0) {
      const double left = seconds / done * (parts - done);
      char time[32];
      std::snprintf(time, sizeof time, ", %d:%02d left", static_cast<int>(left) / 60,
                    static_cast<int>(left) % 60);
      line += time;
    }
    return (line + "] " + part).substr(0, width);
  }

 private:
  std::FILE* file_;
  bool shows_;
  int parts_ = 0, done_ = -1;
  std::string part_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace perf

#endif
