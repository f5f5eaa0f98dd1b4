#!/usr/bin/env bash
# sensitive_programs.sh - programs that could break under inject (sensitive_programs.c)
# print the same with muster as without, and do not hang
. "$(dirname "$0")/../e2e/fleet.sh"
cd "$work"
program=$B/tests/sensitive_programs local=$B/tests/sensitive_programs_local kernel=$B/lib/muster/sim/kernels/accumulate_inplace.o
export LD_LIBRARY_PATH=$B/lib/muster/sim/lib64

cat >job.yaml <<YAML
version: 1
name: sensitive_programs
operator: {command: [/bin/sh, -c, "\${program} \${way} $kernel >with.\${way} 2>&1; echo \$? >>with.\${way}"], cwd: $work}
sweep: {zip: [{way: [threads, fork, early, local], program: [$program, $program, $program, $local]}]}
profile: {metrics: [PipeUtilization], warmup: 1, launch: {count: all}}
limits: {time: 60s, retries: 0}
YAML
code=0
muster run --quiet --out "$work/out" job.yaml >printed 2>errors || code=$?
for way in threads fork early local; do
    [ "$way" != local ] || program=$local
    "$program" "$way" "$kernel" >"alone.$way" 2>&1 && c=0 || c=$?
    echo "$c" >>"alone.$way"
    grep -q 'wrong=0' "alone.$way" || fail "$way is wrong without muster: $(cat "alone.$way")"
    diff "alone.$way" "with.$way" || fail "$way: another output with muster"
done
[ "$code" -eq 0 ] || fail "not all were measured: exit $code: $(cat errors)"
launches=$(db "select group_concat(launches, ' ') from (select launches from v_ranks order by point)")
[ "$launches" = '6 6 6 3' ] || fail "launches: $launches"
# Each launch has its file, also when two processes of a program have the same launch number.
for point in 0 1 2 3; do
    files=$(find "$work"/out/sensitive_programs-*/p$point -name visualize_data.bin | wc -l)
    [ "$files" = "$(cut -d' ' -f$((point + 1)) <<<"$launches")" ] || fail "point $point: $files files of $launches"
done
