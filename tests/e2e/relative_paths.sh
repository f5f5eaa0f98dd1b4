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
    'kernel: "MatmulAllReduceAdd*", warmup: 0, stubs: on' 'limits: {retries: 0, time: 60s}' >gang.yaml
job=$(muster submit gang.yaml 2>/dev/null)
cd /
report=$(muster wait -q "$job" 2>"$work/wait.err") || fail "exit $?: $(cat "$work/wait.err")"
cd "$work"
[ "$(sqlite3 results/store/muster.db "select count(*) from v_ranks where status = 'done' and parse_state = 'done' and launches = 1")" -eq 2 ] ||
    fail "$(sqlite3 results/store/muster.db 'select rank, status, reason, parse_error from v_ranks')"
[ "$report" = "$job done $work/results/$job/report.html" ] || fail "report: $report"
[ "$(wc -l <endpoints)" -eq 2 ] || fail "endpoints: $(cat endpoints)"

say 'a folder that the viewer would not read is reported before files are written'
unset MUSTER_COORDINATOR
echo '{version: 1, name: quick, operator: {command: [/bin/true]}, profile: {metrics: []}}' >quick.yaml
mkdir -m 750 target empty
ln -s target linked
mkdir shared && chmod 777 shared
warns() { # FOLDER TEXT REFUSAL: both commands print the text; muster run may refuse the folder
    code=0
    muster run --quiet --out "$1" quick.yaml >/dev/null 2>run.warned || code=$?
    [ $code -eq $((${#3} ? 3 : 0)) ] && { [ -z "$3" ] || grep -qF -- "$3" run.warned; } || fail "run --out $1: exit $code, $(cat run.warned)"
    muster import empty --out "$1" >/dev/null 2>import.warned || true # there is nothing to import
    for command in run import; do
        [ "$(sed -n "s/^muster $command: warning: --out //p" $command.warned)" = "${2:+$1: $2}" ] ||
            fail "$command --out $1: $(cat $command.warned)"
    done
}
warns plain '' ''
warns linked "the folder is a symbolic link to $work/target" ''
warns shared 'the folder is writable by other users; the viewer rejects it: chmod o-w' \
    'muster run: shared: others can write to it (mode 0777); chmod o-w shared'
warns 'a & b' 'the viewer rejects the character 0x26 in the path' ''
if [ "$(id -u)" -eq 0 ]; then
    mkdir foreign && chown 1 foreign
    warns foreign "the folder belongs to another user; the viewer accepts only its own user's folders" ''
fi
