#!/usr/bin/env bash
# two_hosts_lockstep.sh - ranks of two hosts replay together over a link with 1 ms delay:
# barriers release them at the same instant, also while the wall clocks are stepped by
# hours; a cut link ends the replay on both hosts
. "$(dirname "$0")/fleet.sh"
. "$(dirname "$0")/hosts.sh"

hosts_up
hosts_far 1000
hosts_keys
# Runs a command with a wall clock that the file clock.$1 steps, in seconds.
with_stepped_clock() { LD_PRELOAD=$B/tests/step_clock.so MUSTER_TEST_CLOCK_FILE=$work/clock.$1 "${@:2}"; }
with_stepped_clock root hosts_coordinator
for card in 0 1; do
    with_stepped_clock alpha hosts_worker alpha $card
    with_stepped_clock beta hosts_worker beta $card
done
ask() { on alpha muster "$@"; }

reduce() { # NAME FAULT DEADLINE: the value of --k identifies the processes of this test
    fused "$1" 'matmul_all_reduce, --launches, "2", --k, "80"' 'ranks: 4' "MUSTER_TEST_FAULT_POINT: \"$2\"" \
        "kernel: \"MatmulAllReduce*\", warmup: 20, barrier: {deadline: $3}" \
        'cards: {per_host: 2}' 'limits: {retries: 0, time: 60s}'
}

say 'four ranks on two hosts replay together while their wall clocks are stepped'
reduce together 1:start:1:late=700 20s >"$work/together.yaml"
until_true ask submit "$work/together.yaml" >/dev/null 2>&1
first_is_done() { [ "$(capture_db "$1" "select count(distinct shard) from blocks where type = 'pass'" 2>/dev/null)" = 4 ]; }
until_true first_is_done 1
echo 18000 >"$work/clock.alpha"
echo -86400 >"$work/clock.beta"
echo -7200 >"$work/clock.root"
ask wait together >/dev/null 2>&1 || fail "together: $(ask show together-1)"
rm "$work"/clock.*
muster capture export "$work/out/store/captures/1.db" "$work/all.iidb" >/dev/null
muster capture cat "$work/all.iidb" | grep '"type":"barrier"' >"$work/barriers"
python3 - "$work/barriers" <<'PY' || fail 'the barriers release the ranks at different instants'
import collections, json, statistics, sys


def wide(record):
    """Ids, hashes and times are texts of digits."""
    return {key: int(value) if key != "kernel" and isinstance(value, str) and value.lstrip("-").isdigit() else value
            for key, value in record.items()}


barriers = collections.defaultdict(list)
for line in open(sys.argv[1]):
    b = json.loads(line, object_hook=wide)
    assert b["word"] == "go", b
    assert b["root_uncertainty_ns"] < 2**64 - 1, b
    barriers[b["operation"], b["phase"], b["execution"]].append(b)
spreads, lateness = [], []
for key, ranks in barriers.items():
    assert sorted(b["rank"] for b in ranks) == [0, 1, 2, 3], (key, ranks)
    # both namespaces share one monotonic clock, so these times can be compared directly
    at = [b["released_ns"] for b in ranks]
    plan = [b["planned_ns"] for b in ranks]
    # planned times agree within the uncertainty of the measured clock offset
    tolerance = 2 * max(b["root_uncertainty_ns"] for b in ranks)
    assert max(plan) - min(plan) <= tolerance, (key, plan, tolerance)
    for b in ranks:
        assert b["arrived_ns"] <= b["planned_ns"] + tolerance, b
        assert b["planned_ns"] <= b["released_ns"], b
        lateness.append(b["released_ns"] - b["planned_ns"])
    spreads.append(max(at) - min(at))
spreads.sort()
print("release spread: p10 %d us, p50 %d us, p90 %d us; late p50 %d us; %d barriers; round trip 2000 us" %
      (spreads[len(spreads) // 10] / 1000, statistics.median(spreads) / 1000,
       spreads[len(spreads) * 9 // 10] / 1000, statistics.median(lateness) / 1000, len(spreads)))
PY

say 'a link that is cut during a replay ends both sides, and the reason names the rank'
operators() { pgrep -fc "^$B/lib/muster/sim/bin/matmul_all_reduce --launches 2 --k 80" || true; }
no_operators() { [ "$(operators)" -eq 0 ]; }
# At this point memory is saved and the first execution is done. The others wait for rank 2.
reduce cut 2:start:1:late=6000 3s >"$work/cut.yaml"
ask submit "$work/cut.yaml" >/dev/null 2>&1
until_true first_is_done 2
on beta ip link set "$(wire_of beta)" down
code=0
ask wait cut >/dev/null 2>&1 || code=$?
[ "$code" -eq 1 ] || fail "a cut link: exit code $code"
until_true no_operators
case $(db "select reason from attempts order by leased_wall_ms desc limit 1") in
*'rank 2'* | *'rank 3'*) ;;
*) fail "the lost host's ranks are not named: $(ask show cut-2)" ;;
esac
on beta ip link set "$(wire_of beta)" up

say 'with the link up again, the next job succeeds'
reduce again none 20s >"$work/again.yaml"
until_true ask submit "$work/again.yaml" >/dev/null 2>&1
ask wait again >/dev/null 2>&1 || fail "again: $(ask show again-3)"

end "$coordinator_pid"
hosts_down
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
