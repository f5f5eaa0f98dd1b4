#!/usr/bin/env bash
# evidence.sh - a capture contains, besides the counters: checksums of the memory before
# each pass, the card's health before and after each launch with all its processes, the
# marks and reports of the program, the communicator, and the barriers
. "$(dirname "$0")/fleet.sh"
command -v python3 >/dev/null || {
    echo 'python3 is not installed: nothing was checked'
    exit 0
}
cd "$work"
cat >fleet.yaml <<YAML
version: 1
hosts: [{name: node0, cards: 2, soc: Ascend910B2}]
YAML
export NPU_SIM_FLEET=$work/fleet.yaml NPU_SIM_HOST=node0 NPU_SIM_CARDS=2
coproc TENANT { LD_LIBRARY_PATH=$B/lib/muster/sim/lib64 exec "$B/tests/sim_tenant" 1 64 1; }
tenant=$TENANT_PID
read -r ready <&"${TENANT[0]}" && [ "$ready" = ready ] || fail 'the second process on the card did not start'
cat >evidence.yaml <<YAML
version: 1
name: evidence
operator: {command: [sim/bin/matmul_all_reduce_inplace, --launches, '2', --marked, '1'], ranks: 2}
profile: {metrics: [Default], warmup: 1, kernel: "MatmulAllReduceAdd*", launch: {count: 2}}
limits: {time: 60s}
YAML
muster run --quiet --out out evidence.yaml >/dev/null 2>run.err || fail "$(cat run.err)"
muster capture export out/store/captures/1.db all.iidb
muster capture cat all.iidb >all.jsonl
eval "exec ${TENANT[1]}>&-"

python3 - "$tenant" all.jsonl <<'PYTHON' || fail 'a record of the capture is wrong'
import json, struct, sys
from collections import defaultdict


def wide(record):
    """Ids, hashes and times are texts of digits."""
    return {key: int(value) if key != "kernel" and isinstance(value, str) and value.lstrip("-").isdigit() else value
            for key, value in record.items()}


tenant, path = int(sys.argv[1]), sys.argv[2]
kinds = defaultdict(lambda: defaultdict(list))  # records by rank, then by type
for line in open(path):
    record = json.loads(line, object_hook=wide)
    kinds[record['shard'] >> 16][record['type']].append(record)
assert sorted(kinds) == [0, 1], f'ranks {sorted(kinds)}'


def envelope(record):
    raw = bytes.fromhex(record['envelope'])
    assert len(raw) == 256 == record['bytes'], 'an envelope has not 256 bytes'
    return raw


for rank, of in kinds.items():
    launches = {launch['launch']: launch for launch in of['launch']}
    rank_record = of['run.rank'][0]
    assert len(launches) == 2, f'{len(launches)} launches'

    # all passes of a launch start with the same memory
    for number in launches:
        sums = {p['input_checksum'] for p in of['pass'] if p['launch'] == number}
        assert len(sums) == 1 and 0 not in sums, f'launch {number}: sums {sums}'
    assert len({p['input_checksum'] for p in of['pass']}) == 2, 'both launches have the same input'

    # health of the card before and after each launch
    for number, launch in launches.items():
        health = [h for h in of['run.health'] if h['launch'] == number]
        assert [h['when'] for h in health] == [1, 2], f'launch {number}: {health}'
        end = next(e for e in of['launch.end'] if e['launch'] == number)
        passes = [p for p in of['pass'] if p['launch'] == number]
        assert health[0]['time_ns'] <= passes[0]['start_ns'] <= passes[-1]['end_ns'] <= health[1]['time_ns'] <= end['end_ns']
        for h in health:
            assert h['known'] == 127, f'a health value is missing: {h}'
            assert h['core_mhz'] > 0 and 0 < h['temperature_c'] < 120 and h['power_mw'] > 0
            assert h['state'] == 0 and 0 < h['memory_used'] < h['memory_total']
            assert h['device'] == rank_record['device_logical'] == launch['device']
            others = [tenant] if rank_record['device_logical'] == 1 else []
            assert h['double_bit_errors'] == 0
            assert h['processes'] == others and h['process_count'] == len(others), h

    # marks of the program: two ranges with start and end, stream and thread
    starts = [s for s in of['stamp'] if s['kind'] == 2]
    ends = {s['range']: s for s in of['stamp'] if s['kind'] == 3}
    assert [s['text'] for s in starts] == ['step', 'step'], starts
    for start, number in zip(starts, sorted(launches)):
        end = ends[start['range']]
        launch = launches[number]
        assert start['stream'] == launch['stream'] and start['thread'] == launch['thread'] == end['thread']
        assert start['device'] == launch['device']
        assert start['time_ns'] < launch['start_ns'] < end['time_ns'], 'the launch is outside its range'

    # the communicator, from the HCCL call (source 1) and from the operator's reports (2)
    named = next(g for g in of['comm.group'] if g['source'] == 1)
    reported = [g for g in of['comm.group'] if g['source'] == 2]
    assert named['name'] and named['rank'] == rank and named['ranks'] == 2
    assert reported and all(g['name_hash'] == named['name_hash'] and (g['rank'], g['ranks']) == (rank, 2) for g in reported)
    assert all(g['server_stream'] >= 0 and g['stream_count'] == 1 for g in reported)
    for group in of['launch.group']:
        assert group['key'] == named['key'] and (group['rank'], group['ranks'], group['replayed']) == (rank, 2, 1)

    # reports of the program are complete; two of them describe the communicator
    groups = 0
    for report in of['report.envelope']:
        raw = envelope(report)
        magic, level, kind, thread, length = struct.unpack_from('<HHIII', raw)
        assert magic == 0x5a5a and length <= 232 and report['thread'] > 0 and report['time_ns'] > 0
        if (level, kind) == (10000, 12):
            name, ranks, own = struct.unpack_from('<QII', raw, 24)
            assert (name, ranks, own) == (named['name_hash'], 2, rank) and thread == report['thread']
            groups += 1
    assert groups == 2, f'{groups} reports of the communicator'

    # barriers of each launch: times of arrival, of the planned and of the real release
    for number in launches:
        barriers = [b for b in of['barrier'] if b['launch'] == number]
        executions = sum(p['launch'] == number for p in of['pass']) - 1
        assert len(barriers) == 3 + 2 * executions, f'{len(barriers)} barriers for {executions} executions'
        for b in barriers:
            assert b['arrived_ns'] <= b['planned_ns'] <= b['released_ns'] and b['reason'] == 0 == b['said']
PYTHON
# both launches on the card of the other process are marked, those on the other card are not
disturbed=$(db "select group_concat(k.card || ' ' || r.value, ', ') from v_results r join ranks k on k.run_id = r.run_id and k.rank = r.rank where r.metric = 'disturbed'")
[ "$disturbed" = '1 2.0, 1 2.0' ] || fail "wrong marks: $disturbed"
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
