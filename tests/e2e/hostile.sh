#!/usr/bin/env bash
# hostile.sh - muster run under bad conditions (closed descriptors, a killed run, a damaged
# store, a missing program): a clear error, the right exit code, and no process left
. "$(dirname "$0")/fleet.sh"
cd "$work"

job good '[1024]' 1 >good.yaml
expect() { # CODE TEXT COMMAND...: the command must exit with CODE and print TEXT on stderr
    local code=$1 text=$2 got=0
    shift 2
    "$@" >printed 2>stderr.txt || got=$?
    [ "$got" -eq "$code" ] || fail "$*: exit $got, not $code: $(cat stderr.txt)"
    grep -qF -- "$text" stderr.txt || fail "$*: stderr lacks '$text': $(cat stderr.txt)"
}
run_good() { muster run --quiet --out "$work/$1" good.yaml; }

say 'closed descriptors, a full disk behind stdout, a closed reader'
run_good out <&- >printed 2>stderr.txt || fail "stdin closed: exit $?: $(cat stderr.txt)"
run_good out >&- 2>stderr.txt || fail "stdout closed: exit $?: $(cat stderr.txt)"
run_good out 2>&- >printed || fail "stderr closed: exit $?"
code=0
run_good out 2>stderr.txt >/dev/full || code=$?
[ "$code" -eq 7 ] || fail "stdout is full: exit $code"
set +o pipefail
run_good out 2>stderr.txt | head -n 0
[ "${PIPESTATUS[0]}" -eq 0 ] || fail 'a closed reader must not be an error'
set -o pipefail

say 'a second run in the folder of an active run is refused'
job long '[1]' 400 >long.yaml
setsid muster run --quiet --out "$work/out" long.yaml >long.txt 2>long.err &
pid=$!
running() { [ "$(db "select count(*) from tasks join jobs using(job_id) where key like 'long-%' and tasks.state = 'done'" 2>/dev/null || echo 0)" -ge 8 ]; }
until_true running
expect 7 'only one may' run_good out
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true

say 'the fleet ends after kill -9 of muster run'
gone() { [ -z "$(leftovers)" ]; }
until_true gone

say 'a damaged store is reported'
for way in page head cut; do
    cp -r out "$way"
    case $way in
    page) dd if=/dev/zero of=page/store/muster.db bs=4096 seek=1 count=4 conv=notrunc status=none ;;
    head) dd if=/dev/zero of=head/store/muster.db bs=100 count=1 conv=notrunc status=none ;;
    cut) truncate -s 5000 cut/store/muster.db && rm -f cut/store/muster.db-wal ;;
    esac
    expect 7 "opening $work/$way/store/muster.db" run_good "$way"
done

say 'an operator of the simulated NPU is refused with --hardware'
expect 1 'uses a simulated NPU' muster run --quiet --hardware --out "$work/hard" good.yaml

say 'a missing program is reported; a process that leaves its session is ended'
sed 's,sim/bin/add_custom,no/such/program,' good.yaml >none.yaml
expect 1 "no program 'no/such/program'" muster run --quiet --out "$work/none" none.yaml
cat >daemon.yaml <<YAML
version: 1
name: daemon
operator: {command: [/bin/sh, -c, "cd $work/none; (setsid sleep 1000 &); exec $B/lib/muster/sim/bin/add_custom --n 1024"]}
profile: {metrics: [BasicInfo]}
YAML
expect 0 'done' muster run --quiet --out "$work/daemon" daemon.yaml
until_true gone
