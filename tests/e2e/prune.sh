#!/usr/bin/env bash
# prune.sh - muster prune lists before it removes, keeps what it must keep, and leaves a
# store without damage, also when it is killed between its steps
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR

for _ in 1 2 3 4 5; do
    muster run --quiet --metrics PipeUtilization -- sim/bin/add_custom --n 1024 >/dev/null 2>run.txt || fail "$(cat run.txt)"
done
whole() { muster fsck >fsck.txt || fail "fsck after $1: exit $?: $(cat fsck.txt)"; }
jobs() { db 'select job_id from jobs order by 1' | tr '\n' ' '; }
actions() { # OPTION...: sets $actions to JOB:ACTION of each row
    muster prune "$@" -o csv >prune.csv 2>prune.err || fail "prune $*: $(cat prune.err)"
    actions=$(sed -n 's/^add_custom-\([0-9]*\),.*,\([^,]*\)$/\1:\2/p' prune.csv | tr '\n' ' ')
}

say 'without --yes nothing changes'
find out | sort >before.txt
actions --older 1ms
[ "$actions" = '1:would be removed 2:would be removed 3:would be removed 4:would be removed 5:would be removed ' ] || fail "$actions"
grep -qE '^5 jobs, [0-9.]+ [KM]iB; nothing is removed without --yes$' prune.err || fail "$(cat prune.err)"
find out | grep -vE '(-shm|-wal)$' | sort | diff <(grep -vE '(-shm|-wal)$' before.txt) - || fail 'prune without --yes changed files'
actions --older 1h
[ -z "$actions" ] || fail "younger than an hour: $actions"
muster list --sizes -o csv | python3 -c '
import csv, os, sys
for row in csv.DictReader(sys.stdin):
    n = row["job_id"]
    size = sum(os.stat(os.path.join(at, name)).st_blocks * 512 for at, _, names in os.walk("out/" + row["job_key"]) for name in names)
    size += sum(os.stat(f"out/store/captures/{n}.db" + end).st_blocks * 512 for end in ("", "-wal", "-shm") if os.path.exists(f"out/store/captures/{n}.db" + end))
    assert int(row["bytes"]) == size > 4096, (row, size)' || fail "sizes: $(muster list --sizes)"

say 'a job that has not ended and the night of a baseline stay'
muster baseline set nightly add_custom-2 >/dev/null 2>&1 || fail 'baseline set'
db "update jobs set state = 'running' where job_id = 3"
actions --older 1ms
[ "$actions" = '1:would be removed 2:kept: a night of a baseline; --keep-figures removes its files 3:kept: it has not ended 4:would be removed 5:would be removed ' ] || fail "$actions"
db "update jobs set state = 'done' where job_id = 3"

say 'a prune that is killed leaves no damage, and the next one removes the rest'
killed() { # STEP JOB JOBS: kills a prune of the job after the step; JOBS stay
    MUSTER_TEST_STOP_PRUNE=$1 muster prune "add_custom-$2" --yes >/dev/null 2>&1 && fail "not stopped after $1"
    whole "$1"
    grep -q "^prune of add_custom-$2 *unfinished" fsck.txt || fail "$(cat fsck.txt)"
    [ "$(jobs)" = "$3" ] || fail "jobs: $(jobs)"
}
killed rows 1 '2 3 4 5 '
[ -d out/add_custom-1 ] && [ -e out/store/captures/1.db ] || fail 'the files were removed before the rows'
actions --older 1h
[ "$actions" = '1:would be removed ' ] || fail "the rest: $actions"
actions --older 1h --yes
[ "$actions" = '1:removed ' ] || fail "the rest: $actions"
killed files 4 '2 3 5 '
[ ! -e out/add_custom-4 ] || fail 'the folder is left'
actions --older 1h --yes
[ "$actions" = '4:removed ' ] || fail "the rest: $actions"
[ ! -e out/add_custom-1 ] || fail 'the folder is left'
[ "$(db 'select count(*) from pruned')" -eq 0 ] || fail 'a note is left'
whole 'the rest'
[ "$(wc -l <fsck.txt)" -eq 5 ] || fail "$(cat fsck.txt)"

say '--keep-figures removes captures and files, and keeps figures and reports'
muster results 2 -o csv >figures.csv
actions add_custom-2 --keep-figures --yes
[ "$actions" = '2:files removed ' ] || fail "$actions"
muster results 2 -o csv | cmp - figures.csv || fail 'the figures changed'
[ "$(cd out/add_custom-2 && echo *)" = 'junit.xml report.html report.json' ] || fail "left: $(ls out/add_custom-2)"
[ ! -e out/store/captures/2.db ] || fail 'the capture is left'
whole --keep-figures
actions add_custom-2 --keep-figures
[ "$actions" = '2:kept: its files are removed already ' ] || fail "$actions"

say 'beside a coordinator it refuses, and changes nothing'
export MUSTER_COORDINATOR=ipc://$work/control
coordinator_up
until_true muster list >/dev/null 2>&1
code=0
muster prune --older 1ms --yes >/dev/null 2>err.txt || code=$?
[ "$code" -ne 0 ] && grep -q 'a coordinator uses the store in out; stop it, or wait until the run in this folder has ended' err.txt ||
    fail "exit $code: $(cat err.txt)"
[ "$(jobs)" = '2 3 5 ' ] || fail "jobs: $(jobs)"
down
actions --older 1ms --yes
[ "$(jobs)" = '2 ' ] || fail "jobs: $(jobs)"
whole 'all'
for older in '' '--older 0d'; do
    code=0
    # shellcheck disable=SC2086 # no word or two words
    muster prune --yes $older 2>err.txt || code=$?
    [ "$code" -eq 2 ] && grep -q 'pass --older with a time above 0, such as --older 30d, or name jobs' err.txt || fail "exit $code: $(cat err.txt)"
done
