#include "sim/fused/shared/body.h"

#include "sim/fused/shared/area.h"
#include "sim/hccl/server.h"

#define VECTOR_INSTRUCTIONS 200 /* of an idle vector core */

uint64_t body_share(uint64_t rows, uint32_t block, uint32_t blocks)
{
    return rows * block / blocks;
}

uint64_t body_first_row(const struct mc2_tiling *tiling, uint32_t turn)
{
    return turn * tiling->tile;
}

uint64_t body_turn_rows(const struct mc2_tiling *tiling, uint32_t turn)
{
    uint64_t left = tiling->rows - body_first_row(tiling, turn);

    return left < tiling->tile ? left : tiling->tile;
}

/* The arguments are {contexts}{tensors}{workspace}{tiling}, and behind them the tiling
 * itself. */
static struct body
body_of(uint32_t groups, uint32_t block, uint32_t blocks, const void *args)
{
    const uint64_t *words = args;
    const struct mc2_tiling *tiling =
        (const struct mc2_tiling *)(const void *)(words + MC2_WORDS_MAX);
    uint32_t at = groups;

    for (uint32_t i = 0; i < MC2_TENSORS_MAX; i++)
        at += tiling->tensor[i].dims > 0;
    return (struct body){
        .contexts = args,
        .context =
            groups > 0 ? *(const struct npu_sim_comm_context *const *)args : NULL,
        .tiling = tiling,
        .workspace = words[at],
        .block = block,
        .blocks = blocks,
    };
}

static bool computes(const struct body *body)
{
    return body->tiling->mode == MC2_ALL || body->tiling->mode == MC2_CUBE_ONLY;
}

static bool transfers(const struct body *body)
{
    return body->tiling->mode == MC2_ALL || body->tiling->mode == MC2_AICPU_ONLY;
}

static bool is_last(const struct body *body)
{
    return body->block + 1 == body->blocks;
}

static void
compute(const struct fused_steps *steps, const struct body *body, uint32_t turn)
{
    uint64_t rows =
        steps->rows ? steps->rows(body, turn) : body_turn_rows(body->tiling, turn);
    uint64_t from = body_share(rows, body->block, body->blocks);
    uint64_t to = body_share(rows, body->block + 1, body->blocks);

    if (steps->compute && computes(body) && (body->state || !steps->open))
        steps->compute(body, turn, from, to);
}

typedef void
parts_fn(const struct body *body, uint32_t turn, struct npu_sim_part *parts);

static void fill_parts(parts_fn *set_parts, const struct body *body)
{
    for (uint32_t turn = 0; set_parts && turn < body->tiling->turns; turn++) {
        struct npu_sim_part *parts = mc2_parts(body->context, turn);

        for (uint32_t rank = 0; rank < body->context->ranks; rank++)
            parts[rank] = (struct npu_sim_part){0};
        set_parts(body, turn, parts);
    }
}

static struct npu_sim_stream *stream_of(const struct fused_steps *steps,
                                        const struct body *body)
{
    return steps->stream ? steps->stream(body) : NULL;
}

static void prepare(const struct fused_steps *steps, const struct body *body)
{
    struct mc2_message message = {.command = NPU_SIM_ALL_TO_ALL_V,
                                  .turns = body->tiling->turns,
                                  .computes_first = steps->computes_first,
                                  .is_alone = steps->second && !steps->computes_first,
                                  .stream = stream_of(steps, body)};

    if (steps->message)
        steps->message(body, &message);
    fill_parts(steps->parts, body);
    area_prepare(body->context, &message);
}

static void commit_all(const struct body *body)
{
    for (uint32_t turn = 0; turn < body->tiling->turns; turn++)
        area_commit(body->context, turn);
}

static bool wait_for_all(const struct body *body)
{
    for (uint32_t turn = 0; turn < body->tiling->turns; turn++)
        if (!area_wait(body->context, turn))
            return false;
    return true;
}

/* Ends the first transfer, whose context *body has, and starts the second one, whose
 * context it has then. Returns false after a failure. */
static bool begin_second(const struct fused_steps *steps, struct body *body)
{
    const struct fused_second *second = steps->second;
    struct mc2_message message = {.command = NPU_SIM_ALL_TO_ALL_V,
                                  .turns = body->tiling->turns,
                                  .is_alone = steps->computes_first};

    if (!wait_for_all(body))
        return false;
    area_finalize(body->context);
    if (second->between)
        second->between(body);
    body->context = body->contexts[second->group];
    if (second->message)
        second->message(body, &message);
    fill_parts(second->parts, body);
    area_prepare(body->context, &message);
    commit_all(body);
    return true;
}

/* Moves the data of all turns without a server. */
static bool exchange(const struct fused_steps *steps, const struct body *body)
{
    struct npu_sim_exchange all = {.parts = mc2_parts(body->context, 0),
                                   .turns = body->tiling->turns,
                                   .computes_first = steps->computes_first,
                                   .stream = stream_of(steps, body)};

    fill_parts(steps->parts, body);
    return area_flip(body->context) && !npu_sim_comm_exchange(body->context, &all);
}

static void finish(const struct fused_steps *steps, const struct body *body)
{
    if (steps->after && (body->tiling->mode == MC2_ALL || !transfers(body)))
        steps->after(body);
}

/* No rank waits for another one here. */
static void send_alone(const struct fused_steps *steps, const struct body *body)
{
    uint64_t bytes[NPU_SIM_COMM_RANKS] = {0};

    if (body->block == 0)
        npu_sim_comm_send(body->context, steps->send(body, bytes) ? bytes : NULL);
}

static void run_window(const struct fused_steps *steps, const struct body *body)
{
    uint32_t turns = body->tiling->turns;

    if (!steps->computes_first && body->block == 0) {
        if (steps->before)
            steps->before(body);
        if (transfers(body) && !exchange(steps, body))
            return;
    }
    for (uint32_t turn = 0; turn < turns; turn++)
        compute(steps, body, turn);
    if (!is_last(body) ||
        (steps->computes_first && transfers(body) && !exchange(steps, body)))
        return;
    finish(steps, body);
}

/* The last block to compute its share of a turn hands the turn over. */
static void produce(const struct fused_steps *steps, struct body *body)
{
    if (body->block == 0)
        prepare(steps, body);
    for (uint32_t turn = 0; turn < body->tiling->turns; turn++) {
        compute(steps, body, turn);
        if (area_is_last_share(body->context, turn, body->blocks))
            area_commit(body->context, turn);
    }
    if (!area_is_last_block(body->context, body->blocks)) {
        area_add_wait_stamps();
        return;
    }
    if ((steps->second && !begin_second(steps, body)) || !wait_for_all(body))
        return;
    finish(steps, body);
    area_finalize(body->context);
}

static void consume(const struct fused_steps *steps, struct body *body)
{
    if (body->block == 0) {
        if (steps->before)
            steps->before(body);
        prepare(steps, body);
        commit_all(body);
        if (steps->second && !begin_second(steps, body))
            return;
    } else if (steps->second) {
        body->context = body->contexts[steps->second->group];
    }
    for (uint32_t turn = 0; turn < body->tiling->turns; turn++) {
        if (!area_wait(body->context, turn))
            return;
        compute(steps, body, turn);
    }
    if (!area_is_last_block(body->context, body->blocks))
        return;
    finish(steps, body);
    area_finalize(body->context);
}

/* Without transfers the blocks do not wait for each other. */
static void run_alone(const struct fused_steps *steps, const struct body *body)
{
    if (steps->before && body->block == 0)
        steps->before(body);
    for (uint32_t turn = 0; turn < body->tiling->turns; turn++)
        compute(steps, body, turn);
    if (is_last(body) && steps->after)
        finish(steps, body);
}

void body_run(const struct fused_steps *steps,
              uint32_t groups,
              uint32_t block,
              uint32_t blocks,
              void *args)
{
    struct body body = body_of(groups, block, blocks, args);

    if (steps->second)
        body.context = body.contexts[1 - steps->second->group];
    if (steps->open && computes(&body))
        body.state = steps->open(&body);
    if (steps->send)
        send_alone(steps, &body);
    else if (body.tiling->way == MC2_WINDOW)
        run_window(steps, &body);
    else if (body.tiling->way != MC2_SERVER || !transfers(&body))
        run_alone(steps, &body);
    else if (steps->computes_first)
        produce(steps, &body);
    else
        consume(steps, &body);
    if (body.state && steps->close)
        steps->close(body.state);
}

void body_cost(const struct fused_steps *steps,
               uint32_t groups,
               uint32_t block,
               uint32_t blocks,
               const void *args,
               struct npu_sim_block_cost *out)
{
    struct body body = body_of(groups, block, blocks, args);

    if (steps->cost && computes(&body))
        steps->cost(&body, out);
    for (int i = 0; i < 2; i++)
        if (out->vector[i].scalar_instructions == 0)
            out->vector[i].scalar_instructions = VECTOR_INSTRUCTIONS;
}

void body_vector_cost(const struct body *body,
                      uint64_t address,
                      uint64_t bytes_in,
                      uint64_t bytes_out,
                      struct npu_sim_block_cost *out)
{
    uint64_t in = body_share(bytes_in, body->block + 1, body->blocks) -
                  body_share(bytes_in, body->block, body->blocks);
    uint64_t written = body_share(bytes_out, body->block + 1, body->blocks) -
                       body_share(bytes_out, body->block, body->blocks);

    for (int i = 0; i < 2; i++) {
        struct npu_sim_core_cost *vector = &out->vector[i];

        vector->vector_misc += in / 4;
        vector->scalar_instructions += VECTOR_INSTRUCTIONS;
        if (vector->access_count + 2 > NPU_SIM_ACCESS_MAX)
            continue;
        vector->access[vector->access_count++] = (struct npu_sim_access){
            (const void *)(uintptr_t)address, in / 2, 1, NPU_SIM_GM_TO_UB};
        vector->access[vector->access_count++] = (struct npu_sim_access){
            (const void *)(uintptr_t)address, written / 2, 1, NPU_SIM_UB_TO_GM};
    }
}
