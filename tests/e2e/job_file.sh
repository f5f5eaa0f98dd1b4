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
assert row["cards"] == 2 and row["most_ms"] == (4 * 10000 + 2 * 20000) / 2, row
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

say 'validate warns about missing programs and axes without use, and lists the metrics'
mkdir jobs
warned() { # EXPECTED YAML: validate of jobs/warned.yaml prints these warnings and succeeds
    printf 'version: 1\nname: warned\n%s\n' "$2" >jobs/warned.yaml
    muster validate jobs/warned.yaml 2>all.txt >/dev/null || fail "validate: $(cat all.txt)"
    sed "s/^jobs.warned.yaml: warning: //" all.txt >warnings.txt
    [ "$(cat warnings.txt)" = "$1" ] || fail "warnings: $(cat warnings.txt)"
}
warned '' 'operator: {command: [sim/bin/add_custom]}'
warned "operator.command: no program './operator.sh' in $work/jobs; it must exist on the hosts of the workers" 'operator: {command: [./operator.sh]}'
warned "operator.command: no program 'no-such-program' in PATH; it must exist on the hosts of the workers" 'operator: {command: [no-such-program]}'
warned "operator.command: no program '/none' on this host; it must exist on the hosts of the workers" 'operator: {command: [/none]}'
warned "operator.kernel: no file 'b.o' in $work/jobs; it must exist on the hosts of the workers" 'operator: {kernel: "${k}"}
sweep: {matrix: {k: [sim/kernels/add_custom.o, b.o]}}'
warned "sweep: nothing uses the axis 'n', so its values measure the same; write \${n} in the operator, or use sweep.repeat" 'operator: {command: [/bin/true]}
sweep: {matrix: {m: [1, 2], n: [1, 2], k: [3]}, exclude: ["m == 2"]}
overrides: [{when: k == 3, operator: {env: {A: "1"}}}]
cards: {ids: [0]}'
warned "sweep.exclude[1]: the expression removes no point; correct or remove it
sweep.exclude[2]: the expression removes no point; correct or remove it
overrides[1].when: no point meets the condition, so the entry has no effect; correct or remove it
gate.tolerances[1].when: no point meets the condition, so the entry has no effect; correct or remove it" \
    'operator: {command: [/bin/echo, "${n}"]}
sweep: {matrix: {n: [1, 2, 3]}, exclude: ["n > 2", "n == 3", "n == 4"]}
overrides: [{when: n == 1, operator: {env: {A: "1"}}}, {when: n == 3, operator: {env: {A: "2"}}}]
compare: {against: nightly}
gate: {tolerances: [{when: n == 2, tolerance: 3%}, {when: n == 9, tolerance: 4%}]}'
say 'run repeats the warnings about keys without effect, and not those about hosts'
{ sed 's/name: warned/name: warned-run/' jobs/warned.yaml && echo 'profile: {metrics: []}'; } >useless.yaml
code=0
muster run --quiet --out useless --cards 1 useless.yaml >/dev/null 2>run.err || code=$?
[ "$code" -eq 5 ] || fail "run without a baseline: exit $code: $(cat run.err)"
[ "$(grep -c '^useless.yaml: warning: ' run.err)" -eq 4 ] || fail "run: $(cat run.err)"
grep -q '^useless.yaml: warning: overrides\[1\].when: no point meets the condition' run.err || fail "run: $(cat run.err)"
muster validate --help >help.txt
python3 - "$root/configs/job.schema.json" <<'PY' || fail "metrics in the help: $(cat help.txt)"
import json, re, sys
names = json.load(open(sys.argv[1]))["properties"]["profile"]["properties"]["metrics"]["items"]["enum"]
text = open("help.txt").read()
assert len(names) >= 10 and all(re.search(rf"\b{name}\b", text) for name in names), names
PY
printf 'version: 1\nname: gone\noperator: {command: [./gone, "1"], cwd: jobs}\nsweep: {repeat: 3}\nlimits: {retries: 0}\n' >gone.yaml
muster run --quiet --out none gone.yaml >/dev/null 2>gone.txt && fail 'a missing program ran'
grep -qF "no program './gone' in the folder of the job file or in $work/jobs, where it would run; correct operator.command" gone.txt || fail "$(cat gone.txt)"
[ "$(grep -c '^point' gone.txt)" -eq 1 ] && grep -q '^point 0, repeat 0 and 2 more tasks: no program' gone.txt || fail "$(cat gone.txt)"
