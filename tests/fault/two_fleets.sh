#!/usr/bin/env bash
# two_fleets.sh - a restarted worker kills what its killed predecessor left behind, and no
# process of another fleet on the machine, also when both have attempts with the same number
. "$(dirname "$0")/../e2e/fleet.sh"
cd "$work"

# detaches a process that outlives the operator; measures a launch when the file `measure` exists
cat >stays.sh <<SH
#!/bin/bash
setsid sleep 1000 </dev/null >/dev/null 2>&1 &
echo \$! >$work/detached
until [ -e $work/measure ]; do read -rt 0.05 _ <>"$work/wait" || true; done
"\$ADD" --n 1024 >/dev/null
until [ -e $work/go ]; do read -rt 0.05 _ <>"$work/wait" || true; done
SH
chmod +x stays.sh
mkfifo wait
cat >job.yaml <<YAML
version: 1
name: stays
operator: {command: ["$work/stays.sh"], env: {ADD: "$B/lib/muster/sim/bin/add_custom"}}
profile: {metrics: [PipeUtilization]}
limits: {retries: 0}
YAML
other_pid=
leave() {
    local code=$?
    end "$other_pid"
    down
    [ -n "${MUSTER_TEST_KEEP_DIR:-}" ] || rm -rf "$work"
    exit "$code"
}
trap leave EXIT
runs() { db "select group_concat(a.state || ' ' || ifnull(r.status, '')) from attempts a left join ranks r using(run_id)"; }
has_group() { find spool-0/runs -name '*.zst' -o -name '*.raw' 2>/dev/null | grep -q .; }
alive() { kill -0 "$1" 2>/dev/null; }

coordinator_up
worker_up 0
until_true muster submit job.yaml >/dev/null 2>&1
until_true [ -s detached ]
kill -STOP "$coordinator_pid" # so that no group is acknowledged
touch measure
until_true has_group

say "a worker of another fleet starts on a copy of the spool: this fleet's rank goes on"
cp -a spool-0 spool-other
kill -CONT "$coordinator_pid"
muster-worker --control "ipc://$work/other" --data "ipc://$work/other-data" --card 1 \
    --model Ascend910B2 --simulated --spool "$work/spool-other" --log-level info 2>other.log &
other_pid=$!
until_true grep -q 'attempt resumed' other.log
alive "$(<detached)" || fail 'the other fleet killed a process of this fleet'
touch go
muster wait 1 --timeout 60s >/dev/null 2>&1 || fail "the rank did not end well: $(runs)"
[ "$(runs)" = 'done done' ] || fail "$(runs)"
end "$other_pid"
other_pid=

say 'a worker that starts after a kill ends the detached process of its predecessor'
rm -f go detached
until_true muster submit job.yaml >/dev/null 2>&1
until_true [ -s detached ]
kill -KILL "${worker_pid[0]}"
wait "${worker_pid[0]}" 2>/dev/null || true
alive "$(<detached)" || fail 'the detached process ended with the worker; the test checks nothing'
worker_up 0
gone() { ! alive "$(<detached)"; }
until_true gone
