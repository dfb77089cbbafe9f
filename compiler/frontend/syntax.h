// A model as it is written: names are text, macros and implicit sums are still to be expanded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/einsum/einsum_program.h"

namespace heddle::frontend {

struct Name {
  std::string text;
  SourceRange range;
};

struct AccessSyntax {
  Name tensor;
  std::vector<Name> indices;
  SourceRange range;
};

struct ExprSyntax;
using ExprSyntaxPtr = std::unique_ptr<ExprSyntax>;

struct ExprSyntax {
  enum class Kind : std::uint8_t {
    kNumber,  // number
    kAccess,  // access
    kNegate,  // -args[0]
    kInfix,   // args[0] op args[1]
    kCall,    // name(args...)
    kReduce,  // name(indices: args...); one argument but for macros
    kSize,    // size(indices[0])
  };
  Kind kind = Kind::kNumber;
  bool parenthesized = false;
  char op = 0;
  double number = 0;
  AccessSyntax access;
  Name name;
  std::vector<Name> indices;
  std::vector<ExprSyntaxPtr> args;
  int height = 1;  // of the tree below
  SourceRange range;
};

struct TensorSyntax {
  Name name;
  std::vector<Name> modes;  // symbols or numbers
  ValueType type = ValueType::kF32;
  std::optional<TensorFormat> format;
  Binding binding;
};

struct SizeSyntax {
  Name name;
  std::uint32_t value = 0;
};

struct StatementSyntax {
  AccessSyntax target;
  ExprSyntaxPtr value;
  std::optional<AccessSyntax> where;
  SourceRange range;
};

struct ModelSyntax {
  std::vector<TensorSyntax> tensors;
  std::vector<SizeSyntax> sizes;
  std::vector<StatementSyntax> statements;
  std::vector<Name> outputs;
  std::vector<Schedule> schedules;
};

}  // namespace heddle::frontend
