#!/usr/bin/env bash
# Lints every module of rtl/ with Verilator, Icarus Verilog and Yosys, with default and with other parameters.
# usage: scripts/lint_rtl.sh [module ...]      Tools that are not installed are skipped and named.
set -u
cd "$(dirname "$0")/.."

# Parameter sets beside the defaults, one a line: module Name=value ... (strings in quotes)
variants() {
  cat <<'END'
sam_channel Depth=1
sam_channel Depth=3 Latency=2
sam_channel Depth=1 Latency=5
sam_channel Depth=64
sam_channel Depth=100 Latency=4
sam_channel Depth=128
sam_memory Depth=1
sam_memory Depth=3
sam_memory_pair Depth=1
sam_memory_pair Depth=2
sam_memory_pair Depth=7
sam_memory_out Depth=1
sam_memory_out Depth=5
sam_presence Bits=1
sam_presence Bits=7
sam_presence Bits=13 Levels=3
sam_presence Bits=26 Levels=4
sam_scratch Bits=1
sam_f32_sums Bits=1
sam_accumulate Op="max" Bits=1
sam_accumulate Type="i32"
sam_accumulate Op="min" Type="i32" Bits=6
sam_accumulate Bits=13
sam_accumulate Bits=17
sam_alu Op="mul" Absent="any" Latency=6
sam_alu Op="max" Type="i32" Absent="both"
sam_alu Op="lt" Absent="left"
sam_array Absent="zero"
sam_crd_drop Depth=2
sam_divide_rows Beside=1
sam_fill Depth=1
sam_fill Depth=3
sam_fork N=5
sam_function Op="neg" Absent="zero"
sam_function Op="exp" Latency=12
sam_intersect N=3
sam_intersect_skip N=3
sam_pack Bits=1
sam_pack Bits=26
sam_keep_compressed Depth=2
sam_keep_vals Depth=0
sam_parallelize N=5 Depth=2
sam_pick Depth=0
sam_reduce Zeros="counted"
sam_reduce Op="max" Zeros="counted"
sam_reduce Op="min" Type="i32" Empty="identity"
sam_scan_dense Fiber="first"
sam_serialize N=5 Depth=2
sam_select Type="i32" Absent="all"
sam_union N=3
sam_unpack Bits=1
sam_unpack Bits=26
END
}

library=(-y rtl/channel -y rtl/primitives -y rtl/arithmetic)
failures=0
run() {  # label command...: the command must succeed and say nothing
  local label=$1 output
  shift
  if ! output=$("$@" 2>&1) || [[ -n $output ]]; then
    printf 'FAIL %s\n%s\n' "$label" "$output"
    failures=$((failures + 1))
  fi
}

lint() {  # module Name=value ...
  local module=$1 file label="$*" p
  shift
  file=$(ls rtl/*/"$module".sv)
  local settings=() override="" chparam=""
  for p in "$@"; do
    settings+=("-G$p")
    override+="${override:+, }.${p%%=*}(${p#*=})"
    chparam+=" -set ${p%%=*} ${p#*=}"
  done
  if [[ $have == *verilator* ]]; then
    run "verilator: $label" verilator --lint-only -Wall --top-module "$module" "${settings[@]}" \
      rtl/lint/waivers.vlt -Irtl/include "${library[@]}" rtl/sam_pkg.sv "$file"
  fi
  if [[ $have == *iverilog* ]]; then
    # An instance overrides parameters of any kind; its ports are left open.
    echo "module lint_top; $module #($override) u_module (); endmodule" > "$scratch/lint_top.sv"
    run "iverilog: $label" bash -c 'iverilog -g2012 -Wall -t null -s lint_top -Irtl/include -Y .sv "$@" 2>&1 |
      grep -v -e "lint_top.sv" -e "is floating\|timescale" ; exit "${PIPESTATUS[0]}"' lint \
      "${library[@]}" rtl/sam_pkg.sv "$scratch/lint_top.sv"
  fi
  if [[ $have == *yosys* ]]; then
    local sources
    sources=$(ls rtl/arithmetic/*.sv rtl/channel/*.sv rtl/primitives/*.sv 2>/dev/null)
    run "yosys: $label" yosys -q -p "read_verilog -sv -Irtl/include rtl/sam_pkg.sv; \
      read_verilog -sv -defer -Irtl/include $(echo $sources); ${chparam:+chparam$chparam $module;} \
      hierarchy -check -top $module; proc; check -assert"
  fi
}

have=""
for tool in verilator iverilog yosys; do
  if command -v $tool > /dev/null; then have+=" $tool"; else echo "skipped: $tool is not installed"; fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

modules=("$@")
if [[ ${#modules[@]} -eq 0 ]]; then
  for file in rtl/*/sam_*.sv; do modules+=("$(basename "$file" .sv)"); done
fi
for module in "${modules[@]}"; do
  lint "$module"
  while read -r name settings; do
    if [[ $name == "$module" ]]; then lint "$name" $settings; fi
  done < <(variants)
done
echo "${#modules[@]} modules, $failures failures"
[[ $failures -eq 0 ]]
