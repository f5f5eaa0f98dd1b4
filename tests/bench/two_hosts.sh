#!/usr/bin/env bash
# two_hosts.sh - spread of the barrier between ranks of two hosts, 1 ms apart
#
# The spread is the time from the first release to the last, as a part of the round trip.
# Both hosts are namespaces of this machine and have its monotonic clock, so the release
# times can be compared directly. muster does not use that: it estimates the clock offset
# as between real hosts, and its error is part of the spread.
if [ "$(id -u)" -ne 0 ]; then # a user is root within a namespace of users
    unshare --user --map-root-user --net true 2>/dev/null || {
        echo 'SKIPPED: this user cannot create the namespaces of two hosts; run it as root'
        exit 77
    }
    exec unshare --user --map-root-user --net "$0"
fi
. "$(dirname "$0")/../e2e/fleet.sh"
. "$(dirname "$0")/../e2e/hosts.sh"
one_way_us=1000
# hosts_up and hosts_far print 'SKIPPED: REASON' and end with 77 where they cannot run.
hosts_up
hosts_far $one_way_us
hosts_keys
hosts_coordinator
for card in 0 1 2 3; do
    hosts_worker alpha $card
    hosts_worker beta $card
done
# Ranks that share a core leave the barrier one after the other. The figure has a budget
# only when each rank has a core of its own.
cores=$(nproc)
job=0
for ranks in 2 8; do
    job=$((job + 1))
    fused spread 'matmul_all_reduce, --m, "32", --n, "64", --k, "32"' "ranks: $ranks" 'HCCL_BUFFSIZE: "1"' \
        'warmup: 200, barrier: {deadline: 20s}' "cards: {per_host: $((ranks / 2))}" \
        'limits: {retries: 0, time: 120s}' >"$work/job.yaml"
    until_true eval 'on alpha muster submit "$work/job.yaml" >/dev/null 2>&1'
    on alpha muster wait spread-$job >/dev/null 2>&1 || fail "$(on alpha muster show spread-$job)"
    muster capture export "$work/out/store/captures/$job.db" "$work/all.iidb" >/dev/null
    muster capture cat "$work/all.iidb" | python3 -c '
import collections, json, statistics, sys

trip, all_ranks, cores = 2000 * int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
met = collections.defaultdict(list)
for line in sys.stdin:
    record = json.loads(line)
    if record["type"] == "barrier" and record["word"] == "go":
        met[record["operation"], record["phase"], record["execution"]].append(record)
spreads = []
for ranks in met.values():
    at = [int(r["released_ns"]) for r in ranks]
    if len(at) == all_ranks:
        spreads.append(max(at) - min(at))
spreads.sort()
budget = 0.1 if all_ranks <= cores else None
for name, part, most in (("", statistics.median(spreads), budget), ("99", spreads[len(spreads) * 99 // 100], None)):
    ratio = part / trip
    print(json.dumps({"name": f"barrier.hosts.spread{name}.{all_ranks}", "ratio": round(ratio, 4),
                      "of": "round trip between the hosts",
                      "budget": "none" if most is None else f"<= {most}",
                      "holds": most is None or ratio <= most}, separators=(",", ":")))
' $one_way_us $ranks "$cores"
done
end "$coordinator_pid"
hosts_down
