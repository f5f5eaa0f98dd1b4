#!/usr/bin/env bash
# answers.sh - the operator's output bytes and exit code are the same with muster and
# without; memory is restored between replays, and it shows when it is not
. "$(dirname "$0")/fleet.sh"
ops=$B/lib/muster/sim/bin
cd "$work"

cases=(
    "$ops/add_custom --n 4096"
    "$ops/matmul_custom --m 64 --n 64 --k 64"
    "$ops/accumulate_inplace --n 4096"
    "$ops/accumulate_inplace --n 4096 --launches 3"
    "$ops/add_custom --no-such-option"
    "/bin/echo hello"
)
{
    cat <<YAML
version: 1
name: answers
operator: {command: [/bin/sh, -c, "\${case} >with.\${n} 2>with-err.\${n}; code=\$?; echo \$code >with-code.\${n}; exit \$code"], cwd: $work}
sweep:
  zip:
    - n: [0, 1, 2, 3, 4, 5]
      case:
YAML
    printf '        - "%s"\n' "${cases[@]}"
    echo 'profile: {metrics: [Default], launch: {count: 10}}'
} >job.yaml
muster validate job.yaml >/dev/null || fail 'the job file of this test'

coordinator_up
worker_up 0
until_true muster submit job.yaml >/dev/null 2>&1
code=0
muster wait 1 --timeout 120s >/dev/null 2>wait.err || code=$?
[ "$code" -eq 1 ] || fail "two of six fail, but muster wait ended with $code: $(cat wait.err)"
for n in "${!cases[@]}"; do
    alone=0
    ${cases[$n]} >"alone.$n" 2>"alone-err.$n" || alone=$?
    cmp "alone.$n" "with.$n" || fail "${cases[$n]}: another output with muster"
    cmp "alone-err.$n" "with-err.$n" || fail "${cases[$n]}: another stderr with muster"
    [ "$alone" -eq "$(cat "with-code.$n")" ] || fail "${cases[$n]}: another exit code with muster"
done
muster show 1 --output csv >show.csv
[ "$(grep -c ',done,' show.csv)" -ge 4 ] || fail "not all four operators were measured: $(cat show.csv)"
grep -q 'not-injected' show.csv || fail 'a program that never touched an NPU is not told from a measured one'

say 'all passes ran, and each launch was restored before each of them'
short=$(db "select count(*) from v_results where metric = 'duration_us'")
[ "$short" -eq 6 ] || fail "$short durations of 1 + 1 + 1 + 3 launches"

say 'without the restore the answer is wrong, and the program says so'
down
rm -rf out spool-0
cat >broken.yaml <<YAML
version: 1
name: broken
operator: {command: [$ops/accumulate_inplace, --n, 4096]}
profile: {metrics: [Default]}
YAML
coordinator_up
worker_up 0 --test-no-restore
until_true muster submit broken.yaml >/dev/null 2>&1
code=0
muster wait 1 --timeout 60s >/dev/null 2>&1 || code=$?
[ "$code" -eq 1 ] || fail "muster wait ended with $code though nothing was restored"
[ "$(db 'select exit_code from ranks')" -eq 1 ] || fail 'the program did not see that its answer is wrong'
