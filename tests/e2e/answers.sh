#!/usr/bin/env bash
# answers.sh - the operator's output bytes and exit code are the same with muster and
# without; memory is restored between replays, and it shows when it is not
. "$(dirname "$0")/fleet.sh"
sim=$B/lib/muster/sim
export ASCEND_HOME_PATH=$sim LD_LIBRARY_PATH=$sim/lib64
cd "$work"

attached() { # OUT, program and arguments: once, through a real worker
    local out=$1
    shift
    muster-worker --once --simulated --card 0 --model Ascend910B2 --spool "$work/spool" \
        --output "$out" --capture "$work/once.iidb" "${switch[@]}" -- "$@"
}
same() { # program and arguments
    local alone=0 with=0
    "$@" >alone.txt 2>alone.err || alone=$?
    attached with.txt "$@" || with=$?
    cmp alone.txt with.txt || fail "$*: another output with muster"
    [ "$alone" -eq "$with" ] || fail "$*: exit $with with muster, $alone without"
}
switch=()
say 'three operators, with and without'
same "$sim/bin/add_custom" --n 4096
same "$sim/bin/matmul_custom" --m 64 --n 64 --k 64
same "$sim/bin/accumulate_inplace" --n 4096
same "$sim/bin/accumulate_inplace" --n 4096 --launches 3
say 'a wrong use, and a program that never touches an NPU'
same "$sim/bin/add_custom" --no-such-option
same /bin/echo hello

say 'without the restore the answer is wrong, and the program says so'
switch=(--test-no-restore)
code=0
attached with.txt "$sim/bin/accumulate_inplace" --n 4096 2>/dev/null || code=$?
[ "$code" -eq 1 ] || fail "accumulate_inplace ended with $code though nothing was restored"
