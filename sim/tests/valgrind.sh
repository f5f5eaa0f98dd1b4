#!/usr/bin/env bash
# valgrind.sh - the operators do nothing that valgrind would tell
set -euo pipefail
command -v valgrind >/dev/null || { echo "no valgrind here"; exit 77; }
set -- valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
for ranks in --threads --ranks; do
    NPU_SIM_CARDS=3 "$@" "$MUSTER_BUILD/lib/muster/sim/bin/allreduce" $ranks 3 >/dev/null
    NPU_SIM_CARDS=3 "$@" "$MUSTER_BUILD/lib/muster/sim/bin/matmul_all_reduce" $ranks 3 --launches 2 >/dev/null
done
exec sim/tests/operators.sh "$@"
