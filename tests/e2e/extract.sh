#!/usr/bin/env bash
# extract.sh - parsing a capture and parsing the vendor folders extracted from it give the
# same files, for every selection of metrics
. "$(dirname "$0")/fleet.sh"
cd "$work"

job extract '[1024, 4096]' 1 >pipes.yaml
sed 's/name: extract/name: mixed/; s/add_custom/matmul_custom/; s/metrics: .*/metrics: [Default, Roofline, Occupancy]}/; s/1024, 4096/64, 128/' pipes.yaml >mixed.yaml
sed 's/name: extract/name: little/; s/metrics: .*/metrics: [MemoryUB, L2Cache]}/' pipes.yaml >little.yaml
sed 's/name: extract/name: deep/; s/add_custom/matmul_custom/; s/metrics: .*/metrics: [MemoryDetail, Source]}/; s/1024, 4096/64, 128/' pipes.yaml >deep.yaml
for name in pipes mixed little deep; do
    muster run --quiet --out "$work/out" $name.yaml >/dev/null 2>run.err || fail "$name: exit $?: $(cat run.err)"
done

compared=0
while IFS='|' read -r job_id key run point; do
    rm -rf vendor again
    muster capture extract --run "$run" --vendor vendor "out/store/captures/$job_id.db" >/dev/null ||
        fail "$key point $point: extract"
    muster-parser folder vendor --out again >/dev/null || fail "$key point $point: parse"
    diff -r out/"$key/p$point"/r0/*/ again/*/ || fail "$key point $point: the files differ"
    compared=$((compared + 1))
done < <(db 'select job_id, job, run_id, point from v_ranks')
[ "$compared" -eq 16 ] || fail "$compared of 16 ranks compared"

say "with all metrics the passes are the vendor's default, so their list can be omitted"
run=$(db 'select run_id from v_ranks where job_id = 2 limit 1')
rm -rf vendor
muster capture extract --run "$run" --vendor vendor out/store/captures/2.db >/dev/null
muster-parser folder vendor --out with >/dev/null
sed -i '/^Pass /d; /^Metrics=/d' vendor/device*/*/*/dump/op_basic_info.txt
muster-parser folder vendor --out without >/dev/null
diff -r with without || fail "the passes of all metrics differ from the vendor's default"

say 'each launch of a replayed range has a folder, and --launch selects some of them'
ranges() { # NAME RANGE OPERATOR RANKS KERNEL LAUNCHES: runs, extracts and compares
    cat >"$1.yaml" <<YAML
version: 1
name: $1
operator: {command: [$3], ranks: $4}
profile: {metrics: [Default], replay: range, kernel: $2, warmup: 1}
YAML
    muster run --quiet --out "out.$1" "$1.yaml" >/dev/null 2>run.err || fail "$1: exit $?: $(cat run.err)"
    for ((rank = 0; rank < $4; rank++)); do
        rm -rf vendor again
        muster capture extract --rank $rank --vendor vendor "out.$1/store/captures/1.db" >/dev/null || fail "$1: extract"
        muster import vendor --out again >/dev/null 2>&1 || true # a collective has no counters
        folders=(again/*/device*/"$5"/*)
        [ ${#folders[@]} -eq "$6" ] || fail "$1: rank $rank has ${#folders[@]} launches"
        for folder in "${folders[@]}"; do
            diff -r "$folder" "out.$1/$1-1/p0/r0"/*/"${folder#again/*/}" || fail "$1: $folder differs"
        done
    done
}
ranges single forward "$B/tests/marker, $B/lib/muster/sim/kernels/accumulate_inplace.o, '3'" 1 accumulate_inplace 3
ranges fused step "sim/bin/matmul_all_reduce_inplace, --launches, '2', --marked, '1'" 2 MatmulAllReduceAddRmsNorm_0 1
rm -rf vendor again
[ "$(muster capture extract --launch 'HcclAllReduce/1|MatmulAllReduceAdd*/0' --vendor vendor out.fused/store/captures/1.db)" = 'out.fused/store/captures/1.db: 2 launches' ] ||
    fail 'extract --launch: not two launches'
[ "$(cd vendor && echo device?/*/* | sed s/device.//g)" = '/HcclAllReduce/1 /MatmulAllReduceAddRmsNorm_0/0' ] || fail "extract --launch: $(ls vendor/*/*)"
muster import vendor --launch 'MatmulAllReduceAdd*' --out again >imported || fail 'import --launch'
grep -q '^1 launches' imported && [ "$(find again -name visualize_data.bin | wc -l)" -eq 1 ] || fail "import --launch: $(cat imported)"
code=0
muster import vendor --launch Add --out again2 2>stderr || code=$?
[ $code -eq 2 ] && grep -q "no launch matches 'Add'; the launches are HcclAllReduce/0, MatmulAllReduceAdd" stderr || fail "import --launch Add: exit $code, $(cat stderr)"
