# The measures of bench.sh. Each leaves lines "name value" in $work/ratios (more is better), or in $work/builds.

# cycles_of RUN_OPTION...: of a schedule, all regions together.
cycles_of() { "$HEDDLE" run "$@" | awk '$2 == "cycles" && NF == 2 { print $1 }'; }

# ratio NAME CYCLES CYCLES
ratio() { awk -v name="$1" -v a="$2" -v b="$3" 'BEGIN { printf "%s %.3f\n", name, a / b }' >> "$work/ratios"; }

# The C++ engine against the Verilator model. Both take the best of a few runs; so do repeated measures.
measure_speed() {
  "$HEDDLE" bench scripts/bench/cora_spmm.ein "${on_graph[@]}" --data "X=$features" > "$work/large"
  "$HEDDLE" bench examples/*/*.ein --schedule all > "$work/examples"
  touch "$work/speed"
  {
    awk -F ' *[|] *' '/cora_spmm.ein [|]/ { print "speed.spmm." $3, $8 }' "$work/large"
    sed -n 's/.*Verilator, by schedule: median \(.*\), least \([0-9.]*\) .*/speed.examples.median \1\nspeed.examples.least \2/p' "$work/examples"
    cat "$work/speed"
  } | sort -k1,1 -k2,2nr | sort -s -u -k1,1 > "$work/best"
  mv "$work/best" "$work/speed"
}

measure_fusion() {
  local model schedule options unfused
  for model in gcn graphsage_mean attention; do
    options=("${on_cora[@]}" --format X=csr)
    [[ $model != attention ]] || options=("${on_mask[@]}" --size h=1)
    unfused=$(cycles_of "examples/$model/$model.ein" "${options[@]}" --schedule unfused)
    for schedule in partial full kept; do
      ratio "fusion.$model.$schedule" "$unfused" \
        "$(cycles_of "examples/$model/$model.ein" "${options[@]}" --schedule $schedule)"
    done
  done
}

measure_lanes() {
  # Deep enough for a row of scores and their weights; to search for less takes long.
  local attention=("$work/attention.ein" "${on_mask[@]}" --depth $((positions * (wide + 1) + wide))) heads
  ratio lanes.gcn.8 "$(cycles_of "$work/gcn.ein" "${on_cora[@]}" --schedule one)" \
    "$(cycles_of "$work/gcn.ein" "${on_cora[@]}" --schedule lanes)"
  # A lane's pipeline fills in the time of a row; with more heads it has more rows to fill it for.
  for heads in 4 32; do
    ratio "lanes.attention.4x4.heads$heads" "$(cycles_of "${attention[@]}" --size h=$heads --schedule one)" \
      "$(cycles_of "${attention[@]}" --size h=$heads --schedule lanes)"
  done
}

# Tiles against single elements: cycles, and the area that they take.
measure_tiles() {
  local schedule what
  for schedule in one tiles; do
    "$HEDDLE" check "$work/attention.ein" "${on_mask[@]}" --size h=4 --schedule $schedule --engine cycle \
      --json "$work/$schedule.json" > /dev/null
    # The first of each is that of the whole region.
    for what in cycles lookup_tables registers memories; do
      awk -F '[:, ]+' -v key="\"$what\"" '$2 == key && $3 ~ /^[0-9]+$/ { print $3; exit }' "$work/$schedule.json" \
        > "$work/$schedule.$what"
    done
  done
  ratio tiles.attention.cycles "$(cat "$work/one.cycles")" "$(cat "$work/tiles.cycles")"
  for what in lookup_tables registers memories; do
    awk -v a="$(cat "$work/tiles.$what")" -v b="$(cat "$work/one.$what")" 'BEGIN { printf "%.1f\n", a / b }' > "$work/more.$what"
  done
  # Cycles saved for each lookup table that is added.
  ratio tiles.attention.for_area "$(value_of tiles.attention.cycles)" "$(cat "$work/more.lookup_tables")"
}

# Firings of the busiest block for each cycle, by region.
measure_efficiency() {
  {
    "$HEDDLE" run scripts/bench/sparse.ein "${on_graph[@]}" | regions_as y=spmv S=sddmm
    "$HEDDLE" run scripts/bench/cora_spmm.ein "${on_graph[@]}" --data "X=$features" | regions_as T=spmm_sparse U=spmm_dense
    "$HEDDLE" run examples/gcn/gcn.ein "${on_cora[@]}" --schedule kept | regions_as T1+H+T2+L+M+E+Y=gcn_kept
    "$HEDDLE" run examples/attention/attention.ein "${on_mask[@]}" --size h=1 --schedule full | regions_as S+P+O=attention_full
  } >> "$work/ratios"
}
regions_as() {  # REGION=NAME...
  awk -v names="$*" 'BEGIN { n = split(names, pairs, " "); for (p = 1; p <= n; ++p) { split(pairs[p], x, "="); name[x[1]] = x[2] } }
    $1 == "region" { sub(":", "", $2); region = $2; cycles = $3 }
    $1 == "busiest" { printf "efficiency.%s %.3f\n", name[region], $4 / cycles }'
}

# With an empty cache, so Verilator and the compiler do all their work.
measure_builds() {
  local cache=$work/cache
  with_schedules attention 'schedule lanes { fuse S, P, O   parallel h by 4   parallel i by 4 }' > "$work/sixteen.ein"
  cp examples/attention/mask.mtx "$work/small.mtx"
  : > "$work/builds"
  build_seconds gcn_fused examples/gcn/gcn.ein --schedule kept
  build_seconds attention_16_lanes "$work/sixteen.ein" --data "B=$work/small.mtx" --schedule lanes
}
build_seconds() {  # NAME CHECK_OPTION...
  local name=$1
  shift
  rm -rf "$work/cache"
  HEDDLE_CACHE="$work/cache" CCACHE_DISABLE=1 "$HEDDLE" check "$@" --engine cycle,rtl --json "$work/build.json" > /dev/null
  awk -v name="$name" -F '[:, ]+' '/"build_seconds"/ { printf "%s %.0f\n", name, $3 }' "$work/build.json" >> "$work/builds"
}

most_seconds() { case $1 in gcn_fused) echo 90 ;; *) echo 300 ;; esac; }

value_of() { cat "$work/speed" "$work/ratios" | awk -v name="$1" '$1 == name { print $2 }'; }

write_tables() {
  local name model
  echo "$(date +%Y-%m-%d), $(nproc) cores, $(verilator --version | cut -d' ' -f1,2), $data. Rates are those of runs alone, with the"
  echo "models built and the data loaded. Sparse products:"
  echo
  cat "$work/large"
  echo
  echo "The examples, all schedules, small as their data is: $(tail -n 2 "$work/examples" | paste -s -d '|' | sed 's/|/. /')." | fold -s -w 120 | sed 's/ *$//'
  printf '\nTimes fewer cycles than with a region for each statement:\n\n| model | partial | full | kept |\n|---|---|---|---|\n'
  for model in gcn graphsage_mean attention; do
    echo "| $model | $(value_of fusion.$model.partial) | $(value_of fusion.$model.full) | $(value_of fusion.$model.kept) |"
  done
  printf '\nLanes against one lane: graph convolution by 8: %s, attention by 4 x 4 (%s positions, %s wide): %s with 4 heads, %s with 32.\n' \
    "$(value_of lanes.gcn.8)" "$positions" "$wide" "$(value_of lanes.attention.4x4.heads4)" \
    "$(value_of lanes.attention.4x4.heads32)" | fold -s -w 120 | sed 's/ *$//'
  {
    printf '\nTiles of 16 x 16 against single elements, the same attention: %s times fewer cycles, ' \
      "$(value_of tiles.attention.cycles)"
    printf '%s times the lookup tables, %s times the registers, %s times the block memories (estimated).\n' \
      "$(cat "$work/more.lookup_tables")" "$(cat "$work/more.registers")" "$(cat "$work/more.memories")"
  } | fold -s -w 120 | sed 's/ *$//'
  printf '\n| design | firings of the busiest block, each cycle |\n|---|---|\n'
  awk '/^efficiency/ { sub("efficiency.", "", $1); print "| " $1 " | " $2 " |" }' "$work/ratios"
  [[ -e $work/builds ]] || return 0
  printf '\nVerilator builds with nothing cached:'
  awk '{ printf "%s %s %s s", NR == 1 ? "" : ",", $1, $2 } END { print "." }' "$work/builds"
}

write_json() {
  echo "{"
  echo "  \"data\": \"$data\","
  echo "  \"ratios\": {"
  cat "$work/speed" "$work/ratios" | sed 's/\(.*\) \(.*\)/    "\1": \2,/' | sed '$ s/,$//'
  if [[ -e $work/builds ]]; then
    echo "  },"
    echo "  \"build_seconds\": {"
    sed 's/\(.*\) \(.*\)/    "\1": \2,/' "$work/builds" | sed '$ s/,$//'
  fi
  echo "  }"
  echo "}"
}

# worse_than_baseline FILE: a line for each ratio that is a fifth worse, or gone.
worse_than_baseline() {
  sed -n '/"ratios"/,/}/ s/^    "\(.*\)": \([0-9.]*\),*$/\1 \2/p' "$1" | while read -r name least; do
    awk -v name="$name" -v now="$(value_of "$name")" -v base="$least" \
      'BEGIN { if (now == "" || now < 0.8 * base) print name ": " now ", the baseline is " base }'
  done
}

compare_with_baseline() {
  local worse again slow
  # Speed is noisy: the best of three counts.
  for again in 1 2; do
    if worse_than_baseline "$1" | grep -q '^speed'; then measure_speed; fi
  done
  worse=$(worse_than_baseline "$1")
  slow=$(while read -r name seconds; do
    [[ $seconds -le $(most_seconds "$name") ]] || echo "building $name took $seconds s, more than $(most_seconds "$name")"
  done < "$work/builds")
  [[ -n $worse$slow ]] || { echo "no ratio is a fifth worse than the baseline"; return 0; }
  printf '%s\n' "$worse" "$slow" >&2
  return 1
}
