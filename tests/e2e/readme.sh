#!/usr/bin/env bash
# readme.sh - the job file, the commands, the paths and the make targets of the README exist
. "$(dirname "$0")/fleet.sh"
cd "$work"
readme=$root/README.md

sed -n '/^```yaml/,/^```/p' "$readme" | sed '/^```/d' >job.yaml
[ -s job.yaml ] || fail 'the README has no job file'
muster validate job.yaml >/dev/null || fail 'muster validate refuses the job file of the README'

# Commands and targets count only in code: in a block or between backquotes.
sed -n -e '/^```/,/^```/p' -e '/^    /p' "$readme" >code.txt
sed '/^```/,/^```/d' "$readme" | grep -oE '`[^`]+`' | tr -d '`' >>code.txt

# at_least COUNT FILE WHAT: a change of the README's form must not empty a list unnoticed
at_least() {
    [ "$(wc -l <"$2")" -ge "$1" ] || fail "the README names fewer than $1 $3: $(cat "$2")"
}

muster help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >known.txt
grep -oE '(^|[^-a-z])muster [a-z]+' code.txt | awk '{print $NF}' | sort -u >commands.txt
at_least 3 commands.txt 'commands'
while read -r command; do
    grep -qx "$command" known.txt || fail "the README names a command that does not exist: $command"
done <commands.txt

grep -oE '\(?[`(](docs|configs|deploy|tests|lib|cli|coordinator|worker|inject|parsers|sim)/[A-Za-z0-9_./-]+[`)]' "$readme" |
    tr -d '`()' | sort -u >paths.txt
at_least 3 paths.txt 'paths'
while read -r path; do
    [ -e "$root/$path" ] || fail "the README names a path that does not exist: $path"
done <paths.txt

grep -oE '\bmake [a-z]+' code.txt | awk '{print $2}' | sort -u >targets.txt
at_least 2 targets.txt 'make targets'
while read -r target; do
    grep -qE "^([a-z -]+ )?$target( [a-z -]+)?:" "$root/Makefile" ||
        fail "the README names a make target that does not exist: $target"
done <targets.txt

say 'the commands in the header of the example fleet work'
sed -n 's/^#   \(NPU_SIM_FLEET=.*\)/\1/p' "$root/configs/fleets/example.yaml" >header.txt
[ "$(wc -l <header.txt)" -eq 2 ] || fail "not two commands: $(cat header.txt)"
job small '[1024]' 1 >small.yaml
while read -r line; do
    line=${line/muster run/muster run --quiet --out $work/out}
    line=${line/configs\/examples\/quickstart.yaml/$work/small.yaml} # the example itself takes longer
    (
        unset MUSTER_COORDINATOR
        cd "$root"
        eval "${line//build\/dev/$B}"
    ) >output.txt 2>err.txt || fail "$line: exit $?: $(cat err.txt)"
done <header.txt
[ "$(grep -c 'Ascend910\|910B' output.txt)" -ge 8 ] || fail "npu-smi: $(cat output.txt)"
[ "$(db "select count(*), sum(simulated) from v_results where metric = 'duration_us'")" = '2|2' ] || fail 'not 2 figures of the simulated fleet'
