#!/usr/bin/env bash
# build_tests.sh PRESET REGEX - builds the unit tests whose names match, and their needs
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 regex=$2
ninja -C "build/$preset" -t targets all | sed -n 's/: phony$//p' | sort >"build/$preset/targets.txt"
ctest --preset "$preset" -N -L unit -R "$regex" | sed -nE 's/^ *Test +#[0-9]+: //p' |
    sed -e 's/_\(hidden\|a5\)$//' -e 's|/|_|g' -e 's/$/_test/' | sort -u |
    comm -12 - "build/$preset/targets.txt" >"build/$preset/tests.txt"
[ -s "build/$preset/tests.txt" ] || {
    echo "build_tests.sh: no unit test matches '$regex'" >&2
    exit 1
}
xargs cmake --build "build/$preset" --target <"build/$preset/tests.txt"
