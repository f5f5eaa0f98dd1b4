#!/usr/bin/env bash
# gang_placements.sh - muster gang: with rotated ranks a slow card follows the card and a
# slow rank stays with the rank; rounds of pairs find a slow link
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
host=$(uname -n)
cat >fleet.yaml <<'YAML'
version: 1
hosts: [{name: one, cards: 4, mhz: 100}]
faults:
- {fault: slow_card, card: 2, factor: 1.5, when: {SLOW: card}}
- {fault: slow_card, card: 0, factor: 1.5, when: {SLOW: rank, RANK_ID: "1"}}
- {fault: slow_card, card: 1, factor: 1.5, when: {SLOW: rank, RANK_ID: "1"}}
- {fault: slow_card, card: 2, factor: 1.5, when: {SLOW: rank, RANK_ID: "1"}}
- {fault: slow_card, card: 3, factor: 1.5, when: {SLOW: rank, RANK_ID: "1"}}
- {fault: slow_link, card: 1, to_card: 3, factor: 4}
YAML
export NPU_SIM_FLEET=$work/fleet.yaml NPU_SIM_NOISE=0
cat >rotated.yaml <<'YAML'
version: 1
name: rotated
operator: {command: [sim/bin/matmul_all_reduce, --m, "64", --n, "256", --k, "32"], ranks: 4, env: {SLOW: "${slow}"}}
sweep: {matrix: {slow: [card, rank]}}
cards: {rotate: 3}
profile: {metrics: [BasicInfo], warmup: 0, kernel: "Matmul*"}
YAML
cat >pairs.yaml <<YAML
version: 1
name: pairs
operator: {command: [sim/bin/allreduce, --n, "100000"], ranks: 2}
cards: {pairs: ["$host:0", "$host:1", "$host:2", "$host:3"]}
profile: {metrics: [BasicInfo], warmup: 0, kernel: "Hccl*"}
YAML
for name in rotated pairs; do
    muster run --quiet --out out "$name.yaml" >/dev/null 2>run.err || fail "$name: $(cat run.err)"
done
muster gang rotated cards --out out -o json >cards.json
muster gang pairs links --out out -o json >links.json

say 'a slow card and a slow rank'
python3 - "$host" <<'PY' || fail "$(cat cards.json)"
import json, sys
rows = json.load(open("cards.json"))["rows"]
assert len(rows) == 16, rows
for row in rows:
    slow = (row["series"] == "slow=card" and row["card"] == f"{sys.argv[1]}:2"
            or row["series"] == "slow=rank" and row["rank"] == 1)
    assert row["verdict"] == ("slower" if slow else "same"), row
    assert abs(row["effect_percent"] - (50 if slow else 0)) < 0.5 and row["values"] == 3, row
PY

say 'a slow link'
python3 - "$host" <<'PY' || fail "$(cat links.json)"
import json, sys
rows = json.load(open("links.json"))["rows"]
host = sys.argv[1]
pairs = {(row["from"], row["to"]): row for row in rows}
assert len(rows) == len(pairs) == 12, rows
copy = 5 + 5 + 200000 / 28e3 - 0.2 # notifies without their own time, latency, half of the numbers
for (a, b), row in pairs.items():
    slow = {a, b} == {f"{host}:1", f"{host}:3"}
    wanted = 2 * (copy + (3 * 200000 / 28e3 if slow else 0))
    assert abs(row["transfer_us"] - wanted) < 0.1, (row, wanted)
    assert row["verdict"] == ("slow-link" if slow else "same"), row
    if slow:
        assert abs(row["slower_percent"] - 100 * (wanted / (2 * copy) - 1)) < 3, row
PY
