#!/usr/bin/env bash
# extract.sh - a capture and the vendor's folders that are made of it give the same
# files, whatever was asked for
. "$(dirname "$0")/fleet.sh"
cd "$work"

job extract '[1024, 4096]' 1 >pipes.yaml
sed 's/name: extract/name: mixed/; s/add_custom/matmul_custom/; s/metrics: .*/metrics: [Default, Roofline]}/; s/1024, 4096/64, 128/' pipes.yaml >mixed.yaml
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
    diff -r out/"$key/p$point"/r0/*/ again/*/ || fail "$key point $point: other files"
    compared=$((compared + 1))
done < <(db 'select job_id, job, run_id, point from v_ranks')
[ "$compared" -eq 16 ] || fail "$compared of 16 ranks compared"

say "everything was asked for: then the lists are the vendor's own, and need no telling"
run=$(db 'select run_id from v_ranks where job_id = 2 limit 1')
rm -rf vendor
muster capture extract --run "$run" --vendor vendor out/store/captures/2.db >/dev/null
muster-parser folder vendor --out with >/dev/null
sed -i '/^Pass /d; /^Metrics=/d' vendor/device*/*/*/dump/op_basic_info.txt
muster-parser folder vendor --out without >/dev/null
diff -r with without || fail "the full schedule is not the vendor's"
