#!/usr/bin/env bash
# application.sh - application replay starts the program once per pass: it gives the same
# tables as kernel replay, with one execution of each launch per start, also for gangs
. "$(dirname "$0")/fleet.sh"
cd "$work"
job() { # NAME MODE COMMAND MORE-OF-OPERATOR MORE-OF-PROFILE
    cat <<YAML
version: 1
name: $1
operator: {command: $3$4}
profile: {metrics: [Default], replay: $2, warmup: 0, launch: {count: 2, skip: 1}$5}
limits: {time: 60s}
YAML
}
export NPU_SIM_CARDS=2
counted="echo start >>$work/starts; exec $B/lib/muster/sim/bin/accumulate_inplace --launches 3"
job kernel kernel "[sim/bin/accumulate_inplace, --launches, '3']" '' '' >kernel.yaml
job application application "[/bin/sh, -c, \"$counted\"]" '' '' >application.yaml
job gang application '[sim/bin/matmul_all_reduce, --launches, "3"]' ', ranks: 2' ', kernel: "MatmulAllReduce*"' >gang.yaml
for name in kernel application gang; do
    muster run --quiet --out out $name.yaml >/dev/null 2>stderr.$name || fail "$name: $(cat stderr.$name)"
done
number=1
for name in kernel application gang; do
    folder[number]=out/$name-$number
    number=$((number + 1))
done

say 'both replay modes give the same tables with the same rows'
tables() { (cd "$1" && find . -name '*.csv' | sed 's/device[0-9]*/device/' | sort); }
[ -n "$(tables "${folder[1]}")" ] || fail 'no tables'
diff <(tables "${folder[1]}") <(tables "${folder[2]}") || fail 'the tables differ'
rows() { (cd "$1" && find . -name '*.csv' -exec wc -l {} + | awk '$2 != "total" {print $1}' | sort -n); }
diff <(rows "${folder[1]}") <(rows "${folder[2]}") || fail 'the numbers of rows differ'
[ "$(db 'select min(launches), max(launches) from ranks')" = '2|2' ] ||
    fail "not two launches in each rank: $(db 'select run_id, rank, launches, reason from ranks')"

say 'the program starts once per pass'
passes=$(capture_db 2 "select sum(records) from blocks where type = 'pass'")
starts=$(wc -l <starts)
[ "$starts" -gt 1 ] || fail "only $starts start of the program"
[ "$passes" -eq $((2 * starts)) ] || fail "$passes passes of two launches in $starts starts"

say 'each rank of a gang is measured in each start'
[ "$(db "select count(*) from v_ranks where job = 'gang-3' and status = 'done' and parse_state = 'done'")" -eq 2 ] ||
    fail 'not both ranks are done'
[ "$(capture_db 3 "select sum(records) from blocks where type = 'pass'")" -eq $((4 * starts)) ] ||
    fail 'a rank lacks passes'

say 'a failure in a later start fails the task, with the output of the program'
rm -f starts
job fails application "[/bin/sh, -c, \"echo x >>$work/starts; [ \$(wc -l <$work/starts) -lt 3 ] || { echo no more; exit 9; }; exec $B/lib/muster/sim/bin/accumulate_inplace --launches 3\"]" '' '' >fails.yaml
code=0
muster run --quiet --out out fails.yaml >/dev/null 2>stderr.fails || code=$?
[ "$code" -eq 1 ] || fail "a failing start: exit $code"
db "select reason from v_ranks where job = 'fails-4'" | grep -q 'exit code 9: no more' || fail "reason: $(db "select reason from v_ranks where job = 'fails-4'")"
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
