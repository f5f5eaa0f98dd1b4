#!/usr/bin/env bash
# framework.sh - a job whose program profiles itself, on two simulated hosts: the worker
# collects the profile of each rank, also when a worker is killed in the middle; steps,
# anomalies and the slow rank are in the store and in the report
. "$(dirname "$0")/fleet.sh"
cd "$work"
sim=$B/lib/muster/sim/bin/train_like

job() { # NAME: four ranks on two hosts; rank 2 computes slowly, rank 1 has a gap
    cat >"$1.yaml" <<YAML
version: 1
name: $1
operator:
  command: [$work/train, $1]
  ranks: 4
profile: {tool: framework, collect: "profile/rank%r_ascend_pt"}
cards: {per_host: 2}
YAML
    muster submit "$1.yaml" >/dev/null
}
waiting train "$sim --ranks 4 --slow-rank 2 --slow-percent 140 --gap middle --gap-us 12000 --out profile >/dev/null
echo \$ASCEND_RT_VISIBLE_DEVICES >$work/\$1.\$RANK_ID.\$MUSTER_ATTEMPT"

# Prints the figures of a job; each row has the same columns in both jobs.
figures() { # NAME
    db "select rank, kernel, metric, value, unit from v_results where job like '$1-%' order by 1, 2, 3"
}
analyses() { # NAME
    find "out/$1-"* -name anomaly_discovery.json | sort | xargs sha256sum | cut -d' ' -f1
}

coordinator_up
worker_up 0 --host alpha
worker_up 1 --host alpha
worker_up 2 --host beta
worker_up 3 --host beta

say 'a job that nothing disturbs'
touch go
job calm
muster wait --quiet calm >/dev/null || fail "the job failed: $(db 'select rank, status, reason from v_ranks')"
[ "$(db "select group_concat(host, ' ') from (select distinct host from v_ranks order by host)")" = 'alpha beta' ] ||
    fail 'not on two hosts'
figures calm >calm.txt
analyses calm >calm.sums
[ "$(wc -l <calm.sums)" -eq 4 ] || fail "analyses: $(find out/calm-1)"

say 'the figures of each rank are those that muster analyze prints'
mkdir again && "$sim" --ranks 4 --slow-rank 2 --slow-percent 140 --gap middle --gap-us 12000 --out again >/dev/null
muster analyze again --to report >/dev/null 2>&1
python3 - calm.txt report <<'PYTHON'
import json, sys
stored = {}
for line in open(sys.argv[1]):
    rank, kernel, metric, value, unit = line.rstrip("\n").split("|")
    assert kernel == "step_group_0", line
    stored[int(rank), metric] = float(value)
for rank in range(4):
    result = json.load(open("%s/rank_%d/anomaly_discovery.json" % (sys.argv[2], rank)))
    group, steps = result["step_group_anomalies"][0], result["steps"]
    def near(metric, wanted):
        assert abs(stored[rank, metric] - wanted) < 0.01, (rank, metric, stored[rank, metric], wanted)
    def mean(name):
        return sum(step[name] for step in steps) / len(steps)
    near("duration_us", group["service_ms_avg"] * 1000)
    near("step_p95_us", group["service_ms_p95"] * 1000)
    near("step_count", 3)
    near("step_busy_ratio", mean("device_busy_union_ms") / mean("service_ms"))
    near("compute_us", mean("compute_busy_union_ms") * 1000)
    near("step_comm_wait_us", mean("comm_wait_ms") * 1000)
    near("transfer_us", (mean("comm_not_overlapped_ms") - mean("comm_wait_ms")) * 1000)
    near("duration_us", sum(stored[rank, part + "_us"] for part in ("compute", "transfer", "wait")))
    tags = {metric[4:]: value for (of, metric), value in stored.items() if of == rank and metric.startswith("tag.")}
    assert set(tags) == set(group["dominant_anomaly_tags"]), (rank, tags)
    assert all(value == 3 for value in tags.values()), tags
assert stored[1, "tag.INTERNAL_BUBBLE_HEAVY"] == 3, stored
slowest = max(range(4), key=lambda rank: stored[rank, "compute_us"])
assert slowest == 2, stored
PYTHON

say 'the report shows the steps, the anomalies and the slow rank'
python3 - out/calm-1/report.json out/calm-1/report.html <<'PYTHON'
import json, os, re, sys
steps = json.load(open(sys.argv[1]))["steps"]
assert [step["rank"] for step in steps] == [0, 1, 2, 3], steps
assert all(step["steps"] == 3 and step["group"] == "step_group_0" for step in steps), steps
assert "INTERNAL_BUBBLE_HEAVY: 3" in steps[1]["anomalies"], steps[1]
assert steps[2]["anomalies"] == "COMM_SYNC_RISK: 3", steps[2]
assert steps[1]["internal_us"] > 12000 > 100 > steps[2]["internal_us"], steps
page = open(sys.argv[2]).read()
assert "The worst step among ranks is that of rank 2 of step_group_0" in page
links = re.findall(r'"(p0/r0/[^"]*/analysis/analysis.html)"', page)
assert len(links) == 4 and all(os.path.exists(os.path.join("out/calm-1", link)) for link in links), links
PYTHON

say 'the same with a worker that is killed while the program runs'
rm go
job killed
for rank in 0 1 2 3; do until_true test -s "killed.$rank.1"; done
card=$(cat killed.3.1)
kill -KILL "${worker_pid[$card]}"
wait "${worker_pid[$card]}" 2>/dev/null || true
touch go
worker_up "$card" --host beta
muster wait --quiet killed >/dev/null || fail "the job failed: $(db 'select rank, status, reason from v_ranks')"
[ "$(db "select max(attempt) from v_ranks where job like 'killed-%'")" = 2 ] || fail 'the killed worker had no effect'
figures killed | diff calm.txt - || fail 'the figures differ'
analyses killed | diff calm.sums - || fail 'the analyses differ'

say 'the profile is stored as the program wrote it'
for rank in 0 1 2 3; do
    folder=$(find out/killed-2 -type d -name "rank${rank}_ascend_pt")
    diff -r "again/rank${rank}_ascend_pt" "$folder" || fail "the profile of rank $rank"
done
