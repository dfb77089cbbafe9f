// Random models of one statement: every kind of expression, format, order and density, with data of
// their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

class RandomModel {
 public:
  explicit RandomModel(std::uint64_t seed) : state_(seed * 2 + 1) {}

  /// The text of a model.
  std::string text() {
    const char* type = below(8) == 0 ? "i32" : "f32";
    f32_ = type[0] == 'f';
    static const std::vector<std::string> names{"i", "j", "k", "l"};
    const std::size_t n = 1 + below(4);
    for (std::size_t v = 0; v < n; ++v) {
      indices_.push_back(names[v]);
      sizes_.push_back(below(12) == 0 ? below(2) : 1 + below(6));
    }
    type_ = type;
    std::vector<std::string> left;
    for (const std::string& v : indices_)
      if (below(3) != 0) left.push_back(v);
    shuffle(left);
    // Often another statement comes first, for this one to read and to be fused with.
    const bool two = below(2) == 0;
    std::string first;
    if (two) {
      std::vector<std::string> own;
      for (const std::string& v : indices_)
        if (below(3) != 0) own.push_back(v);
      shuffle(own);
      if (own.size() > 3) own.resize(3);
      if (below(2) == 0)
        declarations_ +=
            "tensor Z[" + join(own, "n") + "]: " + type_ + " " + format(own.size()) + "\n";
      first = "Z[" + join(own, "") + "] = " + expression(2, own) + "\n";
      producer_ = own;
      has_producer_ = true;
    }
    used_ = left;
    const std::string value =
        expression(3, left) +
        (two ? (below(2) == 0 ? " * " : " + ") + std::string("Z[") + join(producer_, "") + "]"
             : "");
    if (two) used_.insert(used_.end(), producer_.begin(), producer_.end());
    std::string text;
    text += "tensor Y[" + join(left, "n") + "]: " + type +
            (below(2) == 0 ? " " + format(left.size()) : "") + "\n";
    text += first + "Y[" + join(left, "") + "] = " + value;
    // The mask is an input: of a computed tensor the format decides what is stored.
    has_producer_ = false;
    if (left.size() >= 1 && below(8) == 0) text += " where " + access(left);
    text += "\noutput Y\n";
    text = declarations_head(text);
    text += "schedule default {}\n";
    if (two) text += "schedule fused { fuse Z, Y }\n";
    std::vector<std::string> order;
    for (const std::string& v : indices_)
      if (std::find(used_.begin(), used_.end(), v) != used_.end()) order.push_back(v);
    shuffle(order);
    if (!order.empty()) order.resize(1 + below(order.size()));
    if (!order.empty()) text += "schedule ordered { order " + join(order, "") + " }\n";
    if (!order.empty())
      text += "schedule lanes { " + std::string(two ? "fuse Z, Y " : "") + "parallel " +
              order.front() + " by " + std::to_string(2 + below(4)) +
              (order.size() > 1 ? " parallel " + order.back() + " by 3" : "") + " }\n";
    if (two) text += "schedule kept { fuse Z, Y keep Z }\n";
    if (order.empty()) return text;
    shuffle(order);
    const std::string tiles = (two ? "fuse Z, Y " : "") + std::string("block ") + join(order, "") +
                              " by " + std::to_string(2 + below(3));
    text += "schedule tiles { " + tiles + " }\n";
    text += "schedule tile_lanes { " + tiles + " parallel " + order.back() + " by 2 }\n";
    if (two) text += "schedule kept_tiles { " + tiles + " keep Z }\n";
    return text;
  }

  std::uint64_t below(std::uint64_t n) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (x ^ (x >> 31)) % n;
  }

 private:
  // `where` may have declared another tensor after the text began; declarations come first anyway.
  std::string declarations_head(const std::string& text) {
    const std::size_t at = text.find("tensor Y");
    std::string sizes;
    for (std::size_t v = 0; v < indices_.size(); ++v)
      sizes += "size n" + indices_[v] + " = " + std::to_string(sizes_[v]) + "\n";
    return sizes + declarations_ + text.substr(at);
  }

  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }
  static std::string join(const std::vector<std::string>& list, const std::string& prefix) {
    std::string text;
    for (const std::string& v : list) text += (text.empty() ? "" : ", ") + prefix + v;
    return text;
  }

  std::string format(std::size_t rank) {
    if (rank == 0) return "dense";
    if (rank == 2 && below(2) == 0) {
      static const std::vector<std::string> named{"dense", "csr", "csc", "dcsr", "coo"};
      return named[below(named.size())];
    }
    std::string levels;
    std::vector<std::string> order;
    for (std::size_t l = 0; l < rank; ++l) {
      levels += (l == 0 ? "" : ", ") + std::string(below(2) == 0 ? "dense" : "compressed");
      order.push_back(std::to_string(l));
    }
    shuffle(order);
    return "{" + levels + "} order (" + join(order, "") + ")";
  }

  std::string access(const std::vector<std::string>& indices) {
    if (has_producer_ && below(4) == 0) {
      used_.insert(used_.end(), producer_.begin(), producer_.end());
      return "Z[" + join(producer_, "") + "]";
    }
    used_.insert(used_.end(), indices.begin(), indices.end());
    // Now and then a tensor that is there already with these indices.
    for (const auto& [name, has] : tensors_)
      if (has == indices && below(3) == 0) return name + "[" + join(indices, "") + "]";
    const std::string name = "T" + std::to_string(tensors_.size());
    static const std::vector<std::string> densities{"0", "0.15", "0.4", "0.7", "1"};
    declarations_ += "tensor " + name + "[" + join(indices, "n") + "]: " + type_ + " " +
                     format(indices.size()) +
                     " = random(density: " + densities[below(densities.size())] +
                     ", seed: " + std::to_string(1 + below(1000)) + ")\n";
    tensors_.emplace_back(name, indices);
    return name + "[" + join(indices, "") + "]";
  }

  std::vector<std::string> some(const std::vector<std::string>& from) {
    std::vector<std::string> chosen;
    for (const std::string& v : from)
      if (below(3) != 0) chosen.push_back(v);
    shuffle(chosen);
    return chosen;
  }

  std::string expression(int depth, const std::vector<std::string>& scope) {
    // Indices that are not on the left are summed implicitly where that is clear.
    if (depth == 0 || below(5) == 0) {
      std::vector<std::string> chosen = some(below(2) == 0 ? indices_ : scope);
      if (chosen.size() > 3) chosen.resize(3);
      if (below(15) == 0 && !chosen.empty()) chosen.push_back(chosen[0]);  // a repeated index
      return access(chosen);
    }
    const auto sub = [&] { return expression(depth - 1, scope); };
    switch (below(f32_ ? 14 : 10)) {
      case 0:
      case 1:
      case 2:
        return sub() + " * " + sub();
      case 3:
        return "(" + sub() + " + " + sub() + ")";
      case 4:
        return "(" + sub() + " - " + sub() + ")";
      case 5:
        return "max(" + sub() + ", " + sub() + ")";
      case 6:
        return "relu(" + sub() + ")";
      case 7: {
        static const std::vector<std::string> reductions{"sum", "max", "min", "sum"};
        const std::string& v = indices_[below(indices_.size())];
        std::vector<std::string> inner = scope;
        inner.push_back(v);
        used_.push_back(v);
        return reductions[below(reductions.size())] + "(" + v + ": " +
               expression(depth - 1, inner) + ")";
      }
      case 8:
        return "(" + sub() + " + " + sub() + " + " + sub() + ")";
      case 9:
        return "(" + sub() + ") * 3";
      case 10:
        return "0.5 * " + sub();
      case 11:
        return "tanh(" + sub() + ")";
      case 12:
        return below(2) == 0 ? "exp(" + sub() + ")" : "(" + sub() + " + 1)";
      default:
        return "select(" + sub() + ", " + sub() + ", " + sub() + ")";
    }
  }

  std::uint64_t state_;
  bool f32_ = true;
  bool has_producer_ = false;
  std::vector<std::string> producer_;
  std::string type_;
  std::vector<std::string> indices_;
  std::vector<std::string> used_;
  std::vector<std::uint64_t> sizes_;
  std::string declarations_;
  std::vector<std::pair<std::string, std::vector<std::string>>> tensors_;
};

}  // namespace heddle
