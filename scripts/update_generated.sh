#!/usr/bin/env bash
# Writes what is generated from the rows of the block library: rtl/sam_pkg.sv, and the table in rtl/README.md.
# usage: scripts/update_generated.sh [--check]      --check changes nothing; exit status 1 if something is stale
# HEDDLE names the program to ask; default: build/heddle, built first.
set -euo pipefail
cd "$(dirname "$0")/.."

check=false
if [[ ${1:-} == --check ]]; then check=true; fi
if [[ -z ${HEDDLE:-} ]]; then
  scripts/build.sh
  HEDDLE=build/heddle
fi

stale=0
put() {  # file, its new text: replaces the file, or compares it
  if cmp -s "$1" "$2"; then return; fi
  stale=$((stale + 1))
  if $check; then
    echo "generated: $1 is stale; scripts/update_generated.sh renews it"
    diff -u "$1" "$2" | head -20 || true
  else
    cat "$2" > "$1"
    echo "generated: $1"
  fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$HEDDLE" describe --sv > "$work/sam_pkg.sv"
put rtl/sam_pkg.sv "$work/sam_pkg.sv"

"$HEDDLE" describe > "$work/table"
grep -q '<!-- blocks:begin' rtl/README.md && grep -q '<!-- blocks:end' rtl/README.md || {
  echo "generated: rtl/README.md has no markers blocks:begin and blocks:end" >&2
  exit 1
}
awk -v table="$work/table" '
  /<!-- blocks:end/ { inside = 0 }
  !inside { print }
  /<!-- blocks:begin/ { inside = 1; while ((getline line < table) > 0) print line }
' rtl/README.md > "$work/README.md"
put rtl/README.md "$work/README.md"

if [[ $stale -eq 0 ]]; then echo "generated: everything is current"; fi
if $check && [[ $stale -gt 0 ]]; then exit 1; fi
