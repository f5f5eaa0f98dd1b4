#!/usr/bin/env bash
# distribute.sh - ranks that are alike share the counter passes: fewer replays, the same
# answers, the same counters, and it is told who measured what; ranks that are not alike
# measure everything themselves
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
    muster run --quiet --out out "$1.yaml" >/dev/null 2>told ||
        fail "$1: $(
            cat told
            muster show --out out --coordinator "" "$1-$((id + 1))" 2>&1
        )"
    id=$((id + 1))
    muster capture export "out/store/captures/$id.db" all.iidb >/dev/null
    muster capture cat all.iidb >"$1.records"
}
counters() { # JOB: how many counter passes each rank made
    grep '"type":"pass"' "$1.records" | grep -c '"kind":4,' || true
}
figures() { # JOB: what was counted, not timed
    db "select rank, metric, round(value, 6) from v_results where job like '$1-%' and metric in
        ('aic_cube_operations', 'aiv_vec_operations', 'main_memory_read_kib',
         'main_memory_written_kib') order by 1, 2"
}

say 'each rank measures all'
measure alone ranks 4 '' ''
all=$(counters alone)
for how in ranks threads; do
    say "$how that are alike share the passes"
    options=''
    [ "$how" = ranks ] || options=', --threads, "4"'
    measure "like$how" $how 4 "$options" ', distribute: 1000%'
    grep '"type":"launch.share"' "like$how.records" >share
    [ "$(grep -c '"shared":1' share)" -eq 4 ] || fail "$how: not shared: $(cat share)"
    few=$(counters "like$how")
    [ $((few * 4)) -le $((all + 4 * 3)) ] && [ "$few" -lt "$all" ] || fail "$how: $few passes instead of $all"
    [ "$(db "select count(*) from v_ranks where job like 'like$how-%' and status = 'done' and parse_state = 'done'")" -eq 4 ] ||
        fail "$how: $(db "select status, reason, parse_state from v_ranks where job like 'like$how-%'")"
    figures alone >alone.txt
    figures "like$how" >like.txt
    [ -s alone.txt ] && diff alone.txt like.txt || fail "$how: other counters"
    # what others measured says so, in the store and beside the tables
    db "select distinct value from v_results where job like 'like$how-%' and rank = 0 and metric like '%_of_rank'" |
        sort -u >ranks.txt
    ! grep -qx '0.0' ranks.txt && [ -s ranks.txt ] || fail "$how: who measured: $(cat ranks.txt)"
    found=$(find out -path "*like$how*" -name SharedPasses.csv | wc -l)
    [ "$found" -eq 4 ] || fail "$how: $found tables tell who measured what"
done
say 'ranks of unlike times measure everything themselves'
measure unlike ranks 4 '' ', distribute: 0.1%'
grep '"type":"launch.share"' unlike.records >share
[ "$(grep -c '"shared":0' share)" -eq 4 ] || fail "they share: $(cat share)"
grep -q 'not alike' share || fail "no reason: $(cat share)"
[ "$(counters unlike)" -eq "$all" ] || fail "$(counters unlike) passes instead of $all"
[ "$(db "select count(*) from v_results where job like 'unlike-%' and metric like '%_of_rank'")" -eq 0 ] ||
    fail 'figures of others'
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
