#!/usr/bin/env bash
# gang_scaling.sh - muster gang: a sweep over the number of ranks becomes a curve with its
# law and its bend, and collectives get latency and bandwidth; both against the figures in
# the store and the equations of the simulator
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
cat >fleet.yaml <<'YAML'
version: 1
hosts: [{name: one, cards: 8, mhz: 100}] # one rank alone computes for as long as an all-reduce takes
faults: [{fault: slow_link, card: 6, to_card: 7, factor: 40}]
YAML
export NPU_SIM_FLEET=$work/fleet.yaml NPU_SIM_NOISE=0
profile='profile: {metrics: [BasicInfo], warmup: 0, kernel: "*"}'
measure() { # NAME
    muster run --quiet --out out "$1.yaml" >/dev/null 2>run.err || fail "$1: $(cat run.err)"
}

say 'a curve: the size with the slow link leaves the law'
cat >curve.yaml <<YAML
version: 1
name: curve
operator: {command: [sim/bin/allreduce, --n, "\${n}"], ranks: "\${ranks}"}
sweep: {zip: [{ranks: [1, 2, 3, 4, 6, 8], n: [160, 28000, 42000, 56000, 84000, 112000]}], scaling: weak}
overrides: [{when: "ranks == 1", operator: {command: [sim/bin/matmul_custom, --m, "64", --n, "256", --k, "\${n}"]}}]
$profile
limits: {retries: 0}
cards: {exclusive: host} # each size takes the first cards
YAML
measure curve
muster gang curve scaling --out out -o json >curve.json
sqlite3 -json out/store/muster.db "select point, rank, replay, duration_ns from v_replays
    where job = 'curve-1' and duration_ns is not null" >replays.json
python3 - "$(uname -n)" <<'PY' || fail "$(muster gang curve --out out)"
import json, statistics, sys
rows, replays = json.load(open("curve.json"))["rows"], json.load(open("replays.json"))
ranks = [1, 2, 3, 4, 6, 8]
times = []
for point in range(6):
    longest = {}
    for r in replays:
        if r["point"] == point:
            longest[r["replay"]] = max(longest.get(r["replay"], 0), r["duration_ns"] / 1000)
    times.append(statistics.median(longest.values()))
step = 10 + 56000 / 28e3 # notifies and latency; 14000 floats for each pair
for point, row in enumerate(rows):
    n = ranks[point]
    assert row["ranks"] == n and abs(row["time_us"] - times[point]) < 1e-6, (row, times)
    assert abs(row["speedup"] - n * times[0] / times[point]) < 1e-6, row
    assert row["bend"] == (n == 8), row
    if 1 < n < 8:
        assert abs(row["time_us"] - 2 * step) < 0.5, row
assert abs(times[5] - 2 * (step + 39 * 2)) < 0.5, times
# the law without 8 ranks: a straight line through the others (Theil and Sen)
z = [(n, (times[i] / times[0] - 1) / (n - 1)) for i, n in enumerate(ranks) if 1 < n < 8]
slope = statistics.median((b[1] - a[1]) / (b[0] - a[0]) for a in z for b in z if a[0] < b[0])
sigma = max(statistics.median(y - slope * n for n, y in z), 0)
kappa = max(slope, 0)
bend = rows[5]
assert abs(bend["sigma"] - sigma) < 1e-9 and abs(bend["kappa"] - kappa) < 1e-9, (bend, sigma, kappa)
predicted = 8 / (1 + sigma * 7 + kappa * 56)
assert abs(bend["predicted"] - predicted) < 1e-9, (bend, predicted)
assert abs(bend["loss_percent"] - 100 * (predicted / bend["speedup"] - 1)) < 1e-6, bend
assert bend["cards"] == f"{sys.argv[1]}:6 {sys.argv[1]}:7", bend
PY
python3 - <<'PY' || fail 'report.json and the page differ from the rows'
import json
rows = json.load(open("curve.json"))["rows"]
report = json.load(open("out/curve-1/report.json"))["gang"]
assert len(report["scaling"]) == 6 and "collectives" not in report, report.keys()
for got, row in zip(report["scaling"], rows):
    assert {k: v or None for k, v in got.items()} == {k: v or None for k, v in row.items()}, (got, row)
page = open("out/curve-1/report.html").read()
for part in ('id="scaling"', "scaling-plot", "scaling-table", "speedup by number of ranks"):
    assert part in page, part
PY
muster gang curve --out out >text
grep -q '^Scaling over the number of ranks (scaling)$' text || fail "$(cat text)"
grep -q '^the figures are simulated$' text || fail "$(cat text)"

say 'collectives: the latency and the bandwidth of the simulated links'
cat >lines.yaml <<YAML
version: 1
name: lines
operator: {command: [sim/bin/allreduce, --n, "\${n}"], ranks: "\${ranks}"}
sweep: {matrix: {ranks: [2, 4]}, zip: [{n: [100000, 400000], bytes: [400000, 1600000]}]}
$profile
YAML
measure lines
muster gang lines collectives --out out -o csv >lines.csv
python3 - <<'PY' || fail "$(cat lines.csv)"
import csv
rows = list(csv.DictReader(open("lines.csv")))
assert [row["ranks"] for row in rows] == ["2", "4"], rows
for row in rows:
    n = int(row["ranks"])
    assert row["algorithm"] == "mesh" and row["sizes"] == "2", row
    assert abs(float(row["alpha_us"]) - 10) < 0.3, row
    assert abs(float(row["link_gb_per_s"]) - 28) < 0.1, row
    assert abs(float(row["model_percent"])) < 1, row
    time = 2 * (10 + 1.6e6 / n / 28e3)
    assert abs(float(row["largest_us"]) - time) < 0.5, (row, time)
    assert abs(float(row["bus_gb_per_s"]) - 2 * (n - 1) / n * 1.6e3 / time) < 0.3, row
PY

say 'what does not apply is an error'
code=0
muster gang lines scaling --out out >/dev/null 2>err || code=$?
[ "$code" -eq 0 ] || fail "$code: $(cat err)"
muster gang lines scales --out out 2>err && fail 'an unknown analysis'
grep -q "there is no analysis 'scales'; use one of .*scaling, " err || fail "$(cat err)"
muster gang lines --out out -o csv 2>err && fail 'rows of several analyses'
grep -q 'name one' err || fail "$(cat err)"
printf 'version: 1\nname: one\noperator: {command: [sim/bin/add_custom]}\nprofile: {metrics: []}\n' >one.yaml
measure one
muster gang one --out out 2>err && fail 'one card'
grep -q 'no task of job one has several cards' err || fail "$(cat err)"
