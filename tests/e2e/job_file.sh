#!/usr/bin/env bash
# job_file.sh - validate, expand and the forecast of a job file with includes, ranges,
# excludes and overrides agree with the tasks that run
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR

mkdir common
cat >common/limits.yaml <<'YAML'
limits: {time: 10s, retries: 0}
profile: {metrics: []}
YAML
cat >operator.sh <<'SH'
#!/bin/sh
echo "$1 $MODE" >>"$2"
SH
chmod +x operator.sh
cat >job.yaml <<YAML
version: 1
name: whole
include: [common/limits.yaml]
operator: {command: [./operator.sh, "\${m}x\${n}", "$work/ran.txt"], env: {MODE: slow}}
sweep:
  matrix: {m: {from: 1, to: 4, times: 2}}
  zip: {small: {n: {from: 10, to: 11}}}
  exclude: ["m == 4 && n == 11"]
  include: [{m: 7, n: 7}]
overrides: [{when: "m >= 4", operator: {env: {MODE: fast}}, limits: {time: 20s}}]
YAML
muster validate job.yaml | grep -q 'valid, 6 points, 6 tasks' || fail 'validate'
muster expand -o jsonl job.yaml >points.txt
[ "$(wc -l <points.txt)" -eq 6 ] || fail "points: $(cat points.txt)"

say 'the forecast without an earlier job, and with one'
forecast() { muster expand --forecast --out "$work/out" -o jsonl job.yaml; }
forecast >before.txt
python3 - before.txt <<'PY' || fail "$(cat before.txt)"
import json, sys
row = json.loads(open(sys.argv[1]).readline())
assert row["passes"] == row["launches"] == 0 # the job has no metrics
assert row["points"] == row["tasks"] == 6 and row["cards_per_task"] == 1
assert row["time_ms"] is None and row["basis"] is None and row["disk_bytes"] > 0
assert row["most_ms"] == 4 * 10000 + 2 * 20000
PY
muster run --out "$work/out" job.yaml >run.txt 2>run.err || fail "run: $(cat run.err)"
grep -q '^forecast: 6 points, 6 tasks of 1 card' run.err || fail "run: $(cat run.err)"
[ "$(sort ran.txt | tr '\n' ',')" = '1x10 slow,1x11 slow,2x10 slow,2x11 slow,4x10 fast,7x7 fast,' ] ||
    fail "ran: $(cat ran.txt)"
forecast >after.txt
python3 - after.txt <<'PY' || fail "$(cat after.txt)"
import json, sys
row = json.loads(open(sys.argv[1]).readline())
assert row["basis"] == "whole-1" and row["time_ms"] > 0 and row["disk_bytes"] > 0
PY

say 'the stored job file does not need its includes'
rm -r common
db 'select yaml from jobs' >kept.yaml
muster expand -o jsonl kept.yaml | cmp - points.txt || fail 'the stored job file has other points'
code=0
muster validate job.yaml 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q '^job.yaml:3:11: include: .*No such file' err.txt ||
    fail "a missing include: exit $code: $(cat err.txt)"
