#!/usr/bin/env bash
# Installs the Debian packages that are missing. Does nothing, and needs no rights, when all are there.
# usage: scripts/setup.sh
set -euo pipefail

# tool:package, for programs; found anywhere on the path is fine.
tools=(g++:g++ cmake:cmake ninja:ninja-build pkg-config:pkg-config make:make git:git ccache:ccache
       verilator:verilator iverilog:iverilog yosys:yosys nextpnr-ice40:nextpnr-ice40 dot:graphviz)
# Libraries. libboost-dev has the headers of Boost.Graph.
libraries=(libsystemc-dev libboost-dev libgtest-dev libfmt-dev libcli11-dev nlohmann-json3-dev zlib1g-dev)

missing=()
for entry in "${tools[@]}"; do
  command -v "${entry%%:*}" > /dev/null || missing+=("${entry#*:}")
done
if command -v dpkg-query > /dev/null; then
  for package in "${libraries[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null || true)
    [[ $state == installed ]] || missing+=("$package")
  done
else
  echo "setup: this is no Debian; the build looks for these libraries itself: ${libraries[*]}"
fi

if [[ ${#missing[@]} -eq 0 ]]; then
  echo "setup: everything is installed"
  exit 0
fi
echo "setup: missing: ${missing[*]}"
if ! command -v apt-get > /dev/null; then
  echo "setup: there is no apt-get; please install these by other means" >&2
  exit 1
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo > /dev/null; then
    echo "setup: run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
progress() {  # says now and then how far apt-get is
  local line got=0 ready=0
  while IFS= read -r line; do
    case $line in
      [0-9]*' upgraded, '* | 'Need to get '*) echo "setup: $line" ;;
      Get:*) if ((++got % 50 == 0)); then echo "setup: $got files fetched"; fi ;;
      'Setting up '*) if ((++ready % 25 == 0)); then echo "setup: $ready packages ready"; fi ;;
    esac
  done
}
apt() {  # what, apt-get arguments: all that apt-get says is shown only if it fails
  echo "setup: $1"
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=600 \
       -o Dpkg::Use-Pty=0 "${@:2}" 2>&1 | tee "$log" | progress; then
    cat "$log" >&2
    echo "setup: apt-get failed" >&2
    exit 1
  fi
}
apt "reading package lists" update
apt "installing" install --no-install-recommends "${missing[@]}"
echo "setup: done"
