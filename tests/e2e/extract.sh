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
