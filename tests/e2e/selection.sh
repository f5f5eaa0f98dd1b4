#!/usr/bin/env bash
# selection.sh - profile.kernel selects kernels, collectives and messages, also by several
# patterns; what was selected and not measured is named
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
export NPU_SIM_CARDS=2
sim=$B/lib/muster/sim/bin
run() { # NAME KERNEL MORE COMMAND...: sets $code, $status and $reason, lists kernels in kernels.NAME
    cat >"$1.yaml" <<YAML
version: 1
name: $1
operator: {command: [$4]$3}
profile: {metrics: [PipeUtilization]$2, launch: {count: all}}
limits: {time: 60s}
YAML
    code=0
    muster run --quiet --out "out.$1" "$1.yaml" >/dev/null 2>"stderr.$1" || code=$?
    status=$(muster show --out "out.$1" -o csv "$1" | python3 -c 'import csv, sys; print(next(csv.DictReader(sys.stdin))["status"])')
    reason=$(muster show --out "out.$1" -o csv "$1" | python3 -c 'import csv, sys; print(next(csv.DictReader(sys.stdin))["reason"])')
    muster results --out "out.$1" -o csv "$1" | python3 -c '
import csv, sys
print(*sorted({(row["kernel"]) for row in csv.DictReader(sys.stdin)}))' >"kernels.$1"
}

say 'a program whose launches are not selected is injected, and nothing is profiled'
run nothing ', kernel: "Mul*|Sub*"' '' "$sim/add_custom"
[ "$code $status" = '1 nothing-profiled' ] || fail "nothing: exit $code, $status"
[[ $reason == *'no launch was profiled; other kernels: add_custom'* ]] || fail "nothing: $reason"
run without '' '' /bin/true
[ "$code $status" = '1 not-injected' ] || fail "without: exit $code, $status"

say 'one of several patterns selects a kernel'
run list ', kernel: "Mul*|add_*"' '' "$sim/add_custom"
[ "$code $status $(cat kernels.list)" = '0 done add_custom' ] || fail "list: exit $code, $status, $(cat kernels.list)"

say 'without a pattern, messages and collectives are listed and not measured'
for op in shift all_reduce; do
    run "plain-$op" '' ', ranks: 2' "$sim/collectives, --op, $op"
    [ "$code $status" = '1 nothing-profiled' ] || fail "$op: exit $code, $status: $reason"
done
grep -q 'other kernels: HcclAllReduce (a collective; name it in profile.kernel)' stderr.plain-all_reduce || fail "$(cat stderr.plain-all_reduce)"
grep -q 'Hccl[A-Za-z]* (point-to-point; name it in profile.kernel)' stderr.plain-shift || fail "$(cat stderr.plain-shift)"

say '"*" selects collectives, too'
run all ', kernel: "*"' ', ranks: 2' "$sim/collectives, --op, all_reduce"
[ "$code $status $(cat kernels.all)" = '0 done HcclAllReduce' ] || fail "all: exit $code, $status, $(cat kernels.all): $reason"

say 'each launch of a collective has figures of its own, on each rank'
for way in ranks threads; do
    threads=
    [ $way = ranks ] || threads=", --threads, '2'"
    run "twice-$way" ', kernel: HcclAllReduce' ", $way: 2" "$sim/allreduce, --launches, '2'$threads"
    [ "$code" -eq 0 ] || fail "twice-$way: $(cat "stderr.twice-$way")"
    muster results --out "out.twice-$way" --metric duration_us -o csv "twice-$way" | python3 -c '
import csv, sys
durations = {}
for row in csv.DictReader(sys.stdin):
    durations.setdefault(row["rank"], {})[int(row["launch"])] = row["value"]
assert {rank: sorted(launches) for rank, launches in durations.items()} == {"0": [0, 1], "1": [0, 1]}, durations
figures = [float(value) for launches in durations.values() for value in launches.values()]
assert min(figures) > 0 and len(set(figures)) > 1, durations' ||
        fail "twice-$way: the figures of the launches"
done

say 'a selected message is reported as not measured'
run message ', kernel: "HcclSend|HcclRecv|HcclBatchSendRecv"' ', ranks: 2' "$sim/collectives, --op, shift"
[ "$code $status" = '1 failed' ] || fail "message: exit $code, $status: $reason"
[[ $reason == *'launches incomplete: not all ranks call it, so it is not replayed'* ]] || fail "message: $reason"
grep -q '"complete": false' out.message/message-1/report.json || fail 'report.json calls the job complete'

say 'the ranks that are threads of a process number a launch alike'
run threads ', kernel: "Matmul*"' ', threads: 2' "$sim/matmul_all_reduce, --threads, '2', --launches, '3'"
[ "$code" -eq 0 ] || fail "threads: $(cat stderr.threads)"
muster results --out out.threads --metric duration_us -o csv threads | python3 -c '
import csv, sys
launches = {}
for row in csv.DictReader(sys.stdin):
    launches.setdefault(row["rank"], []).append(int(row["launch"]))
assert launches == {"0": [0, 1, 2], "1": [0, 1, 2]}, launches' || fail 'the numbers of the launches differ'
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
