#!/usr/bin/env bash
# A deep channel becomes block memory in Yosys, not registers: 512 tokens of 34 bits on an iCE40, whose memories have
# 4096 bits each. A shallow one stays as small as it is.
# usage: block_memory_test.sh      exit status 77: there is no yosys
set -euo pipefail
cd "$(dirname "$0")/../.."

command -v yosys > /dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# depth latency: prints the numbers of memories and of registers.
cells() {
  yosys -q -p "read_verilog -sv -Irtl/include rtl/sam_pkg.sv rtl/channel/sam_channel.sv
    chparam -set Depth $1 -set Latency $2 -set W 32 sam_channel
    synth_ice40 -top sam_channel; tee -q -o $work/stat stat"
  awk '/SB_RAM40/ { memories += $2 } /SB_DFF/ { registers += $2 } END { print memories + 0, registers + 0 }' "$work/stat"
}

failures=0
check() {
  local depth=$1 latency=$2 want=$3 most=$4 memories registers
  read -r memories registers < <(cells "$depth" "$latency")
  echo "depth $depth latency $latency: $memories memories, $registers registers"
  if [[ $memories -ne $want || $registers -gt $most ]]; then
    echo "FAIL expected $want memories and at most $most registers"
    failures=$((failures + 1))
  fi
}

check 512 1 5 120   # 512 * 34 bits fill 4.25 memories; registers: counters, the word read, the one bypassed
check 512 4 5 120
check 2048 1 17 140
check 17 1 3 100     # 34 bits are three memories wide
check 2 1 0 80
exit "$((failures > 0))"
