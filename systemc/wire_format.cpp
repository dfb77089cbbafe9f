#include "systemc/wire_format.h"

#include <cstring>
#include <type_traits>

namespace heddle::sc {
namespace {

class Writer {
 public:
  template <class T>
  void operator()(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes += text;
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    (*this)(list.size());
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (!list.empty())
        bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
    } else {
      for (const T& element : list) (*this)(element);
    }
  }
  std::string bytes;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    copy(&value, sizeof value);
  }
  void operator()(std::string& text) {
    text.resize(size(1));
    copy(text.data(), text.size());
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      list.resize(size(sizeof(T)));
      copy(list.data(), list.size() * sizeof(T));
    } else {
      list.resize(size(sizeof(std::size_t)));  // an element has a size at least
      for (T& element : list) (*this)(element);
    }
  }
  bool complete() const { return good_ && at_ == bytes_.size(); }

 private:
  /// The number of elements that follow, if so many can.
  std::size_t size(std::size_t least_bytes) {
    std::size_t n = 0;
    copy(&n, sizeof n);
    if (n > (bytes_.size() - at_) / least_bytes) {
      good_ = false;
      n = 0;
    }
    return n;
  }
  void copy(void* to, std::size_t n) {
    if (n > bytes_.size() - at_) {
      good_ = false;
      return;
    }
    if (n != 0) std::memcpy(to, bytes_.data() + at_, n);
    at_ += n;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

template <class Result, class Visitor>
void visit(Result& r, Visitor& each) {
  each(r.outcome);
  each(r.problem);
  each(r.fault);
  each(r.fault_node);
  each(r.cycles);
  each(r.firings);
  each(r.counters);
  each(r.hashes);
  each(r.trace);
  each(r.streams);
  each(r.memories);
  each(r.statuses);
  each(r.words_read);
  each(r.words_written);
  each(r.seconds);
}

}  // namespace

std::string to_bytes(const RunResult& result) {
  Writer writer;
  visit(result, writer);
  return std::move(writer.bytes);
}

std::optional<RunResult> from_bytes(const std::string& bytes) {
  RunResult result;
  Reader reader(bytes);
  visit(result, reader);
  if (!reader.complete()) return std::nullopt;
  return result;
}

}  // namespace heddle::sc
