#!/usr/bin/env bash
# run_tests.sh PRESET [OPTION...] - runs the tests of a preset with ctest, and lists at the
# end what was skipped and how to run it; OPTIONs are those of ctest
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
results=build/$preset/results.xml
code=0
# The Python of Debian has the packages that deploy/setup.sh installs; one of pyenv lacks
# them, and its start takes ten times as long.
export PATH=/usr/bin:$PATH
ctest --preset "$preset" -j 2 --test-output-size-passed 100000 --output-junit "$PWD/$results" "$@" || code=$?
tests/skipped.py "$results" || [ "$code" -ne 0 ] || code=1
exit "$code"
