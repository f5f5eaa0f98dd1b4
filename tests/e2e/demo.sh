#!/usr/bin/env bash
# demo.sh - the quickstart job of the README: every task is measured, every file exists, is
# valid and has the right permissions, and no process is left
. "$(dirname "$0")/fleet.sh"
cd "$work"
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

muster run --out "$work/out" "$root/configs/examples/quickstart.yaml" >run.txt 2>run.err ||
    fail "muster run: exit $?: $(cat run.err)"
report=$(tail -n 1 run.txt)
[ -f "$report" ] || fail "the last line is no report: $report"
grep -q 'complete, 36 of 36 tasks' "$report" || fail 'the report is not complete'
grep -q 'Simulated figures' "$report" || fail 'the report is not marked as simulated'
if grep -qE 'src="?http|href="?http|@import' "$report"; then fail 'the report needs a network'; fi

bins=$(find out -name visualize_data.bin | wc -l)
[ "$bins" -eq 36 ] || fail "$bins visualize_data.bin, not 36"
find out -name visualize_data.bin -print0 | while IFS= read -r -d '' bin; do
    muster inspect --check "$bin" >/dev/null || fail "$bin is not valid"
    folder=$(dirname "$bin")
    for table in ArithmeticUtilization L2Cache Memory MemoryL0 MemoryUB PipeUtilization \
        ResourceConflictRatio OpBasicInfo; do
        [ -s "$folder/$table.csv" ] || fail "no $table.csv in $folder"
    done
done

for op in add_custom matmul_custom; do
    for card in 0 1; do
        count=$(db "select count(distinct run_id || launch) from v_results
                    where metric = 'duration_us' and kernel like '$op%' and card = $card")
        [ "$count" -eq 9 ] || fail "$op on card $card: $count durations, not 3 shapes x 3 repeats"
    done
done
[ "$(db "select count(*) from metrics where simulated != 1")" -eq 0 ] || fail 'a figure is not marked as simulated'

say 'files and folders are closed to other users'
loose=$(find out \( -type f -perm /027 -o -type d -perm /027 \) ! -perm 640 ! -perm 750 -print | head)
[ -z "$loose" ] || fail "files that other users can read: $loose"
[ -z "$(find out -type d ! -perm 750 -print -quit)" ] || fail 'a folder is not 0750'

say 'a second run writes a second report'
muster run --out "$work/out" "$root/configs/examples/quickstart.yaml" >again.txt 2>again.err ||
    fail "second run: exit $?"
[ "$(tail -n 1 again.txt)" != "$report" ] || fail 'the second run overwrote the report of the first'

say 'no process and no socket folder is left'
[ -z "$(leftovers)" ] || fail "left running: $(leftovers)"
[ -z "$(find "$TMPDIR" -mindepth 1)" ] || fail "a socket folder is left: $(find "$TMPDIR")"
