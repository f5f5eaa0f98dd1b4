#!/usr/bin/env bash
# distribute.sh - equal ranks share the counter passes: fewer replays, the same counters,
# and the results name the rank that measured each figure; unequal ranks measure all
. "$(dirname "$0")/fleet.sh"
cd "$work"
export NPU_SIM_CARDS=4
job() { # NAME HOW COUNT OPTIONS PROFILE
    cat <<YAML
version: 1
name: $1
operator:
  command: ["sim/bin/matmul_all_reduce_inplace", --launches, "2"$4]
  $2: $3
  env: {HCCL_BUFFSIZE: "1"}
profile: {metrics: [Default], kernel: "InplaceMatmul*", warmup: 1, barrier: {deadline: 20s}$5}
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
    measure "equal-$how" $how 4 "$options" ', distribute: 1000%'
    grep '"type":"launch.share"' "equal-$how.records" >share
    [ "$(grep -c '"shared":1' share)" -eq 4 ] || fail "$how: not shared: $(cat share)"
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
say 'ranks with different durations measure all'
measure unequal ranks 4 '' ', distribute: 0.1%'
grep '"type":"launch.share"' unequal.records >share
[ "$(grep -c '"shared":0' share)" -eq 4 ] || fail "ranks share passes: $(cat share)"
grep -q 'not alike' share || fail "the reason is missing: $(cat share)"
[ "$(counters unequal)" -eq "$all" ] || fail "$(counters unequal) passes instead of $all"
[ "$(db "select count(*) from v_results where job like 'unequal-%' and metric like '%_of_rank'")" -eq 0 ] ||
    fail 'a figure comes from another rank'
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
