#!/usr/bin/env bash
# tidy.sh BUILD [FOLDER...] - runs clang-tidy (.clang-tidy) on the C files below FOLDER
#
# Without FOLDER: on the files that the working tree or the last ten commits changed.
# Tests are left out: their cases are long lists, and the sanitizers run them. Headers are
# checked with the files that include them. Every warning is an error.
set -euo pipefail
build=$1
shift
changed() {
    git diff --name-only --diff-filter=d "$(git rev-list --max-count=11 HEAD | tail -n 1)" -- '*.c'
    git ls-files -o --exclude-standard -- '*.c'
}
list() { if [ $# -gt 0 ]; then git ls-files -co --exclude-standard "$@"; else changed; fi; }
mapfile -t files < <(list "$@" | grep '\.c$' | grep -vE '_(test|fuzz)\.c$|^(sim|tests)/')
built=()
for file in "${files[@]}"; do
    ! grep -qF "/$file\"" "$build/compile_commands.json" || built+=("$file")
done
echo "tidy: ${#built[@]} files" >&2
[ ${#built[@]} -gt 0 ] || exit 0
printf '%s\0' "${built[@]}" |
    xargs -0 -n 4 -P "$(nproc)" clang-tidy -p "$build" --quiet --warnings-as-errors='*' 2> >(grep -v 'warnings generated' >&2)
