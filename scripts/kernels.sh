#!/usr/bin/env bash
# Checks every kernel of examples/kernels and writes a table of their cycles, engine by engine: kernels.md, kernels.csv,
# and the report of each check. Exit status 1 if any cycle or value differs.
# usage: scripts/kernels.sh [--engine LIST] [--out DIR] [--readme] [kernel ...]
#   --engine LIST  default: functional,cycle,systemc,rtl
#   --out DIR      default: build/report
#   --readme       also writes the totals into README.md
#   kernel ...     such as gcn/relu; default: all
# HEDDLE names the program; default: build/heddle, built first. HEDDLE_JOBS kernels are checked at a time.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
engines=functional,cycle,systemc,rtl
out="$root/build/report"
readme=false
kernels=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --engine) engines=$2; shift ;;
    --out) mkdir -p "$2"; out=$(cd "$2" && pwd); shift ;;
    --readme) readme=true ;;
    -*) echo "kernels.sh: unknown option '$1'" >&2; exit 2 ;;
    *) kernels+=("$1") ;;
  esac
  shift
done
cd "$root"
if [[ -z ${HEDDLE:-} ]]; then
  scripts/setup.sh
  scripts/build.sh
  HEDDLE=build/heddle
fi
if [[ ${#kernels[@]} -eq 0 ]]; then
  for group in gcn sage gpt; do
    for file in examples/kernels/$group/*.ein; do kernels+=("$group/$(basename "$file" .ein)"); done
  done
fi

mkdir -p "$out/kernels"
export HEDDLE engines out total=${#kernels[@]}
export done_list="$out/kernels/done"
: > "$done_list"
check_one() {  # group/name: leaves NAME.txt, NAME.json and a line in the list
  local file="$out/kernels/${1/\//_}" status=0
  "$HEDDLE" check "examples/kernels/$1.ein" --engine "$engines" --json "$file.json" > "$file.txt" 2>&1 || status=$?
  echo "$1 $status" >> "$done_list"
  echo "kernels: $(wc -l < "$done_list") of $total: $1: $(tail -n 1 "$file.txt" | tr -s ' ')"
  if [[ $status -ne 0 ]]; then cat "$file.txt"; fi
}
export -f check_one
printf '%s\n' "${kernels[@]}" | xargs -P "${HEDDLE_JOBS:-$(nproc)}" -I{} bash -c 'check_one "$1"' _ {}

# A line for each kernel: its name, then its cycles in each timed engine, summed over its regions.
timed=$(tr ',' '\n' <<< "$engines" | grep -v '^functional$' || true)
{
  echo "kernel,$(tr '\n' ',' <<< "$timed")agrees"
  for kernel in "${kernels[@]}"; do
    awk -v kernel="$kernel" -v engines="$(tr '\n' ' ' <<< "$timed")" \
        -v good="$(grep -c "^$kernel 0\$" "$done_list" || true)" '
      $1 == "region" { for (f = 3; f < NF && $f != "|"; f += 2) cycles[$f] += $(f + 1) }
      END {
        n = split(engines, names, " ")
        line = kernel
        for (e = 1; e <= n; ++e) {
          line = line "," cycles[names[e]]
          if (cycles[names[e]] == "" || cycles[names[e]] != cycles[names[1]]) good = 0
        }
        print line "," (good ? "yes" : "no")
      }' "$out/kernels/${kernel/\//_}.txt"
  done
} > "$out/kernels.csv"

# Totals by group; the correlation is that of the first and the last engine, each kernel over the largest of its group.
summarize() {
  awk -F, '
    NR == 1 { n = NF - 2; for (e = 1; e <= n; ++e) name[e] = $(e + 1); next }
    {
      group = $1; sub("/.*", "", group)
      if (!(group in kernels)) order[++groups] = group
      ++kernels[group]; ++all
      for (e = 1; e <= n; ++e) sum[group, e] += $(e + 1)
      if ($2 > largest[group]) largest[group] = $2
      if ($NF == "no") ++differ[group]
      of[all] = group; x[all] = $2; y[all] = $(n + 1)
    }
    END {
      title["cycle"] = "C++"; title["systemc"] = "SystemC"; title["rtl"] = "RTL"
      head = "| group | kernels |"; rule = "|---|---|"
      for (e = 1; e <= n; ++e) { head = head " cycles, " title[name[e]] " |"; rule = rule "---|" }
      print head " kernels that differ |"; print rule "---|"
      for (g = 1; g <= groups; ++g) {
        group = order[g]; line = "| " group " | " kernels[group] " |"
        for (e = 1; e <= n; ++e) line = line " " sum[group, e] " |"
        print line " " differ[group] + 0 " |"
      }
      if (n < 2) exit
      for (k = 1; k <= all; ++k) {
        x[k] /= largest[of[k]]; y[k] /= largest[of[k]]
        mx += x[k] / all; my += y[k] / all
      }
      for (k = 1; k <= all; ++k) {
        xy += (x[k] - mx) * (y[k] - my); xx += (x[k] - mx) ^ 2; yy += (y[k] - my) ^ 2
      }
      if (xx > 0 && yy > 0)
        printf "\nCorrelation of the cycles, %s and %s, each over the largest of its group: %.3f\n",
          title[name[1]], title[name[n]], xy / sqrt(xx * yy)
    }' "$out/kernels.csv"
}
{
  summarize
  echo
  sed -e 's/,/ | /g' -e 's/^/| /' -e 's/$/ |/' "$out/kernels.csv" |
    awk 'NR == 2 { line = "|"; for (c = 2; c < split(head, part, "|"); ++c) line = line "---|"; print line } { head = $0; print }'
} > "$out/kernels.md"
summarize
echo "kernels: the table is $out/kernels.md"

if $readme; then
  begin='<!-- kernels:begin -->' end='<!-- kernels:end -->'
  { sed "/$begin/q" README.md; printf '\n'; summarize; printf '\n'; sed -n "/$end/,\$p" README.md; } > README.md.part
  mv README.md.part README.md
fi
if grep -q ',no$' "$out/kernels.csv"; then
  echo "kernels: these differ: $(sed -n 's/,.*,no$//p' "$out/kernels.csv" | tr '\n' ' ')" >&2
  exit 1
fi
