#include "sim/card/model.h"

#include <string.h>

#include "sim/card/l2.h"
#include "sim/card/memory.h"
#include "sim/fleet/soc.h"

#define START_UP_CYCLES 420
#define LATENCY_CYCLES  260   /* until the first transfer of a memory pipe */
#define TILE_BYTES      16384 /* moved by one transfer instruction */
#define LANES_BYTES     256   /* bytes per cycle of the vector unit */
#define CUBE_OPS        8192  /* per cycle: 16 x 16 x 16 multiply-adds */
#define CUBE_INT_OPS    16384

uint64_t model_hash(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9E3779B97F4A7C15u + b + 0x7F4A7C159E3779B9u;

    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static uint64_t units(uint64_t bytes, uint64_t unit)
{
    return bytes / unit + (bytes % unit != 0);
}

static uint64_t part(uint64_t cycles, unsigned percent)
{
    return cycles * percent / 100;
}

/* bytes that each path moves, and the part of them that missed the L2 */
struct traffic {
    uint64_t bytes[PATH_COUNT];
    uint64_t read_requests, read_misses, write_requests, write_misses;
    uint64_t in_tiles, out_tiles;
};

static enum path path_of(enum npu_sim_path path)
{
    switch (path) {
    case NPU_SIM_GM_TO_L1:
        return PATH_GM_TO_L1;
    case NPU_SIM_L1_TO_GM:
        return PATH_L1_TO_GM;
    case NPU_SIM_L0C_TO_GM:
        return PATH_L0C_TO_GM;
    case NPU_SIM_GM_TO_UB:
        return PATH_GM_TO_UB;
    case NPU_SIM_UB_TO_GM:
        return PATH_UB_TO_GM;
    }
    return PATH_GM_TO_UB;
}

static uint64_t misses_of(const struct model *model,
                          const struct npu_sim_access *access)
{
    struct card_memory memory;
    uint64_t offset, bytes = access->bytes;

    if (!npu_sim_memory_find(access->address, &memory))
        return units(bytes, L2_LINE); /* not device memory: never cached */
    offset = (uintptr_t)access->address - memory.base;
    if (bytes > memory.bytes - offset)
        bytes = memory.bytes - offset;
    return model->is_part ? l2_missing(model->l2, memory.serial, offset, bytes)
                          : l2_touch(model->l2, memory.serial, offset, bytes);
}

static void add_access(struct traffic *traffic,
                       const struct model *model,
                       const struct npu_sim_access *access)
{
    uint32_t times = access->times ? access->times : 1;
    uint64_t requests = units(access->bytes, L2_LINE) * times;
    uint64_t misses;
    enum path path = path_of(access->path);

    if (access->bytes == 0)
        return;
    misses = misses_of(model, access);
    if (misses > requests) /* an unaligned range touches one more line */
        misses = requests;
    traffic->bytes[path] += requests * L2_LINE;
    if (path == PATH_GM_TO_L1 || path == PATH_GM_TO_UB) {
        traffic->read_requests += requests;
        traffic->read_misses += misses;
        traffic->in_tiles += units(access->bytes, TILE_BYTES) * times;
    } else {
        traffic->write_requests += requests;
        traffic->write_misses += misses;
        if (path != PATH_L0C_TO_GM)
            traffic->out_tiles += units(access->bytes, TILE_BYTES) * times;
    }
}

static void read_traffic(const struct model *model,
                         const struct npu_sim_core_cost *cost,
                         struct traffic *traffic)
{
    uint32_t count = cost->access_count;

    memset(traffic, 0, sizeof(*traffic));
    if (count > NPU_SIM_ACCESS_MAX)
        count = NPU_SIM_ACCESS_MAX;
    for (uint32_t i = 0; i < count; i++)
        add_access(traffic, model, &cost->access[i]);
    traffic->bytes[PATH_TO_L0A] = cost->l1_to_l0a_bytes;
    traffic->bytes[PATH_TO_L0B] = cost->l1_to_l0b_bytes;
    traffic->bytes[PATH_L0C_TO_L1] = cost->l0c_to_l1_bytes;
}

static uint64_t
path_cycles(const struct model *model, const struct traffic *traffic, enum path path)
{
    double per_cycle =
        model->speed->path_gibs[path] * 1073741824.0 / (model->soc->mhz * 1e6);

    return (uint64_t)((double)traffic->bytes[path] / per_cycle + 0.5);
}

/* Returns the cycles of the missed lines when all active cores use the memory. */
static uint64_t memory_cycles(const struct model *model, uint64_t misses)
{
    double share =
        model->speed->memory_gbs * 1e9 * model->memory_share / model->active_cores;
    double per_cycle =
        share / (model->mhz * 1e6); /* memory does not follow the core clock */

    return (uint64_t)((double)(misses * L2_LINE) / per_cycle + 0.5);
}

static uint64_t longer(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void
count_memory(const struct model *model, const struct traffic *traffic, uint64_t *v)
{
    uint64_t in = path_cycles(model, traffic, PATH_GM_TO_L1) +
                  path_cycles(model, traffic, PATH_GM_TO_UB);
    uint64_t out = path_cycles(model, traffic, PATH_UB_TO_GM) +
                   path_cycles(model, traffic, PATH_L1_TO_GM);
    uint64_t fix = path_cycles(model, traffic, PATH_L0C_TO_GM) +
                   path_cycles(model, traffic, PATH_L0C_TO_L1);
    uint64_t read0 = traffic->read_requests / 2;
    uint64_t misses0 = traffic->read_misses / 2;

    if (in)
        in = longer(in, memory_cycles(model, traffic->read_misses)) + LATENCY_CYCLES;
    if (out)
        out = longer(out, memory_cycles(model, traffic->write_misses)) + LATENCY_CYCLES;
    v[COUNTER_MTE2] = in;
    v[COUNTER_MTE3] = out;
    v[COUNTER_FIXPIPE] = fix;
    v[COUNTER_MTE1] = path_cycles(model, traffic, PATH_TO_L0A) +
                      path_cycles(model, traffic, PATH_TO_L0B);
    v[COUNTER_MTE2_INSTR] = traffic->in_tiles;
    v[COUNTER_MTE3_INSTR] = traffic->out_tiles;
    v[COUNTER_MTE1_INSTR] = units(traffic->bytes[PATH_TO_L0A], TILE_BYTES) +
                            units(traffic->bytes[PATH_TO_L0B], TILE_BYTES);
    v[COUNTER_GM_TO_UB_128] = traffic->bytes[PATH_GM_TO_UB] / 128;
    v[COUNTER_UB_TO_GM_128] = traffic->bytes[PATH_UB_TO_GM] / 128;
    v[COUNTER_L0C_TO_GM_128] = traffic->bytes[PATH_L0C_TO_GM] / 128;
    v[COUNTER_UB_OUT_128] = v[COUNTER_UB_TO_GM_128] + v[COUNTER_L0C_TO_GM_128];
    v[COUNTER_GM_TO_L1_256] = units(traffic->bytes[PATH_GM_TO_L1], 256);
    v[COUNTER_L0C_TO_L1_128] = units(traffic->bytes[PATH_L0C_TO_L1], 128);
    v[COUNTER_L0C_OUT_128] = v[COUNTER_L0C_TO_L1_128] + v[COUNTER_L0C_TO_GM_128];
    v[COUNTER_L1_OUT_512] =
        units(traffic->bytes[PATH_L1_TO_GM] + traffic->bytes[PATH_L0C_TO_GM], 512);
    /* transfers from L0C count in units of 128 here too, as the profiler's formulas do
     */
    v[COUNTER_L1_WRITE_256] = v[COUNTER_GM_TO_L1_256] + v[COUNTER_L0C_TO_L1_128];
    v[COUNTER_L1_READ_128] =
        units(traffic->bytes[PATH_TO_L0A] + traffic->bytes[PATH_TO_L0B] +
                  traffic->bytes[PATH_L1_TO_GM],
              128);
    v[COUNTER_L0A_WRITE_256] = units(traffic->bytes[PATH_TO_L0A], 256);
    v[COUNTER_L0B_WRITE_128] = units(traffic->bytes[PATH_TO_L0B], 128);
    v[COUNTER_WRITE_REQUESTS] = traffic->write_requests;
    v[COUNTER_WRITE_MISSES] = traffic->write_misses;
    v[COUNTER_WRITE_HITS] = traffic->write_requests - traffic->write_misses;
    v[COUNTER_READ_REQUESTS] = traffic->read_requests;
    v[COUNTER_READ0_REQUESTS] = read0;
    v[COUNTER_READ1_REQUESTS] = traffic->read_requests - read0;
    v[COUNTER_READ0_MISSES] = misses0;
    v[COUNTER_READ1_MISSES] = traffic->read_misses - misses0;
    if (v[COUNTER_READ1_MISSES] > v[COUNTER_READ1_REQUESTS]) {
        v[COUNTER_READ1_MISSES]--;
        v[COUNTER_READ0_MISSES]++;
    }
    v[COUNTER_READ0_HITS] = read0 - v[COUNTER_READ0_MISSES];
    v[COUNTER_READ1_HITS] = v[COUNTER_READ1_REQUESTS] - v[COUNTER_READ1_MISSES];
}

static void count_compute(const struct npu_sim_core_cost *cost, uint64_t *v)
{
    uint64_t fp32 = units(cost->vector_fp32 * 4, LANES_BYTES);
    uint64_t fp16 = units(cost->vector_fp16 * 2, LANES_BYTES);
    uint64_t int32 = units(cost->vector_int32 * 4, LANES_BYTES);
    uint64_t int16 = units(cost->vector_int16 * 2, LANES_BYTES);
    uint64_t misc = units(cost->vector_misc * 4, LANES_BYTES);
    uint64_t vector = fp32 + fp16 + int32 + int16 + misc;
    uint64_t fp = units(cost->cube_fp_ops, CUBE_OPS);
    uint64_t integer = units(cost->cube_int_ops, CUBE_INT_OPS);
    uint64_t cube = fp + integer;
    uint64_t scalar;

    v[COUNTER_CUBE_FP_INSTR] = fp;
    v[COUNTER_CUBE_INT_INSTR] = integer;
    v[COUNTER_CUBE_INSTR] = cube;
    v[COUNTER_CUBE] = cube + (cube ? 32 : 0);
    v[COUNTER_L0A_READ_512] = v[COUNTER_L0B_READ_512] = cube;
    v[COUNTER_L0C_READ_1024] = v[COUNTER_L0C_WRITE_1024] = cube;
    v[COUNTER_VECTOR_INSTR] = vector;
    v[COUNTER_VECTOR_FP32] = fp32;
    v[COUNTER_VECTOR_FP32_AND_FP16] = fp32 + fp16;
    v[COUNTER_VECTOR_FP16] = fp16;
    v[COUNTER_VECTOR_INT32] = int32;
    v[COUNTER_VECTOR_INT16] = int16;
    v[COUNTER_VECTOR_MISC] = misc;
    v[COUNTER_CONFLICT_BANKGROUP] = vector / 32;
    v[COUNTER_CONFLICT_BANK] = vector / 64;
    v[COUNTER_CONFLICT_RESOURCE] = vector / 128;
    v[COUNTER_CONFLICT_MTE] = vector / 64;
    v[COUNTER_VECTOR] = vector + vector / 32 + 2 * (vector / 64) + vector / 128;
    v[COUNTER_UB_READ_256] = 2 * vector;
    v[COUNTER_UB_WRITE_256] = vector;

    scalar =
        240 + cost->scalar_instructions + vector / 8 + cube / 8 +
        12 * (v[COUNTER_MTE1_INSTR] + v[COUNTER_MTE2_INSTR] + v[COUNTER_MTE3_INSTR]);
    v[COUNTER_SCALAR] = part(scalar, 80);
    v[COUNTER_SCALAR_INSTR] = scalar;
    v[COUNTER_UB_SCALAR_READ_16] = cost->scalar_instructions / 16;
    v[COUNTER_UB_SCALAR_WRITE_16] = cost->scalar_instructions / 32;
    v[COUNTER_ICACHE_REQUESTS] = 16 + scalar / 4;
    v[COUNTER_ICACHE_MISSES] = 8 + scalar / 512;
}

static const enum counter pipes[] = {
    COUNTER_CUBE, COUNTER_VECTOR, COUNTER_SCALAR,  COUNTER_MTE1,
    COUNTER_MTE2, COUNTER_MTE3,   COUNTER_FIXPIPE,
};

#define PIPES (sizeof(pipes) / sizeof(pipes[0]))

static uint64_t scaled(uint64_t cycles, double by)
{
    return (uint64_t)((double)cycles * by + 0.5);
}

static double noise_of(const struct model *model, double most, uint64_t salt)
{
    return most * model->noise *
           ((double)(model_hash(model->seed, salt) >> 11) / 0x1p53);
}

/* Sets the total of the block and adds the noise: up to 0.2 % on each pipe, up to 0.6 %
 * on the total. */
static void count_total(const struct model *model, uint64_t salt, uint64_t *v)
{
    uint64_t longest = 0, sum = 0, busy;

    for (size_t i = 0; i < PIPES; i++) {
        if (!v[pipes[i]])
            continue; /* 0 stays 0; most blocks use few counters */
        v[pipes[i]] = scaled(
            v[pipes[i]], model->slow * (1.0 + noise_of(model, 0.002, salt + i + 1)));
        longest = longer(longest, v[pipes[i]]);
        sum += v[pipes[i]];
    }
    busy = longest + (sum - longest) / 8;
    v[COUNTER_TOTAL] =
        scaled(busy + part(busy, 3) +
                   (model->is_part ? 0 : scaled(START_UP_CYCLES, model->slow)),
               1.0 + noise_of(model, 0.006, salt));
}

static uint64_t wait_of(const uint64_t *v, enum counter pipe)
{
    return v[pipe] ? part(v[COUNTER_TOTAL] - v[pipe], 55) : 0;
}

static void count_waits(enum core_kind kind, uint64_t *v)
{
    uint64_t wait = part(v[COUNTER_TOTAL] - v[COUNTER_SCALAR], 60);

    v[COUNTER_CUBE_WAIT] = wait_of(v, COUNTER_CUBE);
    v[COUNTER_VECTOR_WAIT] = wait_of(v, COUNTER_VECTOR);
    v[COUNTER_MTE1_WAIT] = wait_of(v, COUNTER_MTE1);
    v[COUNTER_MTE2_WAIT] = wait_of(v, COUNTER_MTE2);
    v[COUNTER_MTE3_WAIT] = wait_of(v, COUNTER_MTE3);
    v[COUNTER_SCALAR_WAIT] = wait;
    v[COUNTER_SCALAR_SINGLE] = part(v[COUNTER_SCALAR], 70);
    v[COUNTER_SCALAR_DUAL] = v[COUNTER_SCALAR] - v[COUNTER_SCALAR_SINGLE];
    v[COUNTER_STALL_UB] = part(wait, 2);
    v[COUNTER_STALL_MTE1] = v[COUNTER_MTE1] ? part(wait, 8) : 0;
    v[COUNTER_STALL_MTE2] = v[COUNTER_MTE2] ? part(wait, 35) : 0;
    v[COUNTER_STALL_MTE3] = v[COUNTER_MTE3] ? part(wait, 20) : 0;
    v[COUNTER_STALL_CUBE] = kind == CORE_AIC && v[COUNTER_CUBE] ? part(wait, 25) : 0;
    v[COUNTER_STALL_VECTOR] =
        kind == CORE_AIV && v[COUNTER_VECTOR] ? part(wait, 25) : 0;
    v[COUNTER_WAIT_IB] = part(v[COUNTER_SCALAR], 2);
}

void model_core(const struct model *model,
                enum core_kind kind,
                const struct npu_sim_core_cost *cost,
                uint64_t salt,
                struct counters *out)
{
    struct traffic traffic;

    memset(out, 0, sizeof(*out));
    read_traffic(model, cost, &traffic);
    count_memory(model, &traffic, out->value);
    count_compute(cost, out->value);
    count_total(model, salt * 64, out->value);
    if (!model->only_totals)
        count_waits(kind, out->value);
}

void model_pair(struct counters *cube, struct counters *vectors, int vector_count)
{
    uint64_t longest = 0;

    for (int i = 0; i < vector_count; i++) {
        uint64_t wait = part(cube->value[COUNTER_TOTAL], 25);

        /* a vector core starts when the first tile of the cube core is ready */
        vectors[i].value[COUNTER_WAIT_FOR_CUBE] = wait;
        vectors[i].value[COUNTER_TOTAL] += wait;
        longest = longer(longest, vectors[i].value[COUNTER_TOTAL]);
    }
    if (longest > cube->value[COUNTER_TOTAL])
        cube->value[COUNTER_WAIT_FOR_VECTOR] =
            part(cube->value[COUNTER_TOTAL] - cube->value[COUNTER_CUBE], 10);
}

void model_add(struct counters *sum, const struct counters *more)
{
    for (int i = 0; i < COUNTER_COUNT; i++)
        sum->value[i] += more->value[i];
}
