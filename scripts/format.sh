#!/usr/bin/env bash
# Formats C++ files by .clang-format.
# usage: scripts/format.sh [--check] [file ...]      default: all; --check changes nothing, lists files, exit status 1 if any
set -euo pipefail
cd "$(dirname "$0")/.."

check=false
if [[ ${1:-} == --check ]]; then
  check=true
  shift
fi
if ! command -v clang-format > /dev/null; then
  echo "format: clang-format is not installed; nothing done"
  exit 0
fi
files=("$@")
if [[ ${#files[@]} -eq 0 ]]; then mapfile -t files < <(git ls-files '*.cpp' '*.h' ':!testbench/design/standalone_*'); fi  # a template with places to fill in

differ=0
for file in "${files[@]}"; do
  if cmp -s "$file" <(clang-format "$file"); then continue; fi
  differ=$((differ + 1))
  if $check; then echo "format: $file"; else clang-format -i "$file"; fi
done
if $check; then echo "format: $differ of ${#files[@]} files differ"; else echo "format: $differ of ${#files[@]} files changed"; fi
if $check && [[ $differ -gt 0 ]]; then exit 1; fi
