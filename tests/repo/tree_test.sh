#!/usr/bin/env bash
# The tree is clean: text is plain, folders explain themselves, scripts can be run.
# usage: tree_test.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

if git ls-files > /dev/null 2>&1; then
  mapfile -t all < <(git ls-files)
else
  mapfile -t all < <(find . -path './build*' -prune -o -path ./.git -prune -o -type f -print | sed 's|^\./||')
fi
files=() text=()
for file in "${all[@]}"; do
  [[ -f $file ]] || continue
  files+=("$file")
  case $file in *.gz | *.npy) ;; *) text+=("$file") ;; esac
done

failures=0
none() {  # what, then what must be empty
  if [[ -z $2 ]]; then return; fi
  printf 'FAIL %s:\n%s\n' "$1" "$(head -20 <<< "$2")"
  failures=$((failures + 1))
}

# Data that is wrong on purpose is in tests/errors.
mapfile -t sources < <(printf '%s\n' "${text[@]}" | grep -vE '^tests/errors/.*\.(mtx|tns)$')
mapfile -t untabbed < <(printf '%s\n' "${sources[@]}" | grep -v 'Makefile')
none "not ASCII" "$(LC_ALL=C grep -nP '[^\x00-\x7F]' "${sources[@]}" || true)"
none "carriage return" "$(LC_ALL=C grep -lP '\r' "${sources[@]}" || true)"
none "tab" "$(grep -nP '\t' "${untabbed[@]}" || true)"
none "space at the end of a line" "$(grep -nP '[ \t]+$' "${sources[@]}" || true)"
none "unfinished" "$(grep -nE '\b(TO''DO|FIX''ME|X''XX)\b' "${sources[@]}" || true)"
none "a path that users do not have" \
  "$(grep -nE '\.\./shar''ed|(^|[^A-Za-z0-9_.}*])/wor''k\b' "${sources[@]}" || true)"
no_newline=""
for file in "${sources[@]}"; do
  if [[ -s $file && -n $(tail -c 1 "$file") ]]; then no_newline+="$file"$'\n'; fi
done
none "no newline at the end" "$no_newline"

# Suites of unit tests and folders of data are explained one level up.
folders=$(printf '%s\n' "${files[@]}" | xargs -d '\n' dirname | sort -u |
          grep -vE '^(\.ci|tests/unit/.*|tests/golden/.*)$')
missing=""
for folder in $folders; do
  [[ -f $folder/README.md ]] || missing+="$folder"$'\n'
done
none "no README.md" "$missing"

unrunnable=""
for file in scripts/*.sh .ci/run tests/*/*.sh; do
  [[ -x $file ]] || unrunnable+="$file"$'\n'
  head -1 "$file" | grep -q '^#!/usr/bin/env bash$' || unrunnable+="$file: no #!/usr/bin/env bash"$'\n'
  bash -n "$file" || unrunnable+="$file: syntax"$'\n'
done
none "a script cannot be run" "$unrunnable"

# Links between documents lead somewhere.
dangling=""
for file in "${files[@]}"; do
  [[ $file == *.md ]] || continue
  while read -r target; do
    [[ -e $(dirname "$file")/$target ]] || dangling+="$file: $target"$'\n'
  done < <(grep -oE '\]\([^)#:]+' "$file" | sed 's/^](//')
done
none "a link leads nowhere" "$dangling"

if [[ $failures -gt 0 ]]; then exit 1; fi
echo "${#files[@]} files are clean"
