#!/usr/bin/env bash
# Measures what Heddle promises as ratios, each of two numbers of this run: the C++ engine against the Verilator model of
# the same graph, what fusion and lanes gain, how near designs come to a firing a cycle; and how long Verilator builds take.
#   bench.sh              prints tables
#   --json FILE           also writes the numbers, one a line
#   --builds              also builds designs with nothing cached: some minutes
#   --check               with --builds; exit status 1 if a ratio is a fifth worse than scripts/bench/baseline.json says, or
#                         a build too slow; 77 without HEDDLE_DATA
#   --readme              with --builds; also writes the tables into README.md
#   --baseline            also writes scripts/bench/baseline.json
# HEDDLE names the program; default: build/heddle, built first. HEDDLE_DATA names the folder with the Cora graph; without
# it random data of its size is used.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
builds=0 check=0 readme=0 json=''
while [[ $# -gt 0 ]]; do
  case "$1" in
    --json) json=$(realpath "$2"); shift ;;
    --builds) builds=1 ;;
    --check) check=1 builds=1 ;;
    --readme) readme=1 builds=1 ;;
    --baseline) json="$root/scripts/bench/baseline.json" ;;
    *) echo "bench.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done
cora="${HEDDLE_DATA:-}/cora"
if [[ $check = 1 && ! -e ${cora}_adj_norm.mtx.gz ]]; then
  echo "bench.sh: HEDDLE_DATA names no folder with the Cora graph: not run" >&2
  exit 77
fi
cd "$root"
if [[ -z ${HEDDLE:-} ]]; then
  scripts/setup.sh
  scripts/build.sh
  HEDDLE=build/heddle
fi
source scripts/bench/data.sh
source scripts/bench/measures.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_data
measure_speed
measure_fusion
measure_lanes
measure_tiles
measure_efficiency
[[ $builds = 0 ]] || measure_builds

write_tables > "$work/tables"
cat "$work/tables"
printf '\n%s\n' "$(cat "$work/examples")"
[[ -z $json ]] || write_json > "$json"
if [[ $readme = 1 ]]; then
  begin='<!-- bench:begin -->' end='<!-- bench:end -->'
  { sed "/$begin/q" README.md; echo; cat "$work/tables"; echo; sed -n "/$end/,\$p" README.md; } > README.md.part
  mv README.md.part README.md
fi
[[ $check = 0 ]] || compare_with_baseline scripts/bench/baseline.json
