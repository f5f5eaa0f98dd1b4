#!/usr/bin/env bash
# tests_are_built.sh - fails on a test file that no CMakeLists.txt builds or runs
set -euo pipefail
bad=0
while read -r file; do
    grep -qF "/$file\"" "$MUSTER_BUILD/compile_commands.json" || {
        echo "no target builds $file" >&2
        bad=1
    }
done < <(git ls-files -co --exclude-standard '*_test.c')
while read -r file; do
    grep -rqF "/$file\"" --include=CTestTestfile.cmake "$MUSTER_BUILD" || {
        echo "no test runs $file" >&2
        bad=1
    }
done < <(git ls-files -co --exclude-standard 'sim/tests/*.sh')
exit $bad
