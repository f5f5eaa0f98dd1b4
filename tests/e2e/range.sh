#!/usr/bin/env bash
# range.sh - launches between two marks of the program are replayed as one range: by each
# rank separately, or by all ranks together when the range contains communication
. "$(dirname "$0")/fleet.sh"
cd "$work"
kernel=$B/lib/muster/sim/kernels/accumulate_inplace.o
export NPU_SIM_CARDS=2
job() { # NAME RANGE MORE
    cat <<YAML
version: 1
name: $1
operator: {command: [/bin/sh, -c, "exec $B/tests/marker $kernel 3 >>$work/output.$1"]$3}
profile: {metrics: [PipeUtilization], replay: range, kernel: "$2", warmup: 1, launch: {count: all}}
limits: {time: 60s}
YAML
}
job inner forward '' >inner.yaml
job outer 'st*' '' >outer.yaml
job gang forward ', ranks: 2' >gang.yaml
job none backward '' >none.yaml
for name in inner outer gang; do
    muster run --quiet --out out $name.yaml >/dev/null 2>stderr.$name || fail "$name: $(cat stderr.$name)"
    grep -qv '^wrong: 0$' output.$name && fail "$name: the operator computed wrong values: $(cat output.$name)"
done
say 'the selected ranges are measured under their names'
[ "$(db "select group_concat(launches, ' ') from (select launches from v_ranks order by job_id, rank)")" = '1 2 1 1' ] ||
    fail "launches: $(db 'select job, rank, launches, reason from v_ranks')"
[ "$(find out/inner-1 -path '*/accumulate_inplace/*' -name PipeUtilization.csv | wc -l)" -eq 3 ] || fail "not each launch has its table: $(find out/inner-1)"
[ -n "$(find out/inner-1 -path '*/forward/0/*' -name RangeLaunches.csv)" ] || fail "no table of the range: $(find out/inner-1)"
[ -n "$(find out/outer-2 -path '*/step/*' -name visualize_data.bin)" ] || fail 'no file of the outer range'
[ "$(find out/gang-3 -path '*/forward/*' -name visualize_data.bin | wc -l)" -eq 2 ] || fail 'not both ranks have a file'

say 'a range with reductions and a fused operator: all ranks replay it together'
step=$B/lib/muster/sim/bin/matmul_all_reduce_inplace
for way in ranks threads; do
    command="[$step, --launches, '2', --marked, '1']"
    [ $way = ranks ] || command="[$step, --threads, '2', --launches, '2', --marked, '1']"
    cat >$way.yaml <<YAML
version: 1
name: $way
operator: {command: $command, $way: 2}
profile: {metrics: [PipeUtilization], replay: range, kernel: step, warmup: 1, launch: {count: 1}}
limits: {time: 60s}
YAML
    muster run --quiet --out out $way.yaml >/dev/null 2>stderr.$way || fail "$way: $(cat stderr.$way)"
done
[ "$(db "select group_concat(launches, ' ') from (select launches from v_ranks where job in ('ranks-4', 'threads-5') order by job, rank)")" = '1 1 1 1' ] ||
    fail "launches: $(db 'select job, rank, status, launches, reason from v_ranks')"
for number in 4 5; do
    passes=$(capture_db $number "select sum(records) from blocks where type = 'pass'")
    barriers=$(capture_db $number "select sum(records) from blocks where type = 'barrier'")
    [ "$passes" -ge 4 ] && [ $((passes % 2)) -eq 0 ] || fail "$number: $passes passes of two ranks"
    # each rank: three barriers up to the first pass, two for each further pass
    [ "$barriers" -eq $((2 * 3 + 2 * (passes - 2))) ] || fail "$number: $barriers barriers for $passes passes"
done

say 'kill does not end the program between two segments of a range'
sed 's/name: outer/name: killed/; s/count: all/count: 1/; s/warmup: 1/warmup: 1, kill: on/' outer.yaml >killed.yaml
muster run --quiet --out out.killed killed.yaml >/dev/null 2>stderr.killed || fail "killed: $(cat stderr.killed)"
[ "$(find out.killed -path '*/step/*' -name RangeLaunches.csv | wc -l)" -eq 2 ] || fail "killed: $(find out.killed -name RangeLaunches.csv)"

say 'launch: {range: ...} selects the launches of one range'
sed 's/replay: range, kernel: "forward"/kernel: "acc*"/; s/count: all/count: all, range: "for*"/; s/name: inner/name: within/' inner.yaml >within.yaml
muster run --quiet --out out within.yaml >/dev/null 2>stderr.within || fail "within: $(cat stderr.within)"
[ "$(db "select launches from v_ranks where job = 'within-6'")" -eq 3 ] || fail "launches of range forward: $(db "select launches from v_ranks where job = 'within-6'")"
sed 's/for\*/back*/; s/name: within/name: beyond/' within.yaml >beyond.yaml
code=0
muster run --quiet --out out beyond.yaml >/dev/null 2>stderr.beyond || code=$?
[ "$code" -eq 1 ] && grep -q 'no launch was profiled; other kernels: accumulate_inplace (in no range of that name)' stderr.beyond ||
    fail "beyond: exit $code, $(cat stderr.beyond)"

say 'each range of a list has its own count; several patterns of one entry share it'
listed() { # NAME RANGE LAUNCHES
    sed "s/count: all, range: \"for\*\"/range: $2/; s/name: within/name: $1/" within.yaml >"$1.yaml"
    muster run --quiet --out out "$1.yaml" >/dev/null 2>"stderr.$1" || fail "$1: $(cat "stderr.$1")"
    [ "$(find "out/$(db "select key from jobs where name = '$1'")" -path '*/accumulate_inplace/*' -name visualize_data.bin | sed 's|.*/accumulate_inplace/||; s|/.*||' | sort | xargs)" = "$3" ] ||
        fail "$1: $(db "select launches from v_ranks where job like '$1-%'") launches, not $3"
}
listed list '[for*, step]' '0 3'
listed listed '"for*|step"' '0'
sed 's/name: within/name: half/; s/range: "for\*"/range: [forward, "back*"]/' within.yaml >half.yaml
code=0
muster run --quiet --out out half.yaml >/dev/null 2>stderr.half || code=$?
[ "$code" -eq 1 ] && grep -q "0 of 1 launches were found in the range 'back\*'" stderr.half || fail "half: exit $code, $(cat stderr.half)"

say 'KernelScale in a range: each launch without marked part is named, and the range is not'
sed 's/\[PipeUtilization\]/[Memory, KernelScale]/; s/name: inner/name: scale/' inner.yaml >scale.yaml
code=0
muster run --quiet --out out.scale scale.yaml >/dev/null 2>stderr.scale || code=$?
[ "$code" -eq 1 ] || fail "scale: exit $code, $(cat stderr.scale)"
sqlite3 -batch -noheader out.scale/store/muster.db 'select parse_error from ranks' >problems
[ "$(grep -o "launch [0-9]* of [a-z_]*: metric 'KernelScale' counted nothing" problems | cut -d: -f1 | xargs)" = 'launch 0 of accumulate_inplace launch 1 of accumulate_inplace launch 2 of accumulate_inplace' ] ||
    fail "scale: $(cat problems)"
grep -q "^point 0, repeat 0: parsing: launch 0 of accumulate_inplace: metric 'KernelScale' counted nothing.*\.\.\.$" stderr.scale || fail "scale: $(cat stderr.scale)"
[ "$(env -u MUSTER_COORDINATOR muster results --out out.scale --kernel forward --metric range_launches -o csv scale | cut -d, -f14 | tail -n +2)" = 3 ] || fail 'scale: the range has no figures'

say 'a range that the program never marks is reported'
code=0
muster run --quiet --out out none.yaml >/dev/null 2>stderr.none || code=$?
[ "$code" -eq 1 ] || fail "no such range: exit $code"
db "select reason from v_ranks where job like 'none-%'" | grep -q 'no range was profiled; other ranges: forward' ||
    fail "reason: $(db "select reason from v_ranks where job like 'none-%'")"
echo '{version: 1, name: unmarked, operator: {command: [sim/bin/add_custom]}, profile: {metrics: [BasicInfo], replay: range}, limits: {retries: 0}}' >unmarked.yaml
muster run --quiet --out out unmarked.yaml >/dev/null 2>stderr.unmarked && fail 'a program without ranges succeeded'
grep -q 'no range was profiled: the program marks none with mstxRangeStartA' stderr.unmarked || fail "unmarked: $(cat stderr.unmarked)"
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
