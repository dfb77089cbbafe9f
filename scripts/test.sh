#!/usr/bin/env bash
# Builds everything and runs the tests.
# usage: scripts/test.sh [--all] [ctest options]      --all runs those labelled slow, too
set -euo pipefail
cd "$(dirname "$0")/.."

selection=(-LE slow)
if [[ ${1:-} == --all ]]; then
  selection=()
  shift
fi
scripts/setup.sh
scripts/build.sh all
ctest --test-dir build -j2 --output-on-failure "${selection[@]}" "$@"
