#!/usr/bin/env bash
# runner.sh - the runner executes kernel files and libraries: a runner that serves many
# points gives the same results as one process per point; a crash costs one point only
. "$(dirname "$0")/fleet.sh"
cd "$work"
export NPU_SIM_HOST=one
unset MUSTER_COORDINATOR
job() { # NAME OPERATOR MATRIX METRICS [TIME]
    cat <<YAML
version: 1
name: $1
operator: {$2}
sweep: {matrix: {$3}, order: sequential}
profile: {metrics: [$4]}
cards: {ids: [0]}
limits: {time: ${5:-20s}, retries: 0}
YAML
}
run() { # NAME: sets $code to the exit code
    code=0
    muster run --quiet --out out "$1.yaml" >/dev/null 2>"stderr.$1" || code=$?
}
columns_of() { # NAME COLUMNS: prints the columns of the job's tasks, in order of points
    db "select $2 from v_ranks where job like '$1-%' order by point"
}

args='"in fp32 ${n}", "in fp32 ${n}", "out fp32 ${n}", "data u32 ${n}"'
add="kernel: sim/kernels/add_custom.o, blocks: 8, args: [$args]"
sizes='n: [1024, 4096, 8192]'
job shared "$add" "$sizes" Default >shared.yaml
job each "$add, renew: 0" "$sizes" Default >each.yaml
job pairs "$add, renew: 2" "$sizes" Default >pairs.yaml
for name in shared each pairs; do
    run $name
    [ $code -eq 0 ] || fail "$name: exit $code: $(cat stderr.$name)"
done

say 'figures and tables are equal for any number of points per process'
figures() { muster results --out out --output csv "$1" | cut -d, -f2-4,8- | sort; } # without the run id
[ "$(figures shared | wc -l)" -gt 50 ] || fail 'fewer than 51 figures'
tables() { # without OpBasicInfo.csv, which contains the process id and the time of day
    (cd out/"$1"-* && find . -name '*.csv' ! -name OpBasicInfo.csv -exec md5sum {} + | sort -k 2)
}
for name in each pairs; do
    diff <(figures shared) <(figures $name) || fail "$name: the figures differ"
    diff <(tables shared) <(tables $name) || fail "$name: the tables differ"
done
processes() { find out/"$1"-* -name OpBasicInfo.csv -exec awk -F, 'FNR == 2 {print $7}' {} + | sort | uniq -c | awk '{print $1}' | sort -n | xargs; }
[ "$(processes shared)" = 3 ] || fail "not one process for all points: $(processes shared)"
[ "$(processes each)" = '1 1 1' ] || fail "not one process per point: $(processes each)"
[ "$(processes pairs)" = '1 2' ] || fail "not one process for two points: $(processes pairs)"

say 'outputs are compared with a file or a checksum, and writes past their end are found'
"$B/lib/muster/muster-runner" 2>/dev/null && fail 'muster-runner accepts an empty command line'
runner_alone() { LD_LIBRARY_PATH=$B/lib/muster/sim/lib64 "$B/lib/muster/muster-runner" "$@"; }
sum=$(runner_alone kernel "$B/lib/muster/sim/kernels/add_custom.o" '' 8 'in fp32 1024' 'in fp32 1024' \
    'out fp32 1024' 'data u32 1024' | sed -n 's/.*out2=\([0-9a-f]*\) result=ok/\1/p')
"$B/lib/muster/sim/bin/add_custom" --n 1024 | grep -q "checksum=$sum wrong=0" || fail 'the checksum differs from that of the program'
runner_alone kernel "$B/lib/muster/sim/kernels/add_custom.o" no_such_kernel 8 >no_entry 2>&1 && fail 'an unknown entry: exit 0'
grep -q "finding kernel 'no_such_kernel' in .*/add_custom.o" no_entry || fail "an unknown entry: $(cat no_entry)"
head -c 4096 /dev/zero >zeros.bin
runner_alone kernel "$B/lib/muster/sim/kernels/add_custom.o" '' 8 'in fp32 1025 from zeros.bin' 'in fp32 1025' 'out fp32 1025' 'data u32 1025' >size.out 2>&1 &&
    fail 'a file of another size is accepted as an input'
grep -q 'zeros.bin has 4096 bytes, the argument needs 4100' size.out || fail "$(cat size.out)"
runner_alone kernel "$B/lib/muster/sim/kernels/add_custom.o" '' 8 'out fp33 1' >type.out 2>&1 && fail 'an unknown type: exit 0'
grep -q "unknown type 'fp33'" type.out || fail "an unknown type: $(cat type.out)"
job checked "kernel: sim/kernels/add_custom.o, blocks: 8, args: ['in fp32 1024', 'in fp32 1024', '\${out}', 'data u32 1024']" \
    "out: [out fp32 1024 expect sum:$sum, out fp32 1024 expect zeros.bin, out fp32 1024, out fp32 1000, out fp32 1024 expect zeros.bin within 17]" '' >checked.yaml
run checked
[ $code -eq 1 ] || fail "checked: exit $code"
columns_of checked "status, coalesce(reason, '')" >outcomes
expected=(
    '^done|$' '^failed|.*argument 2: element 0 is .*, expected 0$' '^done|$'
    '^failed|.*argument 2: the kernel wrote behind its end$' '^done|$')
for i in "${!expected[@]}"; do
    sed -n "$((i + 1))p" outcomes | grep -q "${expected[i]}" || fail "point $i: $(sed -n "$((i + 1))p" outcomes)"
done

say 'a library: after a crash, hang or exit the next point gets a new process'
job library "library: $B/tests/toy_operator.so, entry: behave, args: ['\${how}']" \
    'how: [good, fine, crash, nice, hang, well, leave, sound, wrong, right]' '' 2s >library.yaml
run library
[ $code -eq 1 ] || fail "library: exit $code"
columns_of library "status || ' ' || exit_code || ' ' || signal" | xargs -d '\n' >outcomes
expected_outcomes='done 0 0|done 0 0|failed -1 6|done 0 0|timeout -1 15|done 0 0|failed 5 0|done 0 0|failed 1 0|done 0 0'
[ "$(tr ' ' _ <<<"$expected_outcomes" | tr '|' ' ' | tr _ ' ')" = "$(cat outcomes)" ] || fail "outcomes: $(cat outcomes)"
columns_of library reason | grep -q 'the operator returned 4' || fail "the reason lacks the operator's return code: $(columns_of library reason)"

say 'card memory that a point does not free is released with its process'
job keeps "library: $B/tests/toy_operator.so, entry: behave, args: ['\${how}', '\${i}']" \
    'how: [keep], i: [1, 2, 3, 4]' '' >keeps.yaml
cat >fleet.yaml <<'YAML'
version: 1
hosts:
- {name: one, cards: 1, memory_mib: 12}
YAML
NPU_SIM_FLEET=$work/fleet.yaml run keeps
[ $code -eq 0 ] || fail "keeps: exit $code: $(columns_of keeps reason)"

say 'points behind a long point run on another card, and each point has its own output'
job many "library: $B/tests/toy_operator.so, entry: behave, args: [many, '\${n}', $work/gate]" \
    'n: {from: 0, to: 39}' '' 60s | grep -v cards: >many.yaml
mkfifo gate
muster run --quiet --out out many.yaml >/dev/null 2>stderr.many &
many=$!
ended() { [ "$(columns_of many run_id 2>/dev/null | wc -l)" -ge "$1" ]; }
until_true ended 39
: >gate
code=0
wait $many || code=$?
[ $code -eq 1 ] || fail "many: exit $code: $(cat stderr.many)"
[ "$(columns_of many status | sort | uniq -c | xargs)" = '27 done 13 failed' ] || fail "many: $(columns_of many status | xargs)"
[ "$(db "select count(*) from v_ranks l join v_ranks r using (card) where l.job like 'many-%'
    and r.job = l.job and l.point = 0 and r.started_wall_ns > l.started_wall_ns")" = 0 ] ||
    fail 'a point ran on the card of the long point after it'
[ "$(db "select count(*) from v_ranks where job like 'many-%' and started_wall_ns > ended_wall_ns")" = 0 ] || fail 'a point starts after its end'
while IFS='|' read -r point run; do
    muster logs --out out many "$point" | grep -o 'this is point .*' >log || fail "no output of point $point"
    [ "$(cat log)" = "this is point $point" ] || fail "point $point printed: $(cat log)"
done < <(db "select point, run_id from v_ranks where job like 'many-%' and status = 'failed'")

say 'a program uses the card afterwards, and no process is left'
job after 'command: [sim/bin/add_custom, --n, "${n}"]' 'n: [1024]' '' >after.yaml
run after
[ $code -eq 0 ] || fail "after: $(cat stderr.after)"
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
