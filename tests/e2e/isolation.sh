#!/usr/bin/env bash
# isolation.sh - an operator runs with the limits, processors, environment variables and
# control group that the options of its worker set
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
setsid sh -c 'setsid sleep 1000 &' # leaves the session, so only the control group can find this process
LOOK
chmod +x look.sh
cat >look.yaml <<YAML
version: 1
name: look
operator: {command: [$work/look.sh], env: {OWN: mine}}
profile: {metrics: []}
YAML
job=$(muster submit look.yaml)
muster wait --timeout 60s "$job" >/dev/null 2>&1 || fail 'the job did not succeed'
output=$(cat spool-0/output-*.log)
say 'the operator has the given limits, processors and environment'
grep -q '^nofile=200 core=0 secret= team=blue7 own=mine$' <<<"$output" || fail "output: $output"
grep -qP "^Cpus_allowed_list:\t$cpu\$" <<<"$output" || fail "processors: $output"
if [ -n "$group" ]; then
    say 'the operator has its own control group, and all processes in it are ended'
    grep -q "^0::.*/muster-0-${worker_pid[0]}\$" <<<"$output" || fail "control group: $output"
    [ -d "$group/muster-0-${worker_pid[0]}" ] || fail 'the control group of the worker is missing'
    [ -z "$(cat "$group/muster-0-${worker_pid[0]}/cgroup.procs")" ] || fail 'a process is left in the control group'
else
    say 'no control group is writable: that part is skipped'
fi
left=$(leftovers | grep -v muster- || true)
[ -z "$left" ] || fail "left over: $left"
pid=${worker_pid[0]}
down
[ -z "$group" ] || [ ! -e "$group/muster-0-$pid" ] || fail 'the control group remains after the end'
say 'an unknown limit is an error'
code=0
muster-worker --control ipc://x --data ipc://x --spool s --card 0 --limit files=3 2>limit.err || code=$?
[ "$code" -eq 2 ] && grep -q "unknown limit 'files'" limit.err || fail "exit $code: $(cat limit.err)"
