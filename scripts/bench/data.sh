# What bench.sh runs on: graphs, masks, models. Files go to $work.

# random_matrix ROWS COLUMNS STORED SEED
random_matrix() {
  awk -v rows="$1" -v columns="$2" -v stored="$3" -v seed="$4" 'BEGIN {
    srand(seed)
    while (n < stored) {
      entry = 1 + int(rand() * rows) " " 1 + int(rand() * columns)
      if (!(entry in seen)) { seen[entry]; ++n }
    }
    print "%%MatrixMarket matrix coordinate real general"
    print rows, columns, stored
    for (entry in seen) print entry, rand()
  }'
}

# BigBird: some positions see and are seen by all, each sees a window around it and a few others.
bigbird() {
  awk -v n="$1" 'BEGIN {
    block = 16; few = 3; blocks = n / block; state = 12345
    for (b = 0; b < blocks; ++b) {
      seen[b, 0]; seen[0, b]; seen[b, b]; seen[b, b - 1]; seen[b, b + 1]
      for (r = 0; r < few; ++r) {
        state = (state * 1664525 + 1013904223) % 4294967296
        seen[b, int(state / 256) % blocks]
      }
    }
    for (i = 0; i < n; ++i)
      for (j = 0; j < n; ++j)
        if ((int(i / block), int(j / block)) in seen) entries[count++] = (i + 1) " " (j + 1)
    print "%%MatrixMarket matrix coordinate pattern general"
    print n, n, count
    for (e = 0; e < count; ++e) print entries[e]
  }'
}

# with_schedules EXAMPLE LINES: an example with other schedules.
with_schedules() {
  sed '/^schedule/,$d' "examples/$1/$1.ein"
  printf '%s\n' "$2"
}

make_data() {
  data="Cora"
  graph=${cora}_adj_norm.mtx.gz features=${cora}_features.mtx.gz
  if [[ ! -e $graph ]]; then
    data="random data of the size of Cora"
    graph=$work/graph.mtx features=$work/features.mtx
    random_matrix 2708 2708 13264 1 > "$graph"
    random_matrix 2708 1433 49216 2 > "$features"
    echo "HEDDLE_DATA names no folder with the Cora graph: random data of its size is used" >&2
  fi
  on_graph=(--data "A=$graph")
  on_cora=("${on_graph[@]}" --data "X=$features" --size d=1433 --size h=16 --size c=7)
  positions=256 wide=64
  bigbird $positions > "$work/mask.mtx"
  on_mask=(--data "B=$work/mask.mtx" --size "d=$wide")
  with_schedules gcn 'schedule one   { fuse T1, H   fuse T2, L, M, E, Y }
schedule lanes { parallel i by 8   fuse T1, H   fuse T2, L, M, E, Y }' > "$work/gcn.ein"
  with_schedules attention 'schedule one   { fuse S, P, O }
schedule lanes { fuse S, P, O   parallel h by 4   parallel i by 4 }
schedule tiles { fuse S, P, O   block i, j by 16 }' > "$work/attention.ein"
}
