#!/usr/bin/env bash
# valgrind.sh - the operators do nothing that valgrind would tell
set -euo pipefail
command -v valgrind >/dev/null || { echo "no valgrind here"; exit 77; }
exec sim/tests/operators.sh valgrind -q --error-exitcode=99 --leak-check=full \
    --errors-for-leak-kinds=definite
