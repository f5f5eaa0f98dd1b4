#!/usr/bin/env bash
# relative_paths.sh - a coordinator and workers that were started with relative paths
# measure a gang, and print paths that are valid in every folder
. "$(dirname "$0")/fleet.sh"
cd "$work"
mkdir -m 750 results
export NPU_SIM_CARDS=2
muster-coordinator --store results/store --out results --control "ipc://$work/control" \
    --data "ipc://$work/data" --announce endpoints 2>>coordinator.log &
coordinator_pid=$!
for card in 0 1; do
    muster-worker --control "ipc://$work/control" --data "ipc://$work/data" --card "$card" \
        --model Ascend910B2 --simulated --spool "spool-$card" 2>>"worker-$card.log" &
    worker_pid[$card]=$!
done
fused gang 'matmul_all_reduce_inplace' 'ranks: 2' 'HCCL_BUFFSIZE: "1"' \
    'kernel: "InplaceMatmul*", warmup: 0, stubs: on' 'limits: {retries: 0, time: 60s}' >gang.yaml
job=$(muster submit gang.yaml 2>/dev/null)
cd /
report=$(muster wait -q "$job" 2>"$work/wait.err") || fail "exit $?: $(cat "$work/wait.err")"
cd "$work"
[ "$(sqlite3 results/store/muster.db "select count(*) from v_ranks where status = 'done' and parse_state = 'done' and launches = 1")" -eq 2 ] ||
    fail "$(sqlite3 results/store/muster.db 'select rank, status, reason, parse_error from v_ranks')"
[ "$report" = "$job done $work/results/$job/report.html" ] || fail "report: $report"
[ "$(wc -l <endpoints)" -eq 2 ] || fail "endpoints: $(cat endpoints)"
