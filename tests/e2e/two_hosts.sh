#!/usr/bin/env bash
# two_hosts.sh - two network namespaces as two hosts, four cards each, CURVE between
# them: gangs that span both, or stand on one. The clock of the second one is far ahead
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

say 'eight ranks on both hosts: each knows where all are'
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
    cmp -s "$work/table-0" "$work/table-$rank" || fail "rank $rank has another table"
done
python3 - "$work/table-0" <<'PY' || fail "the table: $(cat "$work/table-0")"
import json, sys
table = json.load(open(sys.argv[1]))
assert table["server_count"] == "2", table
ranks = [(d["rank_id"], s["server_id"], d["device_id"]) for s in table["server_list"] for d in s["device"]]
assert ranks == [(str(r), "10.77.0.%d" % (1 + r // 4), str(r % 4)) for r in range(8)], ranks
PY

say 'every rank is measured, wherever it is'
cat >"$work/add.yaml" <<'YAML'
version: 1
name: add
operator: {command: ["sim/bin/add_custom", --n, "4096"], ranks: 8}
profile: {metrics: [PipeUtilization]}
YAML
ask submit "$work/add.yaml" >/dev/null
ask wait add >/dev/null || fail 'eight ranks that are measured'
for host in alpha beta; do
    [ "$(find "$work"/out/add-2/p0/r0/$host -name visualize_data.bin | wc -l)" -eq 4 ] || fail "the files of $host"
done

say 'a gang of one host stands on one; a wish that nobody fulfils is explained'
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
[ "$(db "select count(*) from v_ranks where job = 'one-3' and host = 'beta'")" -eq 16 ] || fail 'not on beta'

say 'a fused operator in lock step: beta knows how far its clock is from alpha'
fused fused 'matmul_all_reduce_inplace, --m, "64", --n, "64", --k, "64"' 'ranks: 8' 'HCCL_CONNECT_TIMEOUT: "20"' \
    'barrier: {deadline: 10s}' 'limits: {retries: 3, on: [failed, timeout, worker-lost], time: 60s}' >"$work/fused.yaml"
ask submit "$work/fused.yaml" >/dev/null
ask wait fused >/dev/null || fail "eight ranks in lock step: $(db 'select reason from attempts')"
muster capture export "$work/out/store/captures/4.db" "$work/fused.iidb" >/dev/null
muster capture cat "$work/fused.iidb" >"$work/fused.jsonl"
python3 - "$work/fused.jsonl" "$BETA_AHEAD" <<'PY' || fail 'the clocks of the two hosts'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
ahead = int(sys.argv[2]) * 10**9
met = [r for r in rows if r["type"] == "barrier" and r["planned_ns"]]
assert len({r["rank"] for r in met}) == 8, len(met)
for r in met:  # the same instant on both clocks, as well as they claim to know it
    offset = 0 if r["rank"] < 4 else -ahead
    assert abs(r["root_offset_ns"] - offset) <= r["root_uncertainty_ns"], r
instants = {}
for r in met:
    instants.setdefault((r["operation"], r["phase"], r["execution"]), []).append(r)
for key, all in instants.items():
    # by how far the clocks really are apart, not by what the ranks think
    roots = [r["planned_ns"] - (0 if r["rank"] < 4 else ahead) for r in all]
    assert max(roots) - min(roots) <= 2 * max(r["root_uncertainty_ns"] for r in all), (key, roots)
print(f"{len(instants)} meetings of eight ranks; uncertainty at most {max(r['root_uncertainty_ns'] for r in met) // 1000} us")
PY

end "$coordinator_pid"
hosts_down
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
