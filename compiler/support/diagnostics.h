// Diagnostics: everything a user is told about their input.
//
// A message has an id (kebab-case, listed in diagnostic_ids.h), a place, and says what was found
// and what was expected; it starts in lower case and has no full stop. Notes point to the other
// place involved.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// A range of characters in one of the texts known to a `Sources`.
struct SourceRange {
  std::uint32_t file = 0;   // index in Sources
  std::uint32_t begin = 0;  // byte offsets, half open
  std::uint32_t end = 0;
};

/// A place as it is printed: file, one-based line and column (0: unknown), and the text of the line
/// for the caret (empty: none).
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;
  std::string text;
};

/// The texts of one run. Index 0 is the empty, nameless text, so that a default SourceRange is
/// valid.
class Sources {
 public:
  Sources();
  std::uint32_t add(std::string name, std::string text);
  const std::string& name(std::uint32_t file) const;
  const std::string& text(std::uint32_t file) const;
  Place place(SourceRange range) const;

 private:
  struct File {
    std::string name;
    std::string text;
  };
  std::vector<File> files_;
};

enum class Severity : std::uint8_t { kError, kWarning, kNote };

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string id;  // empty on notes
  Place place;
  std::string message;
};

/// Collects diagnostics; never prints. A stage reports all its errors, then the caller stops.
class Diagnostics {
 public:
  Sources& sources() { return sources_; }
  const Sources& sources() const { return sources_; }

  void error(std::string_view id, SourceRange range, std::string message);
  void error(std::string_view id, Place place, std::string message);
  void warning(std::string_view id, SourceRange range, std::string message);
  /// Belongs to the message before it.
  void note(SourceRange range, std::string message);
  void note(Place place, std::string message);
  void note(std::string message);

  bool has_errors() const { return errors_ > 0; }
  const std::vector<Diagnostic>& all() const { return all_; }
  /// All messages as text, with source lines and carets; sorted in the order they were reported.
  std::string text() const;

 private:
  Sources sources_;
  std::vector<Diagnostic> all_;
  int errors_ = 0;
};

}  // namespace heddle
