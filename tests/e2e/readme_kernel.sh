#!/usr/bin/env bash
# readme_kernel.sh - the kernel of sim/README.md, built with the command given there,
# has every metric; an instrumented execution that fails loses only its own metric
. "$(dirname "$0")/fleet.sh"
cd "$work"
export ASCEND_HOME_PATH=$B/lib/muster/sim
section=$(sed -n '/^## An operator in twenty lines/,$p' "$root/sim/README.md")
sed -n '/^```c/,/^```/p' <<<"$section" | sed '/^```/d' >scale_kernel.c
sed -n 's/^    \(cc .*\)/\1/p' <<<"$section" >build.sh
operator=$(sed -n 's/.*`\(operator: {.*}\)`.*/\1/p' <<<"$section")
if [ ! -s scale_kernel.c ] || [ "$(wc -l <build.sh)" -ne 1 ] || [ -z "$operator" ]; then
    fail 'sim/README.md has no kernel, no build line or no job'
fi
sh ./build.sh || fail "the build line fails: $(cat build.sh)"

measure() { # NAME METRICS EXIT
    local code=0
    printf 'version: 1\nname: %s\n%s\nprofile: {metrics: [%s], warmup: 1}\nlimits: {time: 60s}\n' "$1" "$operator" "$2" >job.yaml
    muster run --quiet --out out job.yaml >/dev/null 2>err.txt || code=$?
    [ "$code" -eq "$3" ] || fail "$1: exit $code: $(cat err.txt)"
}
figures() { db "select count(*) from v_results where job like '$1-%' and metric = 'duration_us' and value > 0"; }

say 'the kernel has every metric of the card'
measure all 'Default, Occupancy, Roofline, MemoryDetail, Source, BasicInfo' 0
[ "$(figures all)" = 1 ] || fail 'no duration'
bin=$(find out/all-1 -name visualize_data.bin)
muster inspect "$bin" >blocks.txt
for holds in 'compute workload table' occupancy roofline 'hot spot instructions'; do
    grep -qi "$holds" blocks.txt || fail "no block with $holds: $(cat blocks.txt)"
done

say 'an instrumented execution that fails costs its own metric'
sed -i '/work\.h/d' scale_kernel.c # nothing counts the basic blocks: the instrumented kernel fails
cc -shared -fPIC "-I$ASCEND_HOME_PATH/include" -o scale.o scale_kernel.c
measure without 'Default, Source' 1
grep -q 'could not be instrumented: its transfers or basic blocks are missing' err.txt || fail "$(cat err.txt)"
[ "$(figures without)" = 1 ] || fail 'the counters are lost with the metric Source'
