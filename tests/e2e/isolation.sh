#!/usr/bin/env bash
# isolation.sh - what an operator finds of its host: the limits, processors, environment
# and control group that its worker was told to give it, in a process and in a runner
. "$(dirname "$0")/fleet.sh"
cd "$work"
export SECRET_TOKEN=abc TEAM_NAME=blue TEAM_ROOM=7
own=$(sed -n 's/^0:://p' /proc/self/cgroup)
group=
for place in /sys/fs/cgroup /sys/fs/cgroup/unified; do
    [ -w "$place${own%/}/cgroup.procs" ] && group=$place${own%/} && break
done
cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
coordinator_up
worker_up 0 --limit core=0,nofile=200,fsize=1MiB --cpus "$cpu" --env-allow 'TEAM_*' ${group:+--cgroup auto}
cat >look.sh <<'LOOK'
#!/bin/sh
echo "nofile=$(ulimit -Hn) core=$(ulimit -Hc) secret=$SECRET_TOKEN team=$TEAM_NAME$TEAM_ROOM own=$OWN"
grep Cpus_allowed_list /proc/self/status
grep ^0:: /proc/self/cgroup
setsid sh -c 'setsid sleep 1000 &' # it hides
LOOK
chmod +x look.sh
cat >look.yaml <<YAML
version: 1
name: look
operator: {command: [$work/look.sh], env: {OWN: mine}}
profile: {metrics: []}
YAML
job=$(muster submit look.yaml)
muster wait --timeout 60s "$job" >/dev/null 2>&1 || fail 'it did not end well'
told=$(cat spool-0/output-*.log)
say 'limits, processors and environment are those that were given'
grep -q '^nofile=200 core=0 secret= team=blue7 own=mine$' <<<"$told" || fail "told: $told"
grep -qP "^Cpus_allowed_list:\t$cpu\$" <<<"$told" || fail "processors: $told"
if [ -n "$group" ]; then
    say 'it is in a group of its own, and what hides in it is ended'
    grep -q "^0::.*/muster-0-${worker_pid[0]}\$" <<<"$told" || fail "group: $told"
    [ -d "$group/muster-0-${worker_pid[0]}" ] || fail 'no group'
    [ -z "$(cat "$group/muster-0-${worker_pid[0]}/cgroup.procs")" ] || fail 'somebody is left in it'
else
    say 'no control group is ours here: that part is skipped'
fi
left=$(leftovers | grep -v muster- || true)
[ -z "$left" ] || fail "left over: $left"
pid=${worker_pid[0]}
down
[ -z "$group" ] || [ ! -e "$group/muster-0-$pid" ] || fail 'the group stays'
say 'what cannot be given is an error'
code=0
muster-worker --control ipc://x --data ipc://x --spool s --card 0 --limit files=3 2>said || code=$?
[ "$code" -eq 2 ] && grep -q "unknown limit 'files'" said || fail "exit $code: $(cat said)"
