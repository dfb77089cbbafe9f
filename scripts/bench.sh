#!/usr/bin/env bash
# Measures the C++ engine against the Verilator model of the same graph, both in this run: the ratios count, the
# absolute rates are this machine's. Build time is reported aside.
#   bench.sh             prints tables
#   bench.sh --readme    also writes them into README.md
#   bench.sh --json FILE also writes the numbers (examples only)
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readme=0
json=()
while [ $# -gt 0 ]; do
  case "$1" in
    --readme) readme=1 ;;
    --json) json=(--json "$2"); shift ;;
    *) echo "bench.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done

"$root/scripts/setup.sh"
"$root/scripts/build.sh"
cd "$root"
data=()
what="random data of the size of Cora"
if [ -n "${HEDDLE_DATA:-}" ] && [ -e "$HEDDLE_DATA/cora_adj_norm.mtx.gz" ]; then
  data=(--data "A=$HEDDLE_DATA/cora_adj_norm.mtx.gz" --data "X=$HEDDLE_DATA/cora_features.mtx.gz")
  what="Cora"
else
  echo "HEDDLE_DATA names no folder with the Cora graph: random data of its size is used" >&2
fi
large="$(build/heddle bench scripts/bench/cora_spmm.ein ${data[@]+"${data[@]}"})"
small="$(build/heddle bench examples/*/*.ein --schedule all ${json[@]+"${json[@]}"})"
text="$(date +%Y-%m-%d), $(nproc) cores, $(verilator --version | cut -d' ' -f1,2). Sparse products, $what:

$large

The examples, all schedules, small as their data is: $(tail -n 2 <<< "$small" | paste -s -d '|' | sed 's/|/. /')."
printf '%s\n\n%s\n' "$text" "$small"
if [ "$readme" = 1 ]; then
  begin='<!-- bench:begin -->'
  end='<!-- bench:end -->'
  { sed "/$begin/q" README.md; printf '\n%s\n\n' "$text"; sed -n "/$end/,\$p" README.md; } > README.md.part
  mv README.md.part README.md
fi
