#!/usr/bin/env bash
# answers.sh - output and exit code of an operator are the same with and without muster;
# memory is restored between replays, and without the restore the output is wrong
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
    echo 'profile: {metrics: [Default], launch: {count: all}}'
} >job.yaml
muster validate job.yaml >/dev/null || fail 'the job file of this test is invalid'

coordinator_up
worker_up 0
until_true muster submit job.yaml >/dev/null 2>&1
code=0
muster wait 1 --timeout 120s >/dev/null 2>wait.err || code=$?
[ "$code" -eq 1 ] || fail "two of six tasks fail, but muster wait ended with $code: $(cat wait.err)"
for n in "${!cases[@]}"; do
    alone=0
    ${cases[$n]} >"alone.$n" 2>"alone-err.$n" || alone=$?
    cmp "alone.$n" "with.$n" || fail "${cases[$n]}: the output differs with muster"
    cmp "alone-err.$n" "with-err.$n" || fail "${cases[$n]}: stderr differs with muster"
    [ "$alone" -eq "$(cat "with-code.$n")" ] || fail "${cases[$n]}: the exit code differs with muster"
done
muster show 1 --output csv >show.csv
[ "$(grep -c ',done,' show.csv)" -ge 4 ] || fail "not all four operators were measured: $(cat show.csv)"
grep -q 'not-injected' show.csv || fail 'a program without NPU calls is not marked as not-injected'

say 'every launch of every operator has a duration'
durations=$(db "select count(*) from v_results where metric = 'duration_us'")
[ "$durations" -eq 6 ] || fail "$durations durations of 1 + 1 + 1 + 3 launches"

say 'without the restore the operator finds a wrong result and fails'
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
[ "$(db 'select exit_code from ranks')" -eq 1 ] || fail 'the operator did not detect its wrong result'
