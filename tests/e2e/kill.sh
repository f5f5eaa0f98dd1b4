#!/usr/bin/env bash
# kill.sh - with `kill: on` muster ends a program when its selected launches are measured,
# and the task is done
. "$(dirname "$0")/fleet.sh"
cd "$work"
job() { # NAME PROFILE
    cat <<YAML
version: 1
name: $1
operator: {command: [/bin/sh, -c, "$B/lib/muster/sim/bin/accumulate_inplace --launches 2; while :; do :; done"]}
profile: {metrics: [PipeUtilization], launch: {count: 2}$2}
limits: {time: 60s, retries: 0}
YAML
}
job killed ', kill: on' >killed.yaml
muster run --quiet --out out killed.yaml >/dev/null 2>run.err || fail "muster run failed: $(cat run.err)"
[ "$(db 'select status, launches, parse_state from v_ranks')" = 'done|2|done' ] ||
    fail "$(db 'select status, reason, launches, parse_state from v_ranks')"
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

say 'ranks that never end are ended when all of them are measured'
cat >ranks.yaml <<YAML
version: 1
name: ranks
operator: {command: [sim/bin/matmul_all_reduce_inplace, --launches, "100000"], ranks: 2, env: {HCCL_BUFFSIZE: "1"}}
profile: {metrics: [PipeUtilization], warmup: 0, kernel: "MatmulAllReduceAdd*", launch: {count: 2}, kill: on}
limits: {time: 60s, retries: 0}
YAML
muster run --quiet --out out ranks.yaml >/dev/null 2>run.err || fail "muster run failed: $(cat run.err)"
[ "$(db "select group_concat(status || launches || parse_state) from v_ranks where job = 'ranks-2'")" = 'done2done,done2done' ] ||
    fail "$(db 'select job, rank, status, reason, launches, parse_state from v_ranks')"
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

say 'with kill: on the exit code of the program does not count'
job fails ', kill: on' | sed 's/while :; do :; done/exit 3/' >fails.yaml
muster run --quiet --out out fails.yaml >/dev/null 2>run.err || fail "muster run failed: $(cat run.err)"

say 'without kill: on the program continues until its time limit'
job goes_on '' | sed 's/60s/2s/' >goes_on.yaml
code=0
muster run --quiet --out out goes_on.yaml >/dev/null 2>run.err || code=$?
[ "$code" -ne 0 ] || fail 'muster run reported success'
[ "$(db "select status from v_ranks where job = 'goes_on-4'")" = timeout ] || fail "$(db 'select status, reason from v_ranks')"
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
