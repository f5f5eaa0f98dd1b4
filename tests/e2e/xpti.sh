#!/usr/bin/env bash
# xpti.sh - a job of SYCL-like ranks on two simulated hosts: each rank has all its trace
# events, also when a worker is killed in the middle; what cannot be traced is reported
. "$(dirname "$0")/fleet.sh"
cd "$work"
sim=$B/lib/muster/sim/bin/sycl_like

# Prints a column of a table of a rank of job 1.
column() { # RANK TABLE COLUMN
    python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])): print(row[sys.argv[2]])' "$(echo out/traced-1/p0/r0/*/"rank$1/xpti/$2.csv")" "$3"
}

say 'four ranks on two hosts; the worker of rank 3 is killed while they run'
coordinator_up
worker_up 0 --host alpha
worker_up 1 --host alpha
worker_up 2 --host beta
worker_up 3 --host beta
cat >traced.yaml <<YAML
version: 1
name: traced
operator:
  command: [sh, -c, 'echo \$ASCEND_RT_VISIBLE_DEVICES >$work/started.\$RANK_ID.\$MUSTER_ATTEMPT; exec $sim app threads=2 kernels=30 task_us=10000']
  ranks: 4
profile: {tool: xpti}
cards: {per_host: 2}
YAML
muster submit traced.yaml >/dev/null
until_true test -s started.3.1
rank3=$(cat started.3.1)
kill -KILL "${worker_pid[$rank3]}"
wait "${worker_pid[$rank3]}" 2>/dev/null || true
worker_up "$rank3" --host beta
muster wait --quiet traced >/dev/null || fail "the job failed: $(db 'select rank, status, reason from v_ranks')"
[ "$(db 'select max(attempt) > 1 from v_ranks')" = 1 ] || fail 'the killed worker had no effect'
[ "$(db "select group_concat(host, ' ') from (select distinct host from v_ranks where accepted order by host)")" = 'alpha beta' ] ||
    fail 'not on two hosts'
for rank in 0 1 2 3; do
    [ "$(column $rank kernels Kernel | xargs)" = 'VecAdd VecMul' ] || fail "kernels of rank $rank"
    [ "$(column $rank kernels Count | xargs)" = '30 30' ] || fail "kernel counts of rank $rank"
    [ "$(column $rank transfers Bytes)" = $((2 * 30 * 4096)) ] || fail "bytes of rank $rank"
    [ "$(column $rank calls Count | sort -n | xargs)" = '2 2 60 60' ] || fail "calls of rank $rank"
done
python3 - <<PY || fail 'a kernel was shorter than its program made it'
import csv, glob
paths = glob.glob("out/traced-1/p0/r0/*/rank*/xpti/kernels.csv")
assert len(paths) == 4, paths
for path in paths:
    for row in csv.DictReader(open(path)):
        assert float(row["Min us"]) >= 9980, row  # the quick clock errs by microseconds
PY
python3 - <<PY || fail 'the trace of rank 0'
import glob, json
from collections import Counter
events = json.load(open(glob.glob("out/traced-1/p0/r0/*/rank0/xpti/trace.json")[0]))["traceEvents"]
phases = Counter(event["ph"] for event in events)
assert phases["s"] == phases["f"] == 60, phases
lanes = {event["tid"] for event in events if event["ph"] == "X" and event["name"] == "VecAdd"}
assert lanes == {"queue 1", "queue 2"}, lanes
PY
python3 - <<PY || fail 'the merged trace'
import json
from collections import Counter
events = json.load(open("out/traced-1/p0/r0/merged/xpti.json"))["traceEvents"]
ranks = Counter(event["pid"].split(",")[0] for event in events if event["ph"] == "X" and event["name"] == "VecAdd")
assert ranks == {f"rank {rank}": 30 for rank in range(4)}, ranks
numbers = Counter(event["id"] for event in events if event["ph"] == "s")
assert len(numbers) == 4 * 60 and max(numbers.values()) == 1, numbers
starts = {}
for event in events:
    if event["ph"] == "X":
        starts[event["pid"]] = min(event["ts"], starts.get(event["pid"], event["ts"]))
assert min(starts.values()) == 0 and max(starts.values()) < 60e6, starts
PY
[ "$(db "select count(*) from v_results where metric = 'xpti.count' and kernel = 'VecAdd' and value = 30")" = 4 ] ||
    fail "figures: $(db 'select rank, kernel, metric, value from v_results')"
muster results traced --kernel VecMul >results.txt
grep -q 'xpti.max_us' results.txt || fail "muster results: $(cat results.txt)"

refused() { # NAME TEXT COMMAND PROFILE ENV: the job must fail with TEXT
    cat >"$1.yaml" <<YAML
version: 1
name: $1
operator: {command: [$3], env: {A: b$5}}
profile: {tool: xpti$4}
limits: {retries: 0}
YAML
    muster submit "$1.yaml" >/dev/null
    muster wait --quiet "$1" >/dev/null && fail "$1 succeeded"
    db "select reason from v_ranks where job like '$1-%'" >reason.txt
    grep -qF "$2" reason.txt || fail "$1: $(db "select status, reason from v_ranks where job like '$1-%'")"
}
say 'what cannot be traced is reported'
refused silent 'publishes none of the selected XPTI streams' 'true' '' ''
refused filtered 'check profile.streams and profile.filter' "$sim, smallest" ', streams: [ur.call], filter: none' ''
refused absent 'XPTI_SUBSCRIBERS names /absent/s.so' "$sim" '' ', XPTI_SUBSCRIBERS: /absent/s.so'

say 'the index of a capture is rebuilt from its groups'
down
blocks='select * from blocks order by run_id, shard, block'
capture_db 1 "$blocks" >blocks.txt
[ "$(wc -l <blocks.txt)" -gt 4 ] || fail "blocks: $(cat blocks.txt)"
capture_db 1 'delete from blocks where block % 2 = 0'
muster fsck --repair >fsck.txt || fail "fsck --repair: exit $?: $(cat fsck.txt)"
capture_db 1 "$blocks" | cmp - blocks.txt || fail 'the index has other blocks'
