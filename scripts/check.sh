#!/usr/bin/env bash
# Everything that has to hold before a change lands: tests, RTL lint, generated files; the format is only reported.
# Stops at the first failure and prints the command that repeats it.
# usage: scripts/check.sh
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
  echo "== $*"
  if ! "$@"; then
    echo "check: failed; to repeat: $*" >&2
    exit 1
  fi
}
step scripts/test.sh
step scripts/lint_rtl.sh
step scripts/update_generated.sh --check
scripts/format.sh --check || echo "check: the format is no failure"
echo "check: all good"
