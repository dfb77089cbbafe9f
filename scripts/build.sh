#!/usr/bin/env bash
# Configures and builds into build/: the program, build/heddle. More memory than 1 GB a job is never needed.
# usage: scripts/build.sh [target ...]      "all" builds the tests as well; HEDDLE_JOBS sets the number of jobs
set -euo pipefail
cd "$(dirname "$0")/.."

targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || targets=(heddle)

jobs=${HEDDLE_JOBS:-}
if [[ -z $jobs ]]; then
  jobs=$(nproc)
  room=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo 2> /dev/null || true)
  if [[ -n $room && $room -lt $jobs ]]; then jobs=$((room > 0 ? room : 1)); fi
fi

options=(-DCMAKE_BUILD_TYPE=Release)
if command -v ccache > /dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
echo "build: configuring"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake -S . -B build -G Ninja "${options[@]}" > "$log" 2>&1; then
  cat "$log" >&2
  echo "build: CMake failed; scripts/setup.sh installs what it needs" >&2
  exit 1
fi
echo "build: ${targets[*]}, $jobs jobs"
cmake --build build -j "$jobs" --target "${targets[@]}"
