#!/usr/bin/env bash
# The command line as users meet it: exit statuses, what is said, what is left on disk.
# usage: driver_test.sh path/to/heddle      UPDATE_EXPECT=1 rewrites the .expect files
set -euo pipefail
cd "$(dirname "$0")"

here=$PWD
heddle=$1
examples=$here/../../examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp ./*.ein "$work"
cd "$work"

failures=0
fail() {
  printf 'FAIL %s\n' "$*"
  failures=$((failures + 1))
}

# status pattern argument...: the exit status, and a pattern that standard error has to match ("" means: silent).
expect() {
  local want=$1 pattern=$2 got=0
  shift 2
  timeout 60 "$heddle" "$@" > stdout 2> stderr < /dev/null || got=$?
  if [[ $got -ne $want ]]; then fail "heddle $*: exit status $got, expected $want: $(cat stderr)"; fi
  if [[ -z $pattern && -s stderr ]]; then fail "heddle $*: not silent: $(cat stderr)"; fi
  if [[ -n $pattern ]] && ! grep -qE -e "$pattern" stderr; then
    fail "heddle $*: no '$pattern' in: $(cat stderr)"
  fi
  if compgen -G '*.part' > /dev/null || compgen -G '*/*.part' > /dev/null; then
    fail "heddle $*: a part of a file is left"
    rm -f ./*.part ./*/*.part
  fi
}

# Diagnostics behind the front end: the exact text, whichever command runs. "schedule-block-kept" is about schedule-block.
for model in *.ein; do
  if [[ $model == good.ein || $model == deadlock.ein ]]; then continue; fi
  expected=$here/${model%.ein}.expect
  expect 1 'error: .*\[[a-z-]*\]$' run "$model"
  id=$(grep -o '\[[a-z-]*\]$' stderr | head -1 | tr -d '[]')
  [[ ${model%.ein} == "$id" || $model == "$id"-* ]] || fail "$model is about $id"
  if [[ -n ${UPDATE_EXPECT:-} ]]; then cp stderr "$expected"; fi
  diff -u "$expected" stderr || fail "$model says something else"
  if [[ $model != capacity.ein ]]; then  # its reference is large
    expect 1 'error:' check "$model" --engine cycle
    expect 1 'error:' emit graph "$model"
  fi
done

# Models that are not there.
expect 1 '^absent.ein: error: this model cannot be read \[model-open\]$' check absent.ein
expect 1 'model-open' run absent.ein
expect 1 'model-open' run .
expect 1 'model-open' emit graph absent.ein
expect 1 'data-open' check good.ein --data A=absent.mtx

# Usage.
expect 2 'subcommand'
expect 2 "no command 'nonsense'; known are check, run" nonsense
expect 2 "no command 'nonsense'" nonsense --help
expect 2 'model is required' check
expect 2 "no schedule 'third'; the model has first, second" check good.ein --schedule third
expect 2 "'fpga' is no engine" check good.ein --engine fpga
expect 2 'names no engine' check good.ein --engine ''
expect 2 'takes one engine' run good.ein --engine cycle,systemc
expect 2 'takes one schedule' run good.ein --schedule all
expect 2 'takes one schedule' emit graph good.ein --schedule all
expect 2 "'netlist' is no stage" emit netlist good.ein
expect 2 'name a folder with -o' emit verilog good.ein
expect 2 'NAME=VALUE' check good.ein --data A
expect 2 'NAME=NUMBER' check good.ein --size n=-1
expect 2 'NAME=NUMBER' check good.ein --size n=4x
expect 2 'takes auto, min, or a number from 1 to' check good.ein --depth 0
expect 2 "found '9999999'" check good.ein --depth 9999999
expect 2 "found 'deep'" check good.ein --depth deep
expect 0 '' check good.ein --engine cycle,systemc --depth auto
expect 0 '' check good.ein --engine cycle,systemc --depth min
expect 2 "no block 'nonsense'" describe nonsense
expect 2 "data is given twice for 'A'" check good.ein --data A=a.mtx --data A=b.mtx
expect 2 "size is given twice for 'n'" check good.ein --size n=4 --size n=5
expect 2 "format is given twice for 'A'" check good.ein --format A=csr --format A=coo
expect 0 '' check good.ein --engine cycle --format 'A={dense, compressed} order (1, 0)'
expect 2 'name is empty' check good.ein --json ''
expect 2 'name is empty' run good.ein -o ''
expect 0 '' --help
expect 0 '' --version
expect 0 '' describe
expect 0 '' describe intersect

# A line that fits no region is no line that does nothing in silence.
cat > unfused.ein << 'MODEL'
tensor A[n, m]: f32 csr = random(density: 0.4)
tensor W[n, o]: f32 dense = random()
size n = 4, m = 3, o = 5
y[i] = A[i, j]
z[u] = W[i, u] * y[i]
schedule apart { parallel j, u by 2 }
schedule together { parallel j, u by 2 fuse y, z }
MODEL
expect 0 'ein:6:18: warning: no region has all of j, u: this line has no effect .schedule-name.' \
  run unfused.ein
expect 0 '' run unfused.ein --schedule together

# Fused expressions are written as in models, grouped as they are computed.
cat > terms.ein << 'MODEL'
tensor a[n]: f32 dense = random()
tensor b[n]: f32 dense = random()
size n = 3
y[i] = a[i] - (b[i] - 1) + (a[i] + 2) * 3 / (b[i] * 4) - max(a[i] * 5, b[i])
MODEL
expect 0 '' emit fused terms.ein
grep -qF 'y[i] = a[i] - (b[i] - 1) + (a_2[i] + 2) * 3 / (b_2[i] * 4) - max(a_3[i] * 5, b_3[i])' stdout ||
  fail "emit fused: $(head -n 1 stdout)"

# A report is there whole or not at all, and bad input leaves the old one alone.
expect 0 '' check good.ein --engine functional,cycle --schedule all --json report.json
head -c 1 report.json | grep -q '{' && tail -n 1 report.json | grep -q '^}$' || fail "the report is not whole"
grep -q '"ok": true' report.json || fail "the report does not say ok"
cp report.json before.json
expect 1 'error:' check densifies.ein --engine cycle --json report.json
expect 2 'no schedule' check good.ein --schedule third --json report.json
cmp -s before.json report.json || fail "bad input changed the report"
expect 1 'cannot be written' check good.ein --engine cycle --json absent/report.json
[[ ! -e absent ]] || fail "a folder was made for a report"

# Folders for results are made as needed; a file in the way is an error.
expect 0 '' run good.ein -o out/deep/er
for file in y.mtx y.npy B.mtx W.tns; do
  [[ -s out/deep/er/$file ]] || fail "run did not write $file"
done
[[ ! -e out/deep/er/B.npy ]] || fail "a sparse result was written as .npy"
expect 0 '' run good.ein -o out/deep/er
echo keep > file
expect 1 '^heddle: file: cannot be made: ' run good.ein -o file
expect 1 '^heddle: file/below: cannot be made: Not a directory$' emit verilog good.ein -o file/below
[[ $(cat file) == keep ]] || fail "the file in the way was changed"
expect 0 '' emit verilog good.ein -o verilog
compgen -G 'verilog/*/*.sv' > /dev/null || fail "emit verilog wrote no Verilog"

# Without time there are no cycles to tell.
expect 0 '' run good.ein --engine functional
grep -q 'untimed' stdout && ! grep -qE 'cycle|stalled' stdout || fail "an untimed run tells cycles: $(cat stdout)"
expect 0 '' check good.ein --engine functional
grep -q 'untimed | values equal' stdout || fail "an untimed check compares cycles: $(cat stdout)"

# An engine that cannot be built is named with what it lacks; what the others found is told.
without() {  # pattern assignment...: as expect, with a changed environment, and the pattern on standard output
  local pattern=$1 got=0
  shift
  env "$@" "$heddle" check good.ein --engine cycle,rtl > stdout 2> stderr < /dev/null || got=$?
  [[ $got -eq 3 && ! -s stderr ]] || fail "$*: exit status $got: $(cat stderr)"
  grep -qE "$pattern" stdout && grep -q 'cycles equal' stdout && grep -q 'FAILED$' stdout ||
    fail "$*: no '$pattern' in: $(cat stdout)"
}
without "'verilator' cannot be started: is it installed" PATH="$work/nothing"
without "folder '/dev/null/heddle' for builds cannot be made: Not a directory" HEDDLE_CACHE=/dev/null/heddle

# What builds of another day have left is removed, what may still be in the making is not.
mkdir -p programs cache/{old,new}.123
printf '#!/bin/sh\necho a version\n' > programs/verilator
chmod +x programs/verilator
touch cache/whole cache/runtime.o
touch -d '2 days ago' cache/old.123 cache/whole cache/runtime.o
without "'g\+\+' cannot be started" PATH="$work/programs" HEDDLE_CACHE="$work/cache"
[[ ! -e cache/old.123 && -e cache/new.123 && -e cache/whole && -e cache/runtime.o ]] ||
  fail "the cache holds $(ls cache)"

# A deadlock ends every engine in the same cycle, and the channels that wait on each other are named.
names_channels() {
  grep -q 'is deadlocked: cycle of blocked channels:$' stdout &&
    grep -qE "^  [^ ]+ waits for [^ ]+: channel '[^']+' is (full|empty)" stdout
}
expect 4 '' check deadlock.ein --depth 1 --json deadlock.json
names_channels || fail "check: a deadlock without channels: $(cat stdout)"
grep -q 'cycles equal' stdout || fail "the engines do not end in the same cycle: $(cat stdout)"
grep -q '"ok": false' deadlock.json || fail "the report calls a deadlock ok"
expect 4 '' run deadlock.ein --depth 1 -o stuck
names_channels || fail "run: a deadlock without channels: $(cat stdout)"
[[ ! -e stuck ]] || fail "results of a deadlocked run were written"
expect 0 '' check deadlock.ein --engine functional,cycle,systemc

# Depths: what deep channels are for is told, and one place less than the bound is the deadlock that was foretold.
cat > softmax.ein << 'MODEL'
tensor X[n, d]: f32 dense = random(seed: 1)
size n = 3, d = 16
Y[i, j] = softmax(j: X[i, j])
output Y
schedule least { depth min }
schedule given { depth Y 17 }
schedule less { depth Y 16 }
MODEL
expect 0 '' check softmax.ein --engine cycle,systemc --schedule least --json least.json
grep -q "deep channel 'div_Y_a' has room for 17 tokens: it holds a fiber of j_3 while sum_Y_j_3 is formed, for which j_3 + 1 = 17 are enough; with 16 the graph deadlocks on this data" stdout ||
  fail "the deep channel is not explained: $(cat stdout)"
grep -q '"deadlocks_with": 16' least.json && grep -q '"bound": "j_3 + 1"' least.json ||
  fail "the report does not explain the deep channel"
expect 0 '' check softmax.ein --engine cycle,systemc --schedule given
expect 4 '' check softmax.ein --engine cycle,systemc --schedule less
grep -q "channel 'div_Y_a' is full (16 of 16 tokens)" stdout || fail "another deadlock than foretold: $(cat stdout)"

# Channels of one place: the engines agree, or a deadlock is named; nothing hangs.
for model in good.ein "$examples"/*/*.ein; do
  got=0
  timeout 60 "$heddle" check "$model" --schedule all --engine functional,cycle,systemc --depth 1 > stdout 2> stderr || got=$?
  case $got in
    0) ;;
    4) names_channels || fail "$model --depth 1: a deadlock without channels" ;;
    *) fail "$model --depth 1: exit status $got: $(cat stdout stderr)" ;;
  esac
done

if [[ $failures -gt 0 ]]; then
  echo "$failures failures"
  exit 1
fi
echo "all as expected"
