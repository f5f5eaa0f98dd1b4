#!/usr/bin/env bash
# threads.sh - programs with one thread per card have no data race (built with the thread sanitizer)
set -euo pipefail
build="$MUSTER_BUILD/threads"
programs=(allreduce all_gather_matmul collectives distribute_barrier lccl_all_reduce matmul_all_reduce matmul_all_reduce_inplace
    matmul_reduce_scatter two_groups)
bad=0
complain() {
    echo "$1" >&2
    bad=1
}
unset LD_LIBRARY_PATH LD_PRELOAD NPU_SIM_FAULTS ASCEND_RT_VISIBLE_DEVICES

echo 'int main(void) { return 0; }' |
    "${CC:-cc}" -fsanitize=thread -x c -o /dev/null - 2>/dev/null || {
    echo "SKIPPED: ${CC:-cc} has no thread sanitizer; to run it: apt-get install libtsan2"
    exit 77
}
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DMUSTER_SANITIZE=thread \
    -DMUSTER_TEST_SWITCHES=ON >/dev/null
cmake --build "$build" -j2 --target "${programs[@]/#/sim_op_}" >"$build/build.log" || {
    tail "$build/build.log"
    exit 1
}

export NPU_SIM_CARDS=4 TSAN_OPTIONS="exitcode=66 suppressions=$PWD/sim/tests/threads.supp"
for program in "${programs[@]}"; do
    output=$("$build/lib/muster/sim/bin/$program" --threads 4 --launches 3) || complain "$program: exit $?"
    [ "$output" = "$("$MUSTER_BUILD/lib/muster/sim/bin/$program" --threads 4 --launches 3)" ] ||
        complain "$program: unexpected output: $output"
done
exit $bad
