#!/usr/bin/env bash
# environment.sh - the environment print of a rank: what the simulated host reports arrives
# in the store, another driver gives another print, and equal programs have equal hashes
. "$(dirname "$0")/fleet.sh"
ops=$B/lib/muster/sim/bin
cd "$work"

fleet() { # DRIVER: a host of two cards, the second with another maker of the memory
    cat >fleet.yaml <<YAML
version: 1
hosts:
- {name: node0, cards: 2, driver: $1, firmware: 7.7.0.3, cann: 8.3.RC1, except: [{card: 1, hbm_maker: 88}]}
YAML
}
cat >job.yaml <<YAML
version: 1
name: night
operator: {command: [$ops/matmul_all_reduce], ranks: 2}
profile: {metrics: [Default], warmup: 0}
YAML
sed "s|/matmul_all_reduce\]|/add_custom]|; s/, ranks: 2//; s/night/other/" job.yaml >other.yaml

export NPU_SIM_FLEET=$work/fleet.yaml NPU_SIM_HOST=node0
unset MUSTER_COORDINATOR
for night in 25.2.1 25.2.1 25.3.0; do
    fleet $night
    muster run job.yaml --cards 2 >run.txt 2>&1 || fail "$(cat run.txt)"
done
muster run other.yaml >run.txt 2>&1 || fail "$(cat run.txt)"
for job in 1 2 3 4; do
    muster show $job --ranks -o json >ranks.$job
    muster show $job --launches -o json >launches.$job
done

say 'each rank has the versions of its host, and equal prints have equal numbers'
python3 - <<'PY' || fail "wrong prints: $(cat ranks.*)"
import json, os
ranks = [json.load(open(f"ranks.{job}"))["rows"] for job in range(1, 5)]
assert [len(rows) for rows in ranks] == [2, 2, 2, 1], ranks
for rows, driver in zip(ranks, ["25.2.1", "25.2.1", "25.3.0", "25.3.0"]):
    for row in rows:
        assert row["driver"] == driver, row
        assert row["firmware"] == "7.7.0.3" and row["cann"] == "8.3.RC1", row
        assert row["host_kernel"] == os.uname().release, row
        assert row["measurement"].count(".") == 1 and row["accepted"], row
        assert row["chip"].startswith("Ascend910B") and row["simulated"], row
        assert row["hbm_maker"] == (88 if row["card"] == 1 else 0), row
prints = [sorted(row["environment_id"] for row in rows) for rows in ranks[:3]]
assert prints[0] == prints[1] and len(set(prints[0])) == 2, prints
assert not set(prints[0]) & set(prints[2]), prints
PY

say 'the same program has the same hash each night, and another program has another'
python3 - <<'PY' || fail "wrong hashes: $(cat launches.*)"
import json
launches = [json.load(open(f"launches.{job}"))["rows"] for job in range(1, 5)]
codes = [{(row["kernel"], row["code_hash"]) for row in rows} for rows in launches]
assert codes[0] == codes[1] == codes[2], codes
assert all(len(code) == 16 and int(code, 16) for rows in codes for _, code in rows), codes
assert {code for _, code in codes[0]}.isdisjoint({code for _, code in codes[3]}), codes
assert all(row["tick_ns"] == 20 for rows in launches for row in rows), launches
PY

say 'people see them too, and the capture has the print'
muster show 3 --ranks >ranks.txt
grep -q 'Ascend910B.* 8.3.RC1 *25.3.0 *7.7.0.3' ranks.txt || fail "$(cat ranks.txt)"
muster show 3 --ranks --launches >both.txt 2>&1 && fail 'two lists at once were printed'
grep -q -- 'exclude each other' both.txt || fail "$(cat both.txt)"
