#!/usr/bin/env bash
# valgrind.sh - the operators run without errors under valgrind
set -euo pipefail
command -v valgrind >/dev/null || {
    echo "SKIPPED: valgrind is not installed; to run it: deploy/setup.sh --all"
    exit 77
}
set -- valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
    --suppressions="$PWD/sim/tests/valgrind.supp"
run() { NPU_SIM_CARDS=3 "$@" >/dev/null; }
bin="$MUSTER_BUILD/lib/muster/sim/bin"
for ranks in --threads --ranks; do
    run "$@" "$bin/allreduce" $ranks 2 --n 600
    run "$@" "$bin/matmul_all_reduce" $ranks 2 --launches 2 --m 20 --n 8 --k 4
done
for program in all_gather_matmul matmul_reduce_scatter matmul_all_reduce_inplace two_groups; do
    run "$@" "$bin/$program" --threads 2 --m 20 --n 8 --k 4
done
run "$@" "$bin/collectives" --threads 2
run "$@" "$bin/distribute_barrier" --threads 2
run "$@" "$bin/lccl_all_reduce" --threads 2 --n 60
run "$@" --trace-children=yes "$bin/torch_like"
exec sim/tests/operators.sh "$@"
