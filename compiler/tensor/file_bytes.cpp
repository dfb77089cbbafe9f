#include "compiler/tensor/file_bytes.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>

#include "compiler/support/check.h"

namespace heddle {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr std::string_view kGzipMagic = "\x1f\x8b";

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

/// Collects errors about one file; they have no line.
class FileErrors {
 public:
  FileErrors(const std::filesystem::path& path, Diagnostics& diag)
      : path_(path.string()), diag_(diag) {}
  std::nullopt_t report(std::string_view id, std::string message) {
    diag_.error(id, Place{.file = path_, .text = {}}, std::move(message));
    return std::nullopt;
  }

 private:
  std::string path_;
  Diagnostics& diag_;
};

/// Inflates one gzip member after another.
class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    const int status = inflateInit2(&stream_, kGzipOnly);
    HEDDLE_CHECK(status == Z_OK, "zlib does not start: {}", status);
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  enum class Status : std::uint8_t { kGood, kCorrupt, kTooLong };

  /// Appends what `chunk` unpacks to.
  Status add(std::string_view chunk, std::string& out, std::uint64_t limit) {
    // zlib's interface predates const; it does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(chunk.data()));
    stream_.avail_in = static_cast<uInt>(chunk.size());
    do {
      if (between_members_ && !start_member()) return Status::kGood;
      std::array<char, kChunk> buffer;
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_BUF_ERROR) break;  // there was nothing left to do
      if (status != Z_OK && status != Z_STREAM_END) return Status::kCorrupt;
      const std::size_t made = buffer.size() - stream_.avail_out;
      if (out.size() + made > limit) return Status::kTooLong;
      out.append(buffer.data(), made);
      between_members_ = status == Z_STREAM_END;
    } while (stream_.avail_in > 0 || stream_.avail_out == 0);
    return Status::kGood;
  }

  bool complete() const { return between_members_; }

 private:
  /// Skips zero padding; false if nothing follows it.
  bool start_member() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0 && started_) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) return false;
    if (started_) inflateReset(&stream_);
    started_ = true;
    return true;
  }

  z_stream stream_{};
  bool between_members_ = true;
  bool started_ = false;
};

}  // namespace

std::optional<std::string> read_file(const std::filesystem::path& path, Packing packing,
                                     Diagnostics& diag, std::uint64_t limit) {
  FileErrors errors(path, diag);
  const FileHandle file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    return errors.report("data-open", fmt::format("the file cannot be opened: {}",
                                                  std::generic_category().message(errno)));
  }
  const auto too_long = [&] {
    return errors.report("data-size",
                         fmt::format("the file holds more than the {} bytes that are read", limit));
  };

  std::string out;
  Inflater inflater;
  bool first = true;
  std::array<char, kChunk> buffer;
  for (;;) {
    const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), file.get());
    if (std::ferror(file.get()) != 0) {
      return errors.report("data-open", fmt::format("the file cannot be read: {}",
                                                    std::generic_category().message(errno)));
    }
    const std::string_view chunk(buffer.data(), size);
    if (first && packing == Packing::kGzip && !chunk.starts_with(kGzipMagic)) {
      return errors.report("data-gzip", chunk.empty()
                                            ? "the file is empty; its name says that it is gzipped"
                                            : "the file is not gzipped; its name says that it is");
    }
    if (first && packing == Packing::kPlain && chunk.starts_with(kGzipMagic)) {
      return errors.report("data-gzip", "the file is gzipped; its name should end in .gz");
    }
    first = false;
    if (size == 0) break;
    if (packing == Packing::kPlain) {
      if (out.size() + size > limit) return too_long();
      out += chunk;
      continue;
    }
    const Inflater::Status status = inflater.add(chunk, out, limit);
    if (status == Inflater::Status::kTooLong) return too_long();
    if (status == Inflater::Status::kCorrupt) {
      return errors.report("data-gzip", "the gzipped data is corrupt");
    }
  }
  if (packing == Packing::kGzip && !inflater.complete()) {
    return errors.report("data-gzip", "the gzipped data ends too early");
  }
  return out;
}

}  // namespace heddle
