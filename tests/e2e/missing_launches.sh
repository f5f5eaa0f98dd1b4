#!/usr/bin/env bash
# missing_launches.sh - a program with fewer launches than profile.launch.count fails its
# task: state, exit code, report and results give both numbers; `count: all` takes all
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
export NPU_SIM_CARDS=2
number=0
run() { # NAME LAUNCH OPERATOR [MORE-OF-PROFILE]: sets $code, $job and $states
    job=$1-$((++number)) code=0
    cat >"$1.yaml" <<YAML
version: 1
name: $1
operator: {$3}
profile: {metrics: [PipeUtilization], warmup: 0, launch: {$2}${4-}}
limits: {time: 60s}
YAML
    muster run --quiet --out out "$1.yaml" >/dev/null 2>"$1.err" || code=$?
    states=$(db "select group_concat(distinct t.state || ' ' || r.status) from tasks t join jobs j using (job_id) join v_ranks r on r.job = j.key where j.key = '$job'")
}
lacks() { # NAME NUMBERS LAUNCH OPERATOR [MORE-OF-PROFILE]: everything gives the numbers
    run "$1" "$3" "$4" "${5-}"
    [ "$code $states" = '1 failed too-few-launches' ] || fail "$1: exit $code, $states: $(cat "$1.err")"
    muster results --out out -o csv "$job" >"$1.csv" 2>results.err
    for file in "$1.err" results.err "out/$job/junit.xml" "out/$job/report.html"; do
        grep -q "$2 were found" "$file" || fail "$1: no reason in $file"
    done
    grep -q '"complete": false' "out/$job/report.json" || fail "$1: report.json calls the job complete"
}
three='command: [sim/bin/accumulate_inplace, --launches, "3"]'
fused='command: [sim/bin/matmul_all_reduce_inplace, --launches, "2"], ranks: 2'

lacks fewer '3 of 5 launches' 'count: 5' "$three"
[ "$(grep -c duration_us fewer.csv)" -eq 3 ] || fail "the measured launches have no figures: $(cat fewer.csv)"
[ "$(db "select count(*) from attempts a join tasks t using (task_id) join jobs j using (job_id) where j.key = '$job'")" -eq 1 ] ||
    fail 'the task was repeated, although nothing can change'
lacks skipped '1 of 2 launches' 'skip: 2, count: 2' "$three"
lacks ranks '2 of 3 launches' 'count: 3' "$fused" ", kernel: 'MatmulAllReduceAdd*'"
lacks starts '3 of 4 launches' 'count: 4' "$three" ', replay: application'
lacks marked '1 of 2 ranges' 'count: 2' "command: [$B/tests/marker, $B/lib/muster/sim/kernels/accumulate_inplace.o, '3']" ", replay: range, kernel: forward"

say 'the exact number, no number, and all'
for launch in 'count: 3' 'skip: 0' 'skip: 1, count: all'; do
    run good "$launch" "$three"
    [ "$code $states" = '0 done done' ] || fail "$launch: exit $code, $states: $(cat good.err)"
done
[ "$(db "select launches from v_ranks where job = '$job'")" -eq 2 ] || fail 'all: not every launch behind the first is measured'

say 'limits.on and retry --class have the word'
sed 's/60s}/60s, retries: 1, on: [too-few-launches]}/' fewer.yaml >again.yaml
muster run --quiet --out out again.yaml >/dev/null 2>&1 && fail 'a repeated task found more launches'
[ "$(db "select max(attempt) from attempts a join tasks t using (task_id) where t.job_id = $((number + 1))")" -eq 2 ] ||
    fail 'limits.on had no effect'
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
