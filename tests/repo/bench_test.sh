#!/usr/bin/env bash
# The comparison of scripts/bench.sh with its baseline: what is a fifth worse, gone or too slow is named, nothing else.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/bench/measures.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
measure_speed() { :; }  # speed stays as it is

failures=0
expect() {  # WHAT STATUS TEXT: of a comparison
  local status=0 text
  text=$(compare_with_baseline "$work/baseline.json" 2>&1) || status=$?
  if [[ $status != "$2" || $text != *"$3"* ]]; then
    echo "FAIL $1: status $status: $text"
    failures=$((failures + 1))
  fi
}

data="some data"
printf 'speed.a 4.00\n' > "$work/speed"
printf 'fusion.b 2.000\nlanes.c 8.000\n' > "$work/ratios"
printf 'gcn_fused 60\nother 200\n' > "$work/builds"
write_json > "$work/baseline.json"
expect "the same numbers" 0 "no ratio is a fifth worse"
printf 'fusion.b 1.610\nlanes.c 9.000\n' > "$work/ratios"
expect "a little worse" 0 "no ratio is a fifth worse"
printf 'fusion.b 1.590\nlanes.c 8.000\n' > "$work/ratios"
expect "more than a fifth worse" 1 "fusion.b: 1.590, the baseline is 2.000"
printf 'lanes.c 8.000\n' > "$work/ratios"
expect "gone" 1 "fusion.b: , the baseline is 2.000"
printf 'fusion.b 2.000\nlanes.c 8.000\n' > "$work/ratios"
printf 'speed.a 3.10\n' > "$work/speed"
expect "slower" 1 "speed.a: 3.10, the baseline is 4.00"
printf 'speed.a 4.00\n' > "$work/speed"
printf 'gcn_fused 91\nother 200\n' > "$work/builds"
expect "a slow build" 1 "building gcn_fused took 91 s, more than 90"

[[ $failures = 0 ]] && echo "what is worse is named, and nothing else"
