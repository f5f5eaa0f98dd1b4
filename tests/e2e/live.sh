#!/usr/bin/env bash
# live.sh - a second terminal watches, cancels and drains a private run through its folder
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
waiting speak.sh 'echo "first of $1"' 'echo "last of $1"'
cat >job.yaml <<YAML
version: 1
name: speaks
operator: {command: ["$work/speak.sh", "\${word}"]}
sweep: {matrix: {word: [red, blue, green, grey]}}
limits: {retries: 0}
YAML
ends() { # CODE PATTERN COMMAND...: the command must exit with CODE and print PATTERN
    local expected=$1 pattern=$2 code=0
    shift 2
    "$@" >output 2>&1 || code=$?
    [ "$code" -eq "$expected" ] && grep -q -- "$pattern" output || fail "$*: exit $code: $(cat output)"
}

say 'without a run every command reports it'
ends 3 'no private run is active in out' muster watch --once
ends 3 'no private run is active in out' muster cancel 1

say 'a second terminal shows, follows and cancels the run'
muster run --cards 2 job.yaml >run.txt 2>&1 &
worker_pid[run]=$!
until_true eval "muster explain 1 0 2>/dev/null | grep -q 'runs on'"
until_true eval "muster logs 1 0 2>/dev/null | grep -q 'first of red'"
ends 0 'leased.*speaks-1' muster list --workers
ends 0 'rank 0 runs on' muster explain 1 0
until_true eval "muster watch --once 2>/dev/null | grep -q '2 cards, 2 leased'"
muster logs -f 1 0 >followed.txt 2>&1 &
worker_pid[follower]=$!
muster watch --every 100ms 1 >watched.txt 2>&1 &
worker_pid[watcher]=$!
until_true grep -q 'first of red' followed.txt
until_true grep -q 'speaks-1 *running' watched.txt
ends 2 "nothing was cancelled: no job 'nameless'" muster cancel 1 nameless
muster list | grep -q '^speaks-1 *running' || fail "a wrong name cancelled a job: $(muster list)"
ends 0 'cancelled' muster cancel 1
touch go
code=0
wait "${worker_pid[run]}" || code=$?
[ "$code" -eq 5 ] || fail "the run: exit $code: $(cat run.txt)"
code=0
wait "${worker_pid[watcher]}" || code=$?
[ "$code" -eq 5 ] || fail "the watcher: exit $code: $(tail -n 3 watched.txt)"
wait "${worker_pid[follower]}" || fail "the follower: exit $?: $(cat followed.txt)"
worker_pid=()
grep -q 'last of red' followed.txt || fail "followed: $(cat followed.txt)"
[ "$(grep -c 'last of' followed.txt)" -eq 1 ] || fail "followed: $(cat followed.txt)"
muster show 1 >shown.txt
[ "$(grep -c cancelled shown.txt)" -ge 2 ] || fail "a waiting task was not cancelled: $(cat shown.txt)"

say 'a run without a free card prints the reason, and undrain continues it'
rm go
sed 's/speaks/drained/; $ a profile: {metrics: []}' job.yaml >drained.yaml
muster run --cards 2 drained.yaml >run.txt 2>&1 &
worker_pid[run]=$!
host=$(hostname)
until_true eval "muster explain 2 0 2>/dev/null | grep -q 'runs on'"
ends 0 'no new task starts' muster drain "$host" --reason 'the fan is loud'
touch go
until_true grep -q 'drained-2: no task runs: point . repeat 0 waits.*the fan is loud' run.txt
[ -z "$(sed -n 's/\(running 0\).*/\1/p' run.txt | sort | uniq -d)" ] || fail "the line is printed twice: $(cat run.txt)"
ends 0 'back in service' muster undrain "$host"
wait "${worker_pid[run]}" || fail "the run: exit $?: $(cat run.txt)"
worker_pid=()

say 'after the end every command reports that no run is active'
ends 3 'no private run is active in out' muster watch --once
ends 2 'no run is active in out' muster logs -f 1
[ ! -e out/store/reach ] || fail 'the address of the ended coordinator remains'
