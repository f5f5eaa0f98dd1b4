#!/usr/bin/env bash
# stubs.sh - a program that removes LD_PRELOAD is measured with `stubs: on` and not
# without; its output is the same
. "$(dirname "$0")/fleet.sh"
cd "$work"
kernel=$B/lib/muster/sim/kernels/accumulate_inplace.o
job() { # NAME PROFILE
    cat <<YAML
version: 1
name: $1
operator: {command: [/bin/sh, -c, "exec env -u LD_PRELOAD $B/tests/lookups $kernel $B/tests >$work/output.$1"]}
profile: {metrics: [PipeUtilization], warmup: 1$2}
limits: {time: 60s, retries: 0}
YAML
}
job bare '' >bare.yaml
job stubbed ', stubs: on' >stubbed.yaml
code=0
muster run --quiet --out out bare.yaml >/dev/null 2>run.err || code=$?
[ "$code" -eq 1 ] || fail "measured without stubs: exit $code"
[ "$(db "select launches from v_ranks where job = 'bare-1'")" = 0 ] || fail "$(db 'select * from v_ranks')"
muster run --quiet --out out stubbed.yaml >/dev/null 2>run.err || fail "with stubs: $(cat run.err)"
[ "$(db "select status, launches, parse_state from v_ranks where job = 'stubbed-2'")" = 'done|1|done' ] ||
    fail "$(db 'select status, reason, launches, parse_state from v_ranks')"
grep -q '^wrong: 0$' output.stubbed || fail "the operator computed wrong values: $(cat output.stubbed)"
diff output.bare output.stubbed || fail 'the output differs with stubs'

starts() { # NAME COMMAND
    cat <<YAML
version: 1
name: $1
operator: {command: [$2]}
profile: {metrics: [PipeUtilization], stubs: on}
limits: {time: 60s, retries: 0}
YAML
}
say 'a linked program'
starts linked "$B/tests/static_wrapper, $B/lib/muster/sim/bin/add_custom, --n, 4096" >linked.yaml
muster run --quiet --out out linked.yaml >/dev/null 2>run.err || fail "a linked program: $(cat run.err)"
[ "$(db "select status, launches, parse_state from v_ranks where job = 'linked-3'")" = 'done|1|done' ] ||
    fail "$(db 'select job, status, reason, launches from v_ranks')"

say 'a program that no library reaches'
starts static "$B/tests/static_wrapper" >static.yaml
code=0
muster run --quiet --out out static.yaml >/dev/null 2>run.err || code=$?
[ "$code" -eq 1 ] || fail "measured a program without a loader: exit $code"
grep -q 'no process of the operator connected to the worker' run.err || fail "$(cat run.err)"
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
