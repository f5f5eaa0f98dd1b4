#!/usr/bin/env bash
# selection.sh - profile.kernel selects kernels, collectives and messages, also by several
# patterns; what was selected and could not be measured is named
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
export NPU_SIM_CARDS=4
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

say 'a selected message is measured in the execution of the program'
# 5 us for the notifies, 5 us of latency, 4096 floats at 28 GB/s
messages() { # NAME RANKS KERNEL...: each rank has one message of each kernel, with this duration
    muster results --out "out.$1" --metric duration_us -o csv "$1" | python3 -c '
import csv, sys
ranks, expected = int(sys.argv[1]), 5 + 5 + 4096 * 4 / 28e3
rows = [(int(row["rank"]), row["kernel"], int(row["launch"]), float(row["value"])) for row in csv.DictReader(sys.stdin)]
assert sorted(row[:3] for row in rows) == sorted((rank, kernel, 0) for rank in range(ranks) for kernel in sys.argv[2:]), rows
assert all(expected <= row[3] <= expected * 1.03 for row in rows if row[1] == "HcclBatchSendRecv" or row[0] == 0), (expected, rows)' "${@:2}" ||
        fail "$1: the figures of the messages"
}
for replay in kernel application; do
    run "shift-$replay" ", kernel: \"Hccl*\", replay: $replay" ', ranks: 3' "$sim/collectives, --op, shift"
    [ "$code $status" = '0 done' ] || fail "shift-$replay: exit $code, $status: $reason"
    messages "shift-$replay" 3 HcclBatchSendRecv
done
run relay ', kernel: "*"' ', ranks: 4' "$sim/collectives, --op, relay"
[ "$code $status" = '0 done' ] || fail "relay: exit $code, $status: $reason"
messages relay 4 HcclSend HcclRecv

say 'a message that ends only after a later call of its rank is named, and the program is right'
run cross ', kernel: HcclSend|HcclRecv, barrier: {deadline: 500ms}' ', ranks: 2' "$sim/collectives, --op, cross, --launches, '2'"
[ "$code $status" = '1 failed' ] || fail "cross: exit $code, $status: $reason"
[[ $reason == *'4 of 4 launches incomplete: the message failed, or its partner waits for a later call of this rank: 507046'* ]] || fail "cross: $reason"
grep -q '"complete": false' out.cross/cross-1/report.json || fail 'report.json calls the job complete'
muster logs --out out.cross cross | grep -q 'result=ok' || fail "cross: $(muster logs --out out.cross cross)"

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
