#!/usr/bin/env bash
# Runs the commands of README.md, the lines of its ```sh blocks, and compares what they print with the ```text block
# that follows, if one does. Commands run in a folder of their own.
# usage: readme_test.sh path/to/heddle      UPDATE_EXPECT=1 rewrites the outputs
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
heddle=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/build"
ln -s "$heddle" "$work/build/heddle"
cp -r "$root/examples" "$work/examples"

failures=0
fail() {
  printf 'FAIL %s\n' "$*"
  failures=$((failures + 1))
}

# Runs one line; its standard output goes to $work/.out.
run() {
  local command=$1
  case $command in
    scripts/*)
      [[ -x $root/${command%% *} ]] || fail "$command: there is no such script"
      ;;
    build/heddle* | make* | cat*)
      (cd "$work" && timeout 300 bash -c "$command") >> "$work/.out" 2> "$work/.err" < /dev/null ||
        fail "$command: $(cat "$work/.err")"
      ;;
    git*) ;;
    *) fail "not a command that this test knows: $command" ;;
  esac
}

commands=0
state=outside  # outside | commands | after (a block of commands) | output
: > "$work/README.md"
: > "$work/.out"
while IFS= read -r line; do
  case $state:$line in
    outside:'```sh' | after:'```sh') state=commands; : > "$work/.out" ;;
    commands:'```') state=after ;;
    commands:*)
      run "${line%%  #*}"
      commands=$((commands + 1))
      ;;
    after:'') ;;
    after:'```text')
      state=output
      printf '%s\n' "$line" >> "$work/README.md"
      cat "$work/.out" >> "$work/README.md"
      continue
      ;;
    after:*) state=outside ;;
    output:'```') state=outside ;;
    output:*) continue ;;
  esac
  printf '%s\n' "$line" >> "$work/README.md"
done < "$root/README.md"

[[ $commands -gt 0 ]] || fail "README.md has no commands"
if [[ -n ${UPDATE_EXPECT:-} ]]; then cp "$work/README.md" "$root/README.md"; fi
diff -u "$root/README.md" "$work/README.md" || fail "README.md shows what is not printed any more"

if [[ $failures -gt 0 ]]; then exit 1; fi
echo "$commands commands work"
