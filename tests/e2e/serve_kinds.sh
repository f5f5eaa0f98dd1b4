#!/usr/bin/env bash
# serve_kinds.sh - measures an operator of each type and chip family; muster serve answers
# every request of the vendor's pages about each result as an independent reader expects
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR

say 'a kernel for the cube cores alone'
cat >product_kernel.c <<'C'
#include <npu_sim/kernel.h>
#include <npu_sim/work.h>

struct args { float *data; uint64_t count; };

npu_sim_body_fn product;
void product(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    struct args *args = bytes;
    (void)size;
    for (uint64_t i = args->count * block / blocks; i < args->count * (block + 1) / blocks; i++)
        args->data[i] *= 3;
}

static void cost(uint32_t block, uint32_t blocks, const void *bytes, size_t size, struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    (void)size;
    uint64_t from = args->count * block / blocks, n = args->count * (block + 1) / blocks - from;
    out->cube.cube_fp_ops = 32 * n * (1 + block % 3);
    out->cube.access_count = 1;
    out->cube.access[0] = (struct npu_sim_access){args->data + from, n * 4, 2, NPU_SIM_GM_TO_L1};
}

const struct npu_sim_kernel product_sim = {sizeof(struct npu_sim_kernel), NPU_SIM_CUBE, cost, NULL};
C
cc -shared -fPIC -g -fsanitize-coverage=trace-pc "-I$B/lib/muster/sim/include" -o product.o product_kernel.c

# model, name, metrics, sweep of n, operator
while IFS='|' read -r model name metrics sizes operator; do
    cat >"$name.yaml" <<YAML
version: 1
name: $name
operator: {$operator}
sweep: {matrix: {n: [$sizes]}}
profile: {metrics: [$metrics], warmup: 0}
YAML
    muster run --quiet --model "$model" --out "$work/out" "$name.yaml" >/dev/null 2>run.err || fail "$name: exit $?: $(cat run.err)"
done <<'JOBS'
Ascend910B4|cube|Default, Roofline, Occupancy|4096, 5000|kernel: product.o, entry: product, blocks: 5, args: ["inout fp32 ${n}", "value u64 ${n}"]
Ascend910B2|mix|Default, Roofline, Occupancy, MemoryDetail, Source|16, 24|command: [sim/bin/matmul_custom, --m, "32", --n, "${n}", --k, "16"]
Ascend910B4|mc2|Default, Roofline|64|command: [sim/bin/matmul_all_reduce, --m, "64", --n, "${n}", --k, "64"], ranks: 2
Ascend310P3|old|Default, Roofline|48, 64|command: [sim/bin/matmul_custom, --m, "64", --n, "${n}", --k, "64"]
Ascend950PR_9589|threads|PcSampling, Default, Source, MemoryDetail, Occupancy|700, 900|command: [sim/bin/scale_threads, --n, "${n}"]
Ascend950PR_9589|pipes|PipeTimeline, Default|9000|command: [sim/bin/add_custom, --n, "${n}", --blocks, "4"]
JOBS

say 'counters and arrows: the logs of an instruction simulator'
mkdir logs
CAMODEL_LOG_PATH=$work/logs "$B/lib/muster/sim/bin/matmul_custom" --m 16 --n 16 --k 16 --blocks 2 >/dev/null || fail 'simulator'
muster import logs --soc Ascend910B2 --kernel "$B/lib/muster/sim/kernels/matmul_custom.o" --out simulated >import.txt || fail "import: $(cat import.txt)"

say 'each request about each file, and about each pair of files of a job'
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/independent/served.py" out simulated/visualize_data.bin || fail 'answers'
