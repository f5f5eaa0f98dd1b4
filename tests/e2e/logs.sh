#!/usr/bin/env bash
# logs.sh - muster logs prints the output of an operator while it runs, after its end, and
# from the store of an ended private run
. "$(dirname "$0")/fleet.sh"
cd "$work"
# prints a line, waits for the file go, then prints more than fits into one message
waiting speak.sh 'echo "first of $1${MUSTER_KEY:-}"' '
i=0
while [ $i -lt 3000 ]; do echo "line $i of $1, and some words to make it long"; i=$((i + 1)); done
echo "last of $1" >&2'
cat >job.yaml <<YAML
version: 1
name: speaks
operator: {command: ["$work/speak.sh", "\${word}"]}
sweep: {matrix: {word: [red, blue, green, grey]}}
cards: {ids: [0]}
limits: {retries: 0}
YAML
coordinator_up
MUSTER_KEY=$work/secret.key worker_up 0 # the operator must not have it
until_true muster submit job.yaml >key.txt 2>/dev/null
muster logs -f speaks 0 >followed.txt 2>follow.err &
worker_pid[follower]=$!
until_true grep -q 'first of red' followed.txt
muster logs speaks >now.txt || fail 'logs of a running task'
[ "$(cat now.txt)" = 'first of red' ] || fail "now: $(cat now.txt)"
code=0
muster logs speaks 3 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'task has not started' err.txt || fail "a waiting task: exit $code, $(cat err.txt)"
touch go
muster wait speaks --timeout 60s >/dev/null 2>&1 || true
wait "${worker_pid[follower]}" || fail "following: exit $?, $(cat follow.err)"
unset 'worker_pid[follower]'

expected() { # WORD
    echo "first of $1"
    for i in $(seq 0 2999); do echo "line $i of $1, and some words to make it long"; done
    echo "last of $1"
}
expected red | cmp - followed.txt || fail 'logs -f printed other text than the operator'
muster logs 1 1 0 | cmp - <(expected blue) || fail 'logs printed other text than the operator'
code=0
muster logs speaks 7 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'has no point 7' err.txt || fail "no such point: exit $code, $(cat err.txt)"
code=0
muster logs speaks 0 --rank 3 2>err.txt || code=$?
[ "$code" -eq 3 ] && grep -q 'has no rank 3' err.txt || fail "no such rank: exit $code, $(cat err.txt)"
down
coordinator_up # and no worker
code=0
until_true muster list >/dev/null 2>&1
muster logs speaks 0 2>err.txt || code=$?
[ "$code" -eq 3 ] && grep -q 'is not connected' err.txt || fail "the worker is not connected: exit $code, $(cat err.txt)"
down

say 'logs reads the output of an ended private run from its store'
unset MUSTER_COORDINATOR
code=0
muster run --out private --cards 1 job.yaml >/dev/null 2>&1 || code=$?
[ "$code" -eq 1 ] || fail "run: exit $code"
muster logs --out private speaks 1 | cmp - <(expected blue) || fail 'the output of point 1 differs'
muster logs --out private speaks | cmp - <(expected red) || fail 'without a point, logs does not print the first failed task'
code=0
muster logs -f --out private speaks 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'no run is active in private' err.txt || fail "exit $code, $(cat err.txt)"

say 'the output of successful tasks is kept up to a limit'
sed 's/name: x/name: y/; s/^operator:.*/operator: {command: ["sim\/bin\/add_custom", --n, "64"]}/; s/^sweep.*/sweep: {repeat: 20}/; s/speaks/many/' job.yaml >many.yaml
muster run --out private --cards 1 many.yaml >/dev/null 2>err.txt || fail "many: $(cat err.txt)"
muster logs --out private many 0 19 >kept.txt
[ -s kept.txt ] || fail 'no output of the last successful task is kept'
[ "$(find private/store/spool/0 -name 'output-*.log' | wc -l)" -le 80 ] || fail 'old output of successful tasks is not removed'
