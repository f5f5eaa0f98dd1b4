#!/usr/bin/env bash
# distribute.sh - equal ranks share the counter passes: fewer replays, the same counters,
# and the results name the rank that measured each figure; unequal ranks measure all
. "$(dirname "$0")/fleet.sh"
cd "$work"
export NPU_SIM_CARDS=4
export NPU_SIM_HOST_STEP_US=60000000 # a loaded host does not count
job() {                              # NAME HOW COUNT OPTIONS PROFILE
    cat <<YAML
version: 1
name: $1
operator:
  command: ["sim/bin/matmul_all_reduce_inplace", --launches, "2"$4]
  $2: $3
  env: {HCCL_BUFFSIZE: "1"}
profile: {metrics: [Default], kernel: "MatmulAllReduceAdd*", warmup: 1, barrier: {deadline: 20s}$5}
limits: {retries: 0, time: 60s}
YAML
}
id=0
measure() { # NAME HOW COUNT OPTIONS PROFILE
    job "$@" >"$1.yaml"
    muster run --quiet --out out "$1.yaml" >/dev/null 2>run.err ||
        fail "$1: $(
            cat run.err
            muster show --out out --coordinator "" "$1-$((id + 1))" 2>&1
        )"
    id=$((id + 1))
    muster capture export "out/store/captures/$id.db" all.iidb >/dev/null
    muster capture cat all.iidb >"$1.records"
}
counters() { # JOB: prints the number of counter passes of all ranks
    grep '"type":"pass"' "$1.records" | grep -c '"kind":4,' || true
}
figures() { # JOB: prints counted figures, which do not depend on time
    db "select rank, metric, round(value, 6) from v_results where job like '$1-%' and metric in
        ('aic_cube_operations', 'aiv_vec_operations', 'main_memory_read_kib',
         'main_memory_written_kib') order by 1, 2"
}

say 'without distribute each rank measures all'
measure alone ranks 4 '' ''
all=$(counters alone)
for how in ranks threads; do
    say "equal $how share the passes"
    options=''
    [ "$how" = ranks ] || options=', --threads, "4"'
    NPU_SIM_NOISE=0 measure "equal-$how" $how 4 "$options" ', distribute: 0.1%'
    grep '"type":"launch.share"' "equal-$how.records" >share
    [ "$(grep -c '"shared":1' share)" -eq 4 ] || fail "$how: not shared: $(cat share)"
    [ "$(grep -c '"why":"device times differ by 0.0 %, at most 0.1 % allowed"' share)" -eq 4 ] ||
        fail "$how: the reason is missing: $(cat share)"
    why='the ranks share the counter passes: device times differ by 0.0 %, at most 0.1 % allowed'
    env -u MUSTER_COORDINATOR muster results --out out "equal-$how-$id" --notes >notes
    grep -qF -- "- $why (" notes || fail "$how: no reason among the notes: $(cat notes)"
    python3 -c 'import json, sys
notes = json.load(open(sys.argv[1]))["notes"]
assert [(n["text"], n["launches"]) for n in notes] == [(sys.argv[2], 4)], notes' \
        "out/equal-$how-$id/report.json" "$why" || fail "$how: no reason in the report"
    few=$(counters "equal-$how")
    [ $((few * 4)) -le $((all + 4 * 3)) ] && [ "$few" -lt "$all" ] || fail "$how: $few passes instead of $all"
    [ "$(db "select count(*) from v_ranks where job like 'equal-$how-%' and status = 'done' and parse_state = 'done'")" -eq 4 ] ||
        fail "$how: $(db "select status, reason, parse_state from v_ranks where job like 'equal-$how-%'")"
    figures alone >alone.txt
    figures "equal-$how" >equal.txt
    [ -s alone.txt ] && diff alone.txt equal.txt || fail "$how: the counters differ"
    # store and SharedPasses.csv name the rank that measured each shared figure
    db "select distinct value from v_results where job like 'equal-$how-%' and rank = 0 and metric like '%_of_rank'" |
        sort -u >ranks.txt
    ! grep -qx '0.0' ranks.txt && [ -s ranks.txt ] || fail "$how: measuring ranks: $(cat ranks.txt)"
    found=$(find out -path "*equal-$how*" -name SharedPasses.csv | wc -l)
    [ "$found" -eq 4 ] || fail "$how: $found files SharedPasses.csv, not 4"
done
say 'a slow link: its two ranks need longer, so all ranks measure all'
cat >slow.yaml <<'YAML'
version: 1
hosts: [{name: one, cards: 4}]
faults: [{fault: slow_link, card: 0, to_card: 1, factor: 20}]
YAML
NPU_SIM_NOISE=0 NPU_SIM_FLEET=$work/slow.yaml measure unequal ranks 4 '' ', distribute: 0.1%'
grep '"type":"launch.share"' unequal.records >share
[ "$(grep -c '"shared":0' share)" -eq 4 ] || fail "ranks share passes: $(cat share)"
python3 - <<'PYTHON' || fail "times and reason do not agree: $(cat share)"
import json

rows = [json.loads(line) for line in open("share")]
took = {row["rank"]: int(row["took_ns"]) for row in rows}
assert took[0] == took[1] > took[2] == took[3] > 0, took
percent = 100 * (took[0] - took[2]) / took[2]
wanted = f"device times differ by {percent:.1f} %, at most 0.1 % allowed"
assert percent > 0.1 and all(row["why"] == wanted for row in rows), wanted
PYTHON
grep -qF 'the ranks do not share the counter passes: device times differ by' "out/unequal-$id/report.html" ||
    fail 'no reason in the report of unequal ranks'
[ "$(counters unequal)" -eq "$all" ] || fail "$(counters unequal) passes instead of $all"
[ "$(db "select count(*) from v_results where job like 'unequal-%' and metric like '%_of_rank'")" -eq 0 ] ||
    fail 'a figure comes from another rank'
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
