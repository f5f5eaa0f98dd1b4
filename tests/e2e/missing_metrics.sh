#!/usr/bin/env bash
# missing_metrics.sh - a metric that was requested and not measured fails the task: state,
# exit code, report and results name the metric and the reason
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
job() { # NAME OPERATOR METRICS [KEY]: writes a job file
    number=$((number + 1))
    cat >"$1.yaml" <<YAML
version: 1
name: $1
operator: {$2}
profile: {metrics: [$3], warmup: 0${4:+, $4}}
limits: {retries: 0}
YAML
}
fails() { # NAME REASON OPERATOR METRICS [KEY]: the job fails with this reason
    local name=$1 reason=$2 code=0 job=$1-$((number + 1)) states
    job "$name" "$3" "$4" "${5:-}"
    muster validate "$name.yaml" >/dev/null || fail "$name: invalid"
    muster run --quiet --out out "$name.yaml" >/dev/null 2>"$name.err" || code=$?
    [ "$code" -eq 1 ] || fail "$name: exit $code: $(cat "$name.err")"
    states=$(db "select distinct t.state from tasks t join jobs j using(job_id) where j.key = '$job'")
    [ "$states" = failed ] || fail "$name: $states"
    muster results --out out "$job" >figures 2>results.err
    for file in "$name.err" results.err "out/$job/junit.xml" "out/$job/report.html"; do
        sed "s/&#39;/'/g" "$file" >text
        grep -qF "$reason" text || fail "$name: no reason in $file"
    done
}
number=0
fused='command: [sim/bin/matmul_all_reduce_inplace], ranks: 2'
cause='is missing: a kernel that communicates with other ranks cannot be instrumented'
fails source "metric 'Source' $cause" "$fused" Source
fails memory "metric 'MemoryDetail' $cause" "$fused" 'Default, MemoryDetail'
grep -q aic_cube_ratio figures || fail 'the figures of the other metrics are missing'
fails both "metrics 'MemoryDetail', 'Source' are missing: ${cause#is missing: }" "$fused" 'Source, MemoryDetail'
fails collective "metric 'Source' $cause" 'command: [sim/bin/lccl_all_reduce], ranks: 2' Source

say 'a communication call has a duration and no counters'
fails plain "metrics 'Occupancy', 'Roofline' are missing: a communication call runs no kernel on the cores" \
    'command: [sim/bin/allreduce], ranks: 2' 'Roofline, Occupancy' "kernel: '*'"
[ "$(db "select count(*) from v_launches where job like 'plain-%' and advice = ''")" -eq 2 ] ||
    fail "advice without counters: $(db "select advice from v_launches where job like 'plain-%'")"
fails message "metric 'Source' is missing: a communication call runs no kernel on the cores" \
    'command: [sim/bin/collectives, --op, relay], ranks: 2' Source "kernel: '*'"
for metrics in Default BasicInfo; do # a job cannot select fewer metrics
    job "default$metrics" 'command: [sim/bin/allreduce], ranks: 2' "$metrics" "kernel: '*'"
    muster run --quiet --out out "default$metrics.yaml" >/dev/null 2>default.err || fail "$(cat default.err)"
done
is() { [ "$1" = "$2" ] || fail "$3: '$1', not '$2'"; }
is "$(db "select distinct notes || advice from v_launches where job like 'defaultDefault-%'")" \
    'without counters: a communication call runs no kernel on the cores' 'notes of a collective'
is "$(db "select group_concat(notes || advice, '') from v_launches where job like 'defaultBasicInfo-%'")" '' 'notes of durations alone'

say 'a metric that the chip does not have is refused before the run'
cat >roofline.yaml <<'YAML'
version: 1
name: roofline
operator: {command: [sim/bin/add_custom]}
profile: {metrics: [Default, Roofline]}
YAML
code=0
muster run --quiet --out out --model Ascend950PR_9599 roofline.yaml >/dev/null 2>roofline.err || code=$?
[ "$code" -eq 2 ] || fail "Roofline on a 950: exit $code"
grep -q "a 950 counts its operations only in operand records.*remove metric 'Roofline'" roofline.err || fail "$(cat roofline.err)"

say 'what can be measured has no such reason'
cat >good.yaml <<'YAML'
version: 1
name: good
operator: {command: [sim/bin/add_custom]}
profile: {metrics: [MemoryDetail, Source], warmup: 0}
YAML
muster run --quiet --out out good.yaml >/dev/null 2>good.err || fail "$(cat good.err)"
[ "$(db "select parse_state, parse_error from v_ranks where job like 'good-%'")" = 'done|' ] ||
    fail "$(db "select parse_error from v_ranks where job like 'good-%'")"
muster results --out out good 2>results.err >/dev/null
[ ! -s results.err ] || fail "results of a good job: $(cat results.err)"
