#!/usr/bin/env bash
# scripts/kernels.sh sees cycles that differ and checks that fail, and counts and correlates what it sees.
# usage: differences_test.sh path/to/heddle path/to/kernels.sh
set -euo pipefail
heddle=$1 kernels=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAIL $*"; failures=$((failures + 1)); }

expect() {  # status, what its table has to say, then the program's extra filter and status; checks two kernels
  printf '#!/usr/bin/env bash\n%s "$@" | sed "%s"\nexit %s\n' "$heddle" "$3" "$4" > "$work/heddle"
  chmod +x "$work/heddle"
  local status=0
  HEDDLE=$work/heddle "$kernels" --engine cycle,systemc --out "$work/out" gcn/relu gcn/bias2 sage/relu \
    > "$work/log" 2>&1 || status=$?
  [[ $status -eq $1 ]] || fail "status $status, not $1, with $3, $4: $(cat "$work/log")"
  grep -qF "$2" "$work/out/kernels.md" || fail "no '$2' with $3, $4: $(cat "$work/out/kernels.md")"
}
cycles=$("$heddle" check "$(dirname "$kernels")/../examples/kernels/sage/relu.ein" --engine cycle |
         awk '$1 == "region" { print $4 }')
expect 0 "| sage/relu | $cycles | $cycles | yes |" '' 0
expect 0 'largest of its group: 1.000' '' 0
expect 1 "| sage/relu | $cycles | 9 | no |" 's/cycle '"$cycles"' systemc [0-9]*/cycle '"$cycles"' systemc 9/' 0
expect 1 '| gcn | 2 |' '' 3                           # a check fails: values differ
expect 1 "| sage/relu |  |  | no |" '/region/d' 0     # nothing ran
[[ $failures -eq 0 ]] && echo "differences are noticed"
