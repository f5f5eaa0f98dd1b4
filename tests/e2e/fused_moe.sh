#!/usr/bin/env bash
# fused_moe.sh - dispatch and combine are measured in lock step, apart from each other, and a slow link is seen
# in the figures of its two ranks
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
