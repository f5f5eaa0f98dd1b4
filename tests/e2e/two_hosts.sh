#!/usr/bin/env bash
# two_hosts.sh - two network namespaces as two hosts with four cards each and CURVE
# between them: gangs run on both hosts or on one, and the barriers allow for the clock
# of beta, which is 1000 s ahead
. "$(dirname "$0")/fleet.sh"
. "$(dirname "$0")/hosts.sh"

BETA_AHEAD=1000
hosts_up
hosts_keys
hosts_coordinator
for card in 0 1 2 3; do
    hosts_worker alpha $card
    hosts_worker beta $card
done
ask() { on alpha muster "$@"; }

say 'eight ranks on both hosts: each gets the same table of all ranks'
cat >"$work/table.yaml" <<'YAML'
version: 1
name: table
operator: {command: [sh, -c, 'cp $RANK_TABLE_FILE $0/table-$RANK_ID; test $RANK_SIZE = 8', "TABLES"], ranks: 8}
profile: {metrics: []}
cards: {per_host: 4}
YAML
sed -i "s#TABLES#$work#" "$work/table.yaml"
until_true ask submit "$work/table.yaml" >/dev/null 2>&1
ask wait table >/dev/null || fail 'eight ranks'
for rank in 0 1 2 3 4 5 6 7; do
    cmp -s "$work/table-0" "$work/table-$rank" || fail "the table of rank $rank differs from that of rank 0"
done
python3 - "$work/table-0" <<'PY' || fail "the table: $(cat "$work/table-0")"
import json, sys
table = json.load(open(sys.argv[1]))
assert table["server_count"] == "2", table
ranks = [(d["rank_id"], s["server_id"], d["device_id"]) for s in table["server_list"] for d in s["device"]]
assert ranks == [(str(r), "10.77.0.%d" % (1 + r // 4), str(r % 4)) for r in range(8)], ranks
PY

say 'every rank is measured on both hosts'
cat >"$work/add.yaml" <<'YAML'
version: 1
name: add
operator: {command: ["sim/bin/add_custom", --n, "4096"], ranks: 8}
profile: {metrics: [PipeUtilization]}
YAML
ask submit "$work/add.yaml" >/dev/null
ask wait add >/dev/null || fail 'the job with eight measured ranks did not succeed'
for host in alpha beta; do
    [ "$(find "$work"/out/add-2/p0/r0/$host -name visualize_data.bin | wc -l)" -eq 4 ] || fail "$host has not four files"
done

say 'a gang that is limited to one host runs there'
cat >"$work/one.yaml" <<'YAML'
version: 1
name: one
operator: {command: ["true"], ranks: 4}
sweep: {repeat: 4}
profile: {metrics: []}
cards: {hosts: [beta]}
YAML
ask submit "$work/one.yaml" >/dev/null
ask wait one >/dev/null || fail 'four ranks on beta'
[ "$(db "select count(*) from v_ranks where job = 'one-3' and host = 'beta'")" -eq 16 ] || fail 'not all ranks ran on beta'

say 'a fused operator in lock step: beta measures the offset of its clock from alpha'
fused fused 'matmul_all_reduce_inplace, --m, "64", --n, "64", --k, "64"' 'ranks: 8' 'HCCL_CONNECT_TIMEOUT: "20"' \
    'barrier: {deadline: 10s}' 'limits: {retries: 3, on: [failed, timeout, worker-lost], time: 60s}' >"$work/fused.yaml"
ask submit "$work/fused.yaml" >/dev/null
ask wait fused >/dev/null || fail "eight ranks in lock step: $(db 'select reason from attempts')"
muster capture export "$work/out/store/captures/4.db" "$work/fused.iidb" >/dev/null
muster capture cat "$work/fused.iidb" >"$work/fused.jsonl"
python3 - "$work/fused.jsonl" "$BETA_AHEAD" <<'PY' || fail 'the clock offset of a barrier is wrong'
import json, sys

def wide(record):
    """Ids, hashes and times are texts of digits."""
    return {key: int(value) if key != "kernel" and isinstance(value, str) and value.lstrip("-").isdigit() else value
            for key, value in record.items()}


rows = [json.loads(line, object_hook=wide) for line in open(sys.argv[1])]
ahead = int(sys.argv[2]) * 10**9
barriers = [r for r in rows if r["type"] == "barrier" and r["planned_ns"]]
assert len({r["rank"] for r in barriers}) == 8, len(barriers)
for r in barriers:  # the measured offset is right within the reported uncertainty
    offset = 0 if r["rank"] < 4 else -ahead
    assert abs(r["root_offset_ns"] - offset) <= r["root_uncertainty_ns"], r
instants = {}
for r in barriers:
    instants.setdefault((r["operation"], r["phase"], r["execution"]), []).append(r)
for key, all in instants.items():
    # uses the real offset of the clocks, not the measured one
    roots = [r["planned_ns"] - (0 if r["rank"] < 4 else ahead) for r in all]
    assert max(roots) - min(roots) <= 2 * max(r["root_uncertainty_ns"] for r in all), (key, roots)
print(f"{len(instants)} barriers of eight ranks; uncertainty at most {max(r['root_uncertainty_ns'] for r in barriers) // 1000} us")
PY

end "$coordinator_pid"
hosts_down
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
