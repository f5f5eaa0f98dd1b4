#!/usr/bin/env bash
# fused_moe.sh - dispatch and combine are measured in lock step, apart from each other, and a slow link is seen
# in the figures of its two ranks; rows of each expert and bytes of each peer are figures, and in the timeline
. "$(dirname "$0")/fleet.sh"
cd "$work"
cat >moe.yaml <<'YAML'
version: 1
name: moe
operator: {command: [sim/bin/moe_tokens, --tokens, "64", --hidden, "2048"], ranks: 4}
profile: {metrics: [Default], kernel: "MoeDistribute*", launch: {count: 2}, barrier: {deadline: 20s}}
YAML
figures="select k.name, l.rank, m.name, f.value from figures f join metric_names m using(metric_id)
    join launches l using(launch_id) join kernels k using(kernel_id) where m.name like 'transfer%' or m.name = 'duration_us'"
for soc in Ascend910B2 Ascend910_9391; do
    cat >fleet.yaml <<YAML
version: 1
hosts: [{name: one, cards: 4, soc: $soc}]
faults: [{fault: slow_link, card: 1, to_card: 2, factor: 6}]
YAML
    NPU_SIM_NOISE=0 NPU_SIM_FLEET=$work/fleet.yaml muster run --quiet --out "$work/$soc" moe.yaml >/dev/null 2>run.err ||
        fail "$soc: exit $?: $(cat run.err)"
    sqlite3 -batch -noheader "$soc/store/muster.db" "$figures" >figures.txt
    python3 - "$soc" figures.txt <<'PYTHON' || fail "$soc: $(cat figures.txt)"
import sys

soc, path = sys.argv[1:]
figures = {}
for line in open(path):
    kernel, rank, metric, value = line.rstrip("\n").split("|")
    figures[kernel.split("_")[0], int(rank), metric] = float(value)
for kernel in ("MoeDistributeDispatchV2", "MoeDistributeCombineV2"):
    time = [figures[kernel, rank, "duration_us"] for rank in range(4)]
    assert min(time[1], time[2]) > 1.1 * max(time[0], time[3]), (kernel, time)
    if soc == "Ascend910_9391":
        assert not any("transfer" in key[2] for key in figures), "cores that transfer have no such figures"
        continue
    for rank in range(4):
        for peer in set(range(4)) - {rank}:
            slow = {rank, peer} == {1, 2}
            # notifies and latency, then 64 tokens x 2 experts, evenly on 4 ranks, of 2048 elements with a head of 16 bytes
            moved = 64 * 2 // 4 * (2048 * 2 + 16)
            expected = 5 + 5 + (moved / 28e3) * (6 if slow else 1)
            found = figures[kernel, rank, f"transfer_us_rank_{peer}"]
            assert abs(found - expected) < 0.03 * expected, (kernel, rank, peer, found, expected)
PYTHON
done

# rows and bytes against the choice that the program documents: odd tokens go to the first experts
cat >skewed.yaml <<'YAML'
version: 1
name: skewed
operator: {command: [sim/bin/moe_tokens, --tokens, "30", --experts, "3", --hidden, "512", --choice, skewed], ranks: 4}
profile: {metrics: [Default], kernel: "MoeDistribute*", launch: {count: 2}, barrier: {deadline: 20s}}
YAML
for soc in Ascend910B2 Ascend910_9391 Ascend950PR_9589; do
    printf 'version: 1\nhosts: [{name: one, cards: 4, soc: %s}]\n' "$soc" >fleet.yaml
    NPU_SIM_NOISE=0 NPU_SIM_FLEET=$work/fleet.yaml muster run --quiet --out "$work/s$soc" skewed.yaml >/dev/null 2>run.err ||
        fail "$soc: exit $?: $(cat run.err)"
    env -u MUSTER_COORDINATOR muster results --out "$work/s$soc" --output json skewed >results.json || fail "$soc: results: exit $?"
    python3 - "$work/s$soc" results.json <<'PYTHON' || fail "$soc: wrong figures of tokens"
import glob
import json
import re
import sys

folder, path = sys.argv[1:]
TOKENS, EXPERTS, K, RANKS, WIDTH = 30, 3, 2, 4, 512
rows = {(expert, source): 0 for expert in range(EXPERTS * RANKS) for source in range(RANKS)}
for source in range(RANKS):
    for token in range(TOKENS):
        for k in range(K):
            rows[k if token % 2 else (source * 7 + token * K + k) % (EXPERTS * RANKS), source] += 1
found = {}
for row in json.load(open(path))["rows"]:
    if row["metric"].startswith("moe_") or row["metric"] == "wait_share":
        found[row["kernel"].split("_")[0][13:], row["rank"], row["metric"]] = row["value"]
dispatch = {key[0] for key in found if "Dispatch" in key[0]}
assert len(dispatch) == 1, dispatch
dispatch = dispatch.pop()
wanted, totals, busiest = {}, [], 0
for rank in range(RANKS):
    own = [sum(rows[expert, source] for source in range(RANKS)) for expert in range(rank * EXPERTS, (rank + 1) * EXPERTS)]
    wanted[rank, "moe_tokens"] = sum(own)
    wanted[rank, "moe_imbalance"] = max(own) * EXPERTS / sum(own)
    for expert, count in enumerate(own):
        wanted[rank, f"moe_tokens_expert_{rank * EXPERTS + expert}"] = count
    for source in range(RANKS):
        count = sum(rows[rank * EXPERTS + expert, source] for expert in range(EXPERTS))
        wanted[rank, f"moe_tokens_rank_{source}"] = count
        if source != rank:
            wanted[rank, f"moe_bytes_rank_{source}"] = count * WIDTH * 2
    totals.append(sum(own))
    busiest = max([busiest] + own)
shown = {key[1:]: value for key, value in found.items() if key[0] == dispatch and key[2].startswith("moe_")}
assert shown == wanted, (shown, wanted)
assert all(0 <= value <= 1 for key, value in found.items() if key[2] == "wait_share")
assert len([key for key in found if key[2] == "wait_share"]) == 2 * RANKS, "dispatch and combine, each rank"
page = open(glob.glob(folder + "/**/report.html", recursive=True)[0]).read()
said = re.search(r"the busiest rank received ([0-9.]+) times the mean rows of a rank, the busiest expert ([0-9.]+)", page)
assert said and abs(float(said[1]) - max(totals) * RANKS / sum(totals)) < 0.006, said
assert abs(float(said[2]) - busiest * RANKS * EXPERTS / sum(totals)) < 0.006, (said, busiest)
events = json.load(open(glob.glob(folder + "/**/merged/*Dispatch*/0.json", recursive=True)[0]))["traceEvents"]
slices = {int(e["pid"].split()[1]): e["args"] for e in events if e.get("tid") == "tokens" and e["ph"] == "X"}
assert sorted(slices) == list(range(RANKS)), slices
for rank, args in slices.items():
    for expert in range(EXPERTS):
        assert int(args[f"expert {rank * EXPERTS + expert}"]) == wanted[rank, f"moe_tokens_expert_{rank * EXPERTS + expert}"], args
    for source in set(range(RANKS)) - {rank}:
        assert int(args[f"bytes from rank {source}"]) == wanted[rank, f"moe_bytes_rank_{source}"], args
PYTHON
done
