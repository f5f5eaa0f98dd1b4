/* chance_kernel.c - kernels with pseudo-random work, equal for equal seeds
 *
 * The counters of the model must be consistent for any work, not only for chosen cases.
 */
#include <npu_sim/kernel.h>

npu_sim_body_fn chance_cube, chance_vector, chance_mix;

#define AREA (1u << 20) /* size of the buffer in bytes */

struct args {
    const char *buffer;
    uint64_t number;
    const void *unused;
};

static uint64_t draw(uint64_t *state, uint64_t below)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;

    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (x ^ (x >> 31)) % below;
}

/* Returns a count; sometimes 0, sometimes far above the usual. */
static uint64_t amount(uint64_t *state, uint64_t usual)
{
    switch (draw(state, 8)) {
    case 0:
        return 0;
    case 1:
        return draw(state, usual * 64);
    default:
        return draw(state, usual);
    }
}

static void add_access(uint64_t *state,
                       struct npu_sim_core_cost *cost,
                       const char *buffer,
                       int path)
{
    uint64_t from = draw(state, AREA), bytes = draw(state, AREA - from) + 1;

    cost->access[cost->access_count++] = (struct npu_sim_access){
        buffer + from, bytes, (uint32_t)draw(state, 4), (enum npu_sim_path)path};
}

static void cube(uint64_t *state, struct npu_sim_core_cost *cost, const char *buffer)
{
    static const int paths[] = {NPU_SIM_GM_TO_L1, NPU_SIM_L1_TO_GM, NPU_SIM_L0C_TO_GM};

    cost->cube_fp_ops = amount(state, 1u << 26);
    cost->cube_int_ops = amount(state, 1u << 24);
    cost->l1_to_l0a_bytes = amount(state, 1u << 20);
    cost->l1_to_l0b_bytes = amount(state, 1u << 20);
    cost->l0c_to_l1_bytes = amount(state, 1u << 16);
    cost->scalar_instructions = amount(state, 1u << 12);
    for (uint64_t i = draw(state, 7); i > 0; i--)
        add_access(state, cost, buffer, paths[draw(state, 3)]);
}

static void vector(uint64_t *state, struct npu_sim_core_cost *cost, const char *buffer)
{
    static const int paths[] = {NPU_SIM_GM_TO_UB, NPU_SIM_UB_TO_GM};

    cost->vector_fp32 = amount(state, 1u << 18);
    cost->vector_fp16 = amount(state, 1u << 18);
    cost->vector_int32 = amount(state, 1u << 14);
    cost->vector_int16 = amount(state, 1u << 14);
    cost->vector_misc = amount(state, 1u << 14);
    cost->scalar_instructions = amount(state, 1u << 12);
    for (uint64_t i = draw(state, 7); i > 0; i--)
        add_access(state, cost, buffer, paths[draw(state, 2)]);
}

static void cost_of(uint32_t block,
                    uint32_t blocks,
                    const void *bytes,
                    size_t size,
                    struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    uint64_t state = args->number * 1000003 + block;

    (void)blocks;
    (void)size;
    cube(&state, &out->cube, args->buffer);
    vector(&state, &out->vector[0], args->buffer);
    vector(&state, &out->vector[1], args->buffer);
}

#define CHANCE(name, of_kind)                                                          \
    void name(uint32_t block, uint32_t blocks, void *bytes, size_t size)               \
    {                                                                                  \
        (void)block;                                                                   \
        (void)blocks;                                                                  \
        (void)bytes;                                                                   \
        (void)size;                                                                    \
    }                                                                                  \
    const struct npu_sim_kernel name##_sim = {                                         \
        .size = sizeof(struct npu_sim_kernel), .kind = of_kind, .cost = cost_of}

CHANCE(chance_cube, NPU_SIM_CUBE);
CHANCE(chance_vector, NPU_SIM_VECTOR);
CHANCE(chance_mix, NPU_SIM_MIX);
