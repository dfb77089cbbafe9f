#!/usr/bin/env bash
# From a fresh clone to a cross-checked design: installs, builds, and runs examples/spmm in all four engines.
# usage: scripts/demo.sh
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
scripts/build.sh
command="build/heddle check examples/spmm/spmm.ein --schedule all"
echo
echo "\$ $command    (builds the RTL of three schedules with Verilator the first time)"
$command
