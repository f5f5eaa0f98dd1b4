#!/usr/bin/env bash
# stubs.sh - a program that LD_PRELOAD does not reach is measured with `stubs: on`, and
# only so; its answers are the same
. "$(dirname "$0")/fleet.sh"
cd "$work"
kernel=$B/lib/muster/sim/kernels/accumulate_inplace.o
job() { # NAME PROFILE
    cat <<YAML
version: 1
name: $1
operator: {command: [/bin/sh, -c, "exec env -u LD_PRELOAD $B/tests/lookups $kernel $B/tests >$work/said.$1"]}
profile: {metrics: [PipeUtilization], warmup: 1$2}
limits: {time: 60s, retries: 0}
YAML
}
job bare '' >bare.yaml
job seen ', stubs: on' >seen.yaml
code=0
muster run --quiet --out out bare.yaml >/dev/null 2>told || code=$?
[ "$code" -eq 1 ] || fail "it was measured without: exit $code"
[ "$(db "select launches from v_ranks where job = 'bare-1'")" = 0 ] || fail "$(db 'select * from v_ranks')"
muster run --quiet --out out seen.yaml >/dev/null 2>told || fail "with stubs: $(cat told)"
[ "$(db "select status, launches, parse_state from v_ranks where job = 'seen-2'")" = 'done|1|done' ] ||
    fail "$(db 'select status, reason, launches, parse_state from v_ranks')"
grep -q '^wrong: 0$' said.seen || fail "another answer: $(cat said.seen)"
diff said.bare said.seen || fail 'other answers'
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
