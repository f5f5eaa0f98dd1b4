#!/usr/bin/env bash
# baseline.sh - muster baseline: set, split, quarantine, expiry and drop, the same rows
# from a coordinator and from a store, refused requests, and a coordinator that is killed
# while it writes
. "$(dirname "$0")/fleet.sh"
cd "$work"

cat >night.yaml <<YAML
version: 1
name: night
operator: {command: [/bin/sh, -c, "[ \${n} != 7 ] || exit 3; exec $B/lib/muster/sim/bin/add_custom --n \${n}"]}
sweep: {matrix: {n: [1024, 2048]}}
profile: {metrics: [Default], warmup: 1}
YAML
sed 's/1024, 2048/7/; s/name: night/name: broken/' night.yaml >broken.yaml

refused() { # CODE TEXT ARGUMENTS...: the command ends with this code and this text
    local code=0
    muster baseline "${@:3}" >refused.out 2>refused.err || code=$?
    [ "$code" -eq "$1" ] || fail "muster baseline ${*:3} ended with $code, not $1: $(cat refused.err)"
    grep -qF -- "$2" refused.err || fail "muster baseline ${*:3}: '$2' is not in: $(cat refused.err)"
}
nights() { # NAME: the jobs that a comparison uses
    muster baseline show "$1" -o jsonl | python3 -c '
import json, sys
print(*(row["job_id"] for row in map(json.loads, sys.stdin) if row["used"]))'
}

say 'without a coordinator and without a store there is no baseline'
MUSTER_COORDINATOR='' refused 3 "no coordinator is named and no store is in out" set nightly 1

fleet_up
for _ in 1 2 3 4 5 6 7; do until_true muster submit night.yaml >/dev/null 2>&1; done
muster submit broken.yaml >/dev/null 2>&1
for number in 1 2 3 4 5 6 7; do muster wait $number --timeout 60s >/dev/null 2>&1; done
muster wait 8 --timeout 60s >/dev/null 2>&1 && fail 'the job that fails ended well'

say 'a rolling baseline uses the newest nights, a frozen one all'
[ "$(muster baseline set nightly 1 2 night-3 4 5 6 --keep 5)" = 'nightly: rolling baseline of 6 nights' ] || fail 'set'
[ "$(nights nightly)" = '2 3 4 5 6' ] || fail "the newest five nights are not used: $(nights nightly)"
muster baseline set release-8.3 1 2 --frozen >answer
grep -q '^release-8.3: frozen baseline of 2 nights' answer || fail "set --frozen: $(cat answer)"
[ "$(nights release-8.3)" = '1 2' ] || fail "a frozen baseline does not use all nights: $(nights release-8.3)"
[ "$(muster baseline list -o csv | cut -d, -f1-6 | tail -n +2)" = 'nightly,false,5,6,6,night-6
release-8.3,true,0,2,2,night-2' ] || fail "$(muster baseline list -o csv)"

say 'what cannot be a baseline is refused, and nothing changes'
muster baseline show nightly -o csv >before
refused 2 'job broken-8 is failed; only a job whose tasks are all done' set nightly 1 8
refused 2 'job 1 is named twice' set nightly 1 night-1
refused 2 "'night-1' is the key of a job" set night-1 2
refused 2 'expected 5 to 400' set nightly 1 --keep 4
refused 2 '--frozen and --keep exclude each other' set nightly 1 --keep 5 --frozen
refused 2 "there is no baseline 'weekly'" drop weekly
refused 2 "there is no baseline 'weekly'" show weekly
refused 3 'baseline release-8.3 is frozen' split release-8.3 --at 3 --reason x
refused 2 '--reason TEXT is missing' split nightly --at 5
refused 2 '--at JOB is missing' split nightly --reason x
refused 2 "no point of job night-5 matches 'n=3'" split nightly --at 5 --points n=3 --reason x
refused 2 "no point of job night-6 matches 'n=3'" quarantine nightly n=3 --reason x
refused 2 'expected 0 to 400' quarantine nightly n=1024 --reason x --until 401
refused 2 "unknown action 'forget'" forget nightly
refused 2 'usage: muster baseline set NAME JOB...' set nightly
muster baseline show nightly -o csv | cmp - before || fail 'a refused request changed the baseline'

say 'a split ends a level, a quarantine lasts for nights, both are events'
muster baseline split nightly --at 4 --reason 'new driver' >/dev/null
[ "$(nights nightly)" = '4 5 6' ] || fail "nights before the split count: $(nights nightly)"
muster baseline split nightly --at 5 --points 'n=1024' --reason 'other tiling' >/dev/null
[ "$(nights nightly)" = '4 5 6' ] || fail "a split of one point changed the others: $(nights nightly)"
muster baseline quarantine nightly n=2048 --reason noisy --until 2 >/dev/null
muster baseline show nightly --part environments -o json >shown
python3 - "$work/out/store/muster.db" <<'PY' || fail "wrong environments: $(cat shown)"
import json, sqlite3, sys
names = ("job", "chip", "cann", "driver", "firmware", "host_kernel", "measurement")
expected = sqlite3.connect(sys.argv[1]).execute(
    f"select {', '.join(names)}, count(*) from v_ranks where accepted and job_id in (4, 5, 6)"
    f" group by {', '.join(names)} order by job_id").fetchall()
rows = [tuple(row["job_key" if name == "job" else name] or "" for name in names) + (row["ranks"],)
        for row in json.load(open("shown"))["rows"]]
assert rows == expected and len(rows) == 3 and rows[0][-1] == 2, (rows, expected)
assert rows[0][1] == "Ascend910B2" and rows[0][6], rows
PY
muster baseline show nightly >shown
for text in 'rolling, compares with the newest 5 nights' '6 of 6 nights passed, the newest is night-6' \
    'night-4  \*  .*new driver' 'night-5  n=1024 .*other tiling' 'n=2048 *2 *2 .*noisy'; do
    grep -q "$text" shown || fail "'$text' is not in: $(cat shown)"
done
[ "$(muster events -o jsonl | python3 -c '
import json, sys
for row in map(json.loads, sys.stdin):
    if row["kind"] in ("baseline.split", "baseline.quarantine"):
        print(row["kind"], row["job_id"], row["text"].replace("user=" + sys.argv[1] + " ", ""))' "$(id -un)")" = \
    'baseline.split 4 baseline=nightly at=night-4 points="*" reason="new driver"
baseline.split 5 baseline=nightly at=night-5 points="n=1024" reason="other tiling"
baseline.quarantine 0 baseline=nightly points="n=2048" nights=2 reason="noisy"' ] || fail "$(muster events | grep baseline)"

say 'a rolling baseline without a new night for 30 days is stale, a frozen one is not'
stale() { muster baseline list -o csv | cut -d, -f1,8 | tail -n +2 | paste -sd' '; }
[ "$(stale)" = 'nightly,false release-8.3,false' ] || fail "stale at once: $(stale)"
db "update jobs set ended_wall_ms = ended_wall_ms - 31 * 86400000"
[ "$(stale)" = 'nightly,true release-8.3,false' ] || fail "not stale: $(stale)"
muster baseline show nightly >shown
grep -q '^stale: no night has passed for 30 days' shown || fail "$(cat shown)"

say 'the store gives the same rows as the coordinator'
muster baseline list -o json >online
MUSTER_COORDINATOR='' muster baseline list -o json | cmp - online || fail 'the list differs'
for part in nights splits quarantines environments; do
    muster baseline show nightly --part $part -o csv >online
    MUSTER_COORDINATOR='' muster baseline show nightly --part $part -o csv | cmp - online || fail "the $part differ"
done

say 'a coordinator that is killed while it writes has written all of a change or nothing'
setter() { # sets the baseline again and again, alternately to two rules and sets of jobs
    trap - EXIT
    while :; do
        muster baseline set torn 1 2 3 --keep 5 >/dev/null 2>&1 && echo 5
        muster baseline set torn 4 5 6 7 --frozen >/dev/null 2>&1 && echo 0
    done >acknowledged
}
setter &
setter_pid=$!
for round in 1 2 3 4; do
    until_true eval "[ \"\$(wc -l <acknowledged)\" -ge $((6 * round)) ]"
    kill -KILL "$coordinator_pid"
    wait "$coordinator_pid" 2>/dev/null || true
    found=$(db "select keep || ' ' || group_concat(job_id) from (select b.keep, j.job_id from baselines b
        join baseline_jobs j using(baseline_id) where b.name = 'torn' order by j.job_id)")
    case $found in
    '5 1,2,3' | '0 4,5,6,7') ;;
    *) fail "round $round: half of a change was written: $found" ;;
    esac
    coordinator_up
    until_true muster baseline list >/dev/null 2>&1
done
kill "$setter_pid"
wait "$setter_pid" 2>/dev/null || true
down

say 'without a coordinator one is started for the request, and ends'
unset MUSTER_COORDINATOR
muster baseline set other 7 >/dev/null || fail "set without a coordinator: $?"
muster baseline drop torn >/dev/null
[ "$(muster baseline list -o csv | cut -d, -f1 | paste -sd' ')" = 'name nightly other release-8.3' ] || fail "$(muster baseline list)"
until_true eval '[ -z "$(leftovers)" ]'
muster fsck >/dev/null || fail "fsck: $(muster fsck)"

say 'a key with the role read may look at baselines and not change them'
while read -r name role; do
    muster keygen --role "$role" "$name.key" "$name" >/dev/null || fail "muster keygen $name"
done <<<'coordinator admin
reader read
submitter submit'
cat reader.key.pub submitter.key.pub >allowed
: >coordinator.log
coordinator_up --control tcp://127.0.0.1:0 --data tcp://127.0.0.1:0 --key coordinator.key --allow allowed
serving() { sed -n 's/.* control=\(tcp:[^ ]*\).*/\1/p' coordinator.log | tail -n 1; }
until_true eval '[ -n "$(serving)" ]'
MUSTER_COORDINATOR=$(serving)
export MUSTER_COORDINATOR MUSTER_SERVER_KEY=coordinator.key.pub MUSTER_KEY=reader.key
[ "$(nights release-8.3)" = '1 2' ] || fail 'a key with the role read may not look'
muster baseline list -o json >before
refused 3 'role' set mine 1
refused 3 'role' drop nightly
refused 3 'role' split nightly --at 5 --reason x
refused 3 'role' quarantine nightly n=1024 --reason x
muster baseline list -o json | cmp - before || fail 'a refused request changed a baseline'
MUSTER_KEY=submitter.key muster baseline drop nightly >/dev/null || fail 'a key with the role submit may not drop'
[ "$(db "select count(*) from events where kind = 'baseline.dropped' and text like '%user=submitter'")" -eq 1 ] ||
    fail 'the name of the key is not in the event'
