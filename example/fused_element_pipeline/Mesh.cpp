// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Mesh.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <unordered_map>

#include "Basis.hpp"

namespace example {
namespace {

using Point = std::array<double, 3>;

// This is not "'" + std::string(text), because GCC 12 warns of that (its bug 105651).
std::string quoted(std::string_view text) {
  std::string result = "'";
  result += text;
  result += '\'';
  return result;
}

/// The lines of a file, one at a time, as words. It knows the position of an error.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), in_(path, std::ios::binary) {
    if (!in_) throw std::runtime_error(path + ": cannot open this file");
  }

  [[noreturn]] void fail(const std::string& what) const { fail_at(std::max(number_, 1), what); }
  [[noreturn]] void fail_at(int number, const std::string& what) const {
    throw std::runtime_error(path_ + ":" + std::to_string(number) + ": " + what);
  }

  /// Moves to the next line that is not blank. Returns false at the end of the file.
  bool next() {
    while (std::getline(in_, line_)) {
      ++number_;
      words_.clear();
      const std::string_view line = line_;
      constexpr std::string_view blank = " \t\r\v\f";
      for (std::size_t begin = line.find_first_not_of(blank); begin != line.npos;) {
        const std::size_t end = std::min(line.find_first_of(blank, begin), line.size());
        words_.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(blank, end);
      }
      if (!words_.empty()) return true;
    }
    return false;
  }

  /// Moves to the next line, which holds `count` words inside the section that has begun.
  void next(std::size_t count, const char* what) {
    if (!next()) fail("the file ends inside $" + section_ + ", where " + what + " should follow");
    if (words_[0].front() == '$') fail(quoted(words_[0]) + " where " + what + " should be");
    if (words_.size() != count)
      fail("expected " + std::to_string(count) + " numbers (" + what + "), found " +
           std::to_string(words_.size()));
  }

  void begin_section() { section_ = words_[0].substr(1); }
  void end_section() {
    if (!next()) fail("the file ends inside $" + section_);
    if (words_[0] != "$End" + section_) fail("expected $End" + section_);
  }
  void skip_section() {
    const int begin = number_;
    do
      if (!next()) fail_at(begin, "$" + section_ + " begins here and does not end");
    while (words_[0] != "$End" + section_);
  }

  template <class Number>
  Number number(std::size_t word) const {
    Number value{};
    const char* end = words_[word].data() + words_[word].size();
    const auto result = std::from_chars(words_[word].data(), end, value);
    bool good = result.ec == std::errc{} && result.ptr == end;
    if constexpr (std::is_floating_point_v<Number>) good = good && std::isfinite(value);
    if (!good)
      fail(quoted(words_[word]) + " is not a " +
           (std::is_floating_point_v<Number> ? "finite number"
            : std::is_signed_v<Number>       ? "whole number"
                                             : "whole number >= 0"));
    return value;
  }

  std::string_view word(std::size_t i) const { return words_[i]; }
  int line() const { return number_; }

 private:
  std::string path_, line_, section_;
  std::ifstream in_;
  std::vector<std::string_view> words_;
  int number_ = 0;  // number of the line
};

using Tag = std::uint64_t;

void read_format(Lines& in) {
  in.next(3, "version, file type, data size");
  if (in.word(0) != "4.1")
    in.fail("format version " + std::string(in.word(0)) + " is not supported, only 4.1");
  const int type = in.number<int>(1);
  if (type == 1) in.fail("this is a binary file; only ASCII is supported (Mesh.Binary = 0)");
  if (type != 0) in.fail("unknown file type " + std::to_string(type));
  in.end_section();
}

std::unordered_map<Tag, Point> read_nodes(Lines& in) {
  std::unordered_map<Tag, Point> nodes;
  in.next(4, "node blocks, nodes, smallest tag, largest tag");
  const Tag blocks = in.number<Tag>(0), total = in.number<Tag>(1);
  for (Tag block = 0; block < blocks; ++block) {
    in.next(4, "entity dimension, entity tag, parametric, nodes");
    const int dimension = in.number<int>(0);
    const bool parametric = in.number<int>(2) != 0;
    const Tag count = in.number<Tag>(3);
    if (dimension < 0 || dimension > 3) in.fail("an entity dimension must be 0, 1, 2 or 3");
    std::vector<Point*> points;
    for (Tag i = 0; i < count; ++i) {
      in.next(1, "a node tag");
      const auto [node, is_new] = nodes.try_emplace(in.number<Tag>(0));
      if (!is_new) in.fail("node " + std::string(in.word(0)) + " appears twice");
      points.push_back(&node->second);  // stays valid: a map's nodes do not move
    }
    for (Point* point : points) {
      in.next(parametric ? 3 + dimension : 3, "node coordinates");
      for (int d = 0; d < 3; ++d) (*point)[d] = in.number<double>(d);
    }
  }
  if (nodes.size() != total)
    in.fail("$Nodes announced " + std::to_string(total) + " nodes and holds " +
            std::to_string(nodes.size()));
  in.end_section();
  return nodes;
}

/// Gmsh numbers corners, then edges, then faces, then the middle. This table has the position of
/// each of its nodes in {0, 1, 2}^3.
constexpr int gmsh_nodes[27][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2},
                                   {2, 2, 2}, {0, 2, 2}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 1, 0},
                                   {2, 0, 1}, {1, 2, 0}, {2, 2, 1}, {0, 2, 1}, {1, 0, 2}, {0, 1, 2},
                                   {2, 1, 2}, {1, 2, 2}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {2, 1, 1},
                                   {1, 2, 1}, {1, 1, 2}, {1, 1, 1}};

/// The 27-node form of a trilinear hexahedron.
Hexahedron elevate(const std::array<Point, 8>& corners) {
  const Table halves = lagrange({-1, 1}, {-1, 0, 1});
  const Table weights = tensor_product(halves, halves, halves);
  Hexahedron hexahedron{};
  for (int i = 0; i < 27; ++i)
    for (int corner = 0; corner < 8; ++corner)
      for (int d = 0; d < 3; ++d) hexahedron[i][d] += weights(i, corner) * corners[corner][d];
  return hexahedron;
}

/// det J at given points of the reference cube.
class JacobianDeterminant {
 public:
  /// \param points in each direction
  explicit JacobianDeterminant(const std::vector<double>& points)
      : JacobianDeterminant(lagrange({-1, 0, 1}, points), lagrange_derivative({-1, 0, 1}, points)) {
  }
  int points() const { return gradient_[0].rows(); }
  double operator()(const Hexahedron& nodes, int point) const {
    double j[3][3] = {};  // j[c][d] = dx_c / dxi_d
    for (int i = 0; i < 27; ++i)
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 3; ++d) j[c][d] += nodes[i][c] * gradient_[d](point, i);
    return j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) +
           j[0][1] * (j[1][2] * j[2][0] - j[1][0] * j[2][2]) +
           j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
  }

 private:
  JacobianDeterminant(const Table& value, const Table& slope)
      : gradient_{tensor_product(slope, value, value), tensor_product(value, slope, value),
                  tensor_product(value, value, slope)} {}
  std::array<Table, 3> gradient_;
};

/// The smallest det J over the nodes and the Gauss points. All must be positive for a one-to-one
/// map; this detects inverted and degenerate elements.
double smallest_determinant(const Hexahedron& nodes) {
  static const JacobianDeterminant determinant([] {
    std::vector<double> points = gauss_legendre(3).points;
    points.insert(points.end(), {-1.0, 1.0});
    return points;
  }());
  double smallest = determinant(nodes, 0);
  for (int q = 1; q < determinant.points(); ++q)
    smallest = std::min(smallest, determinant(nodes, q));
  return smallest;
}

Mesh read_elements(Lines& in, const std::unordered_map<Tag, Point>& nodes) {
  const int section = in.line();
  Mesh mesh;
  Tag found = 0;
  in.next(4, "element blocks, elements, smallest tag, largest tag");
  const Tag blocks = in.number<Tag>(0), total = in.number<Tag>(1);
  for (Tag block = 0; block < blocks; ++block) {
    in.next(4, "entity dimension, entity tag, element type, elements");
    const int type = in.number<int>(2);
    const Tag count = in.number<Tag>(3);
    found += count;
    if (type != 5 && type != 12) {
      for (Tag i = 0; i < count; ++i)
        if (!in.next() || in.word(0).front() == '$') in.fail("this block of elements is too short");
      continue;
    }
    const std::size_t n = type == 5 ? 8 : 27;
    for (Tag i = 0; i < count; ++i) {
      in.next(1 + n, n == 8 ? "an element tag and 8 node tags" : "an element tag and 27 node tags");
      std::array<Point, 27> points;
      for (std::size_t k = 0; k < n; ++k) {
        const auto node = nodes.find(in.number<Tag>(1 + k));
        if (node == nodes.end())
          in.fail("node " + std::string(in.word(1 + k)) + " is not in $Nodes");
        points[k] = node->second;
      }
      Hexahedron hexahedron;
      if (n == 8) {
        std::array<Point, 8> corners;
        for (int k = 0; k < 8; ++k)
          corners[gmsh_nodes[k][0] / 2 + gmsh_nodes[k][1] + 2 * gmsh_nodes[k][2]] = points[k];
        hexahedron = elevate(corners);
      } else {
        for (int k = 0; k < 27; ++k)
          hexahedron[gmsh_nodes[k][0] + 3 * gmsh_nodes[k][1] + 9 * gmsh_nodes[k][2]] = points[k];
      }
      if (const double smallest = smallest_determinant(hexahedron); !(smallest > 0)) {
        std::ostringstream message;
        message << "element " << in.word(0) << " is inverted or degenerate: its smallest Jacobian "
                << "determinant is " << smallest;
        in.fail(message.str());
      }
      mesh.push_back(hexahedron);
    }
  }
  if (found != total)
    in.fail("$Elements announced " + std::to_string(total) + " elements and holds " +
            std::to_string(found));
  in.end_section();
  if (mesh.empty()) in.fail_at(section, "no hexahedra (element types 5 and 12) in this mesh");
  return mesh;
}

}  // namespace

Mesh read_gmsh(const std::string& path) {
  Lines in(path);
  if (!in.next() || in.word(0) != "$MeshFormat")
    in.fail("not a Gmsh mesh: it should begin with $MeshFormat");
  in.begin_section();
  read_format(in);

  std::unordered_map<Tag, Point> nodes;
  Mesh mesh;
  while (in.next()) {
    if (in.word(0).front() != '$' || in.word(0).substr(1, 3) == "End")
      in.fail("expected the beginning of a section, found " + quoted(in.word(0)));
    const std::string section(in.word(0));
    in.begin_section();
    if (section == "$Nodes") {
      if (!nodes.empty()) in.fail("a second section $Nodes");
      nodes = read_nodes(in);
    } else if (section == "$Elements") {
      if (nodes.empty()) in.fail("$Elements without $Nodes before it");
      if (!mesh.empty()) in.fail("a second section $Elements");
      mesh = read_elements(in, nodes);
    } else {
      in.skip_section();
    }
  }
  if (mesh.empty()) in.fail("the file ends without a section $Elements");
  return mesh;
}

double volume(const Mesh& mesh, int n) {
  const Quadrature rule = gauss_legendre(n);
  const JacobianDeterminant determinant(rule.points);
  double sum = 0;
  for (const Hexahedron& nodes : mesh) {
    double element = 0;
    for (int q = 0; q < determinant.points(); ++q)
      element += rule.weights[q % n] * rule.weights[q / n % n] * rule.weights[q / n / n] *
                 determinant(nodes, q);
    sum += element;
  }
  return sum;
}

Mesh straight_cube() {
  Mesh mesh(1);
  for (int g = 0; g < 27; ++g) {
    const int at[3] = {g % 3, g / 3 % 3, g / 9};
    for (int d = 0; d < 3; ++d) mesh[0][g][d] = at[d] - 1.0;
  }
  return mesh;
}

Mesh curved_box(int n) {
  Mesh mesh;
  for (int e = 0; e < n * n * n; ++e) {
    const int first[3] = {e % n, e / n % n, e / n / n};
    Hexahedron& element = mesh.emplace_back();
    for (int g = 0; g < 27; ++g) {
      const int step[3] = {g % 3, g / 3 % 3, g / 9};
      double x[3];
      for (int d = 0; d < 3; ++d) x[d] = -1 + (2 * first[d] + step[d]) / static_cast<double>(n);
      for (int d = 0; d < 3; ++d) element[g][d] = x[d] + 0.1 * x[(d + 1) % 3] * x[(d + 2) % 3];
    }
  }
  return mesh;
}

}  // namespace example
