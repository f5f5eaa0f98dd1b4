/* attention_to_ffn.c - tokens go into the windows of the ranks with their experts
 *
 * The receivers do not take part. A sender waits while a receiver has not cleared its
 * flag of the earlier micro batch. Limits: one micro batch and one layer in x. */
#include <aclnnop/aclnn_attention_to_ffn.h>
#include <math.h>
#include <string.h>

#include "sim/fused/onesided/window.h"
#include "sim/fused/shared/number.h"

enum { X, SESSION, BATCH, LAYER, IDS, TABLE, SCALES, MASK };
enum {
    WORKERS,
    BATCHES,
    TOKENS,
    SLOTS,
    K,
    PITCH,
    EXPERTS,
    QUANT_MODE,
    SYNC,
    FIRST_FFN
};
enum { ROWS_AT, END_AT, OWN_END_AT }; /* indexes of workspace_at */

#define TABLE_HEAD 2 /* flag and layer before the slots of a worker's micro batch */

/* The place of this launch. */
struct sender {
    const struct body *body;
    int64_t worker, batch;
    uint64_t *bytes;
    bool used[NPU_SIM_COMM_RANKS];
};

static uint64_t width_of(const struct mc2_tiling *t)
{
    return t->tensor[X].dim[2];
}

static uint64_t table_at(const struct sender *sender)
{
    const struct mc2_tiling *t = sender->body->tiling;

    return (uint64_t)((sender->worker * t->number[BATCHES] + sender->batch) *
                      (TABLE_HEAD + t->number[TOKENS] * t->number[SLOTS]));
}

/* Finds the rank and its local expert for a slot of a token; returns false for none. */
static bool find_place(const struct sender *sender,
                       uint64_t token,
                       uint64_t slot,
                       int64_t *rank,
                       int64_t *local)
{
    const struct mc2_tiling *t = sender->body->tiling;
    const struct mc2_tensor *table = &t->tensor[TABLE];
    uint64_t columns = table->dim[2], k = (uint64_t)t->number[K], row;
    int64_t expert = slot < k ? window_int(&t->tensor[IDS], token * k + slot)
                              : t->number[EXPERTS] + (int64_t)(slot - k);
    int64_t copies, pair;

    if (expert < 0 || (uint64_t)expert >= table->dim[1])
        return false;
    row = (uint64_t)expert * columns;
    copies = window_int(table, row);
    if (copies < 1 || 2 * (uint64_t)copies >= columns)
        return false;
    pair = sender->worker % copies;
    *rank = window_int(table, row + 1 + 2 * (uint64_t)pair);
    *local = window_int(table, row + 2 + 2 * (uint64_t)pair);
    return *rank >= 0 && *rank < sender->body->context->ranks;
}

/* Writes a row, quantised with its scale behind it when the call asks for that. */
static void
write_row(const struct mc2_tiling *t, uint64_t token, int64_t expert, char *into)
{
    const struct mc2_tensor *x = &t->tensor[X], *scales = &t->tensor[SCALES];
    uint64_t width = width_of(t);
    float most = 0, factor = 1;

    if (t->number[QUANT_MODE] == 0) {
        memcpy(into,
               (const char *)(uintptr_t)x->address +
                   number_bytes(x->type, token * width),
               number_bytes(x->type, width));
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        factor = most > 0 ? 127 / most : 1;
        for (uint64_t i = 0; i < width; i++) {
            float value = number_get(x->type, x->address, token * width + i);

            if (scales->dims)
                value *= number_get(scales->type, scales->address,
                                    (uint64_t)expert * width + i);
            if (pass == 0)
                most = fmaxf(most, fabsf(value));
            else
                number_put(ACL_INT8, (uintptr_t)into, i, value * factor);
        }
    }
    factor = 1 / factor;
    memcpy(into + (width + 31) / 32 * 32, &factor, sizeof(factor));
}

static bool send_slot(struct sender *sender, uint64_t token, uint64_t slot)
{
    const struct body *body = sender->body;
    const struct mc2_tiling *t = body->tiling;
    uint64_t pitch = (uint64_t)t->number[PITCH], k = (uint64_t)t->number[K];
    uint64_t slots = (uint64_t)(t->number[TOKENS] * t->number[SLOTS]);
    uint64_t number = token * (uint64_t)t->number[SLOTS] + slot;
    int64_t rank, local;

    if (!find_place(sender, token, slot, &rank, &local))
        return true;
    if (npu_sim_comm_wait(body->context,
                          (uint32_t *)window_of(body, rank, 0) + table_at(sender), 0))
        return false;
    number += (uint64_t)(sender->worker * t->number[BATCHES] + sender->batch) * slots;
    write_row(t, token,
              slot < k ? window_int(&t->tensor[IDS], token * k + slot)
                       : t->number[EXPERTS] + (int64_t)(slot - k),
              window_of(body, rank, t->workspace_at[ROWS_AT] + number * pitch));
    window_set(body, rank,
               table_at(sender) + TABLE_HEAD + token * (uint64_t)t->number[SLOTS] +
                   slot,
               local);
    sender->bytes[rank] += pitch + sizeof(int32_t);
    sender->used[rank] = true;
    return true;
}

/* Returns the number of tokens to send: those before the first one masked out. */
static uint64_t active_tokens(const struct mc2_tiling *t)
{
    const struct mc2_tensor *mask = &t->tensor[MASK];
    uint64_t count = 0, all = t->tensor[X].dim[1];

    while (count < all &&
           (!mask->dims || number_get(ACL_BOOL, mask->address, count) != 0))
        count++;
    return count;
}

static void announce(struct sender *sender)
{
    const struct body *body = sender->body;
    const struct mc2_tiling *t = body->tiling;
    int64_t first = t->number[FIRST_FFN];
    int64_t end = first + body->context->ranks - t->number[WORKERS];

    for (int64_t rank = first; rank < end && rank < body->context->ranks; rank++) {
        if (t->number[SYNC] == 1 && !sender->used[rank])
            continue;
        window_set(body, rank, table_at(sender) + 1, window_int(&t->tensor[LAYER], 0));
        window_set(body, rank, table_at(sender), 1);
        sender->bytes[rank] += 2 * sizeof(int32_t);
    }
}

static bool send_tokens(const struct body *body, uint64_t *bytes)
{
    const struct mc2_tiling *t = body->tiling;
    struct sender sender = {.body = body,
                            .worker = window_int(&t->tensor[SESSION], 0),
                            .batch = window_int(&t->tensor[BATCH], 0),
                            .bytes = bytes};
    uint64_t tokens = active_tokens(t), slots = (uint64_t)t->number[SLOTS];
    uint64_t all = (uint64_t)t->number[TOKENS] * slots;

    if (sender.worker < 0 || sender.worker >= t->number[WORKERS] || sender.batch < 0 ||
        sender.batch >= t->number[BATCHES] ||
        !window_has_room(body, t->workspace_at[END_AT]) ||
        !window_has_room(body, t->workspace_at[OWN_END_AT]))
        return false;
    for (uint64_t i = 0; i < tokens * slots; i++)
        if (!send_slot(&sender, i / slots, i % slots))
            return false;
    announce(&sender);
    for (uint64_t i = tokens * slots; i < all; i++)
        window_set(body, body->context->rank, (uint64_t)sender.batch * all + i, 1);
    return true;
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t rows = t->tensor[X].dim[1] * (uint64_t)t->number[SLOTS];

    body_vector_cost(body, t->tensor[X].address,
                     number_bytes(t->tensor[X].type, rows * width_of(t)), 0, out);
}

static const struct fused_steps steps = {.send = send_tokens, .cost = cost};

FUSED_KERNELS(AttentionToFFN, steps, 1);

struct call {
    const aclTensor *x, *session, *batch, *layer, *ids, *table, *scales, *mask;
    const aclIntArray *info, *data, *own;
    int64_t ranks, experts, quant_mode, sync, first;
};

static void check_tensors(struct check *check, const struct call *call)
{
    const struct mc2_tiling *t = &check->call.tiling;
    const struct mc2_tensor *x = &t->tensor[X];
    const uint64_t ints = CHECK_TYPE(ACL_INT32);
    const struct {
        uint32_t slot;
        const aclTensor *tensor;
    } singles[] = {
        {SESSION, call->session}, {BATCH, call->batch}, {LAYER, call->layer}};

    check_tensor(check, X, call->x, CHECK_HALF);
    check_dims3(check, X, 1, CHECK_ANY, CHECK_ANY);
    check_dense(check, X);
    for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]); i++) {
        check_tensor(check, singles[i].slot, singles[i].tensor, ints);
        check_count(check, singles[i].slot, 1);
    }
    check_tensor(check, IDS, call->ids, ints);
    check_dims3(check, IDS, 1, x->dim[1], CHECK_ANY);
    check_dense(check, IDS);
    check_tensor(check, TABLE, call->table, ints);
    check_dims3(check, TABLE, 1, CHECK_ANY, CHECK_ANY);
    check_dense(check, TABLE);
    if (check_optional(check, SCALES, call->scales, CHECK_TYPE(ACL_FLOAT)))
        check_dims2(check, SCALES, t->tensor[TABLE].dim[1], x->dim[2]);
    if (check_optional(check, MASK, call->mask, CHECK_TYPE(ACL_BOOL)))
        check_count(check, MASK, x->dim[1]);
}

/* Sets the layout of the receiver's window, and that of the sender's. */
static void check_shapes(struct check *check, const struct call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    const int64_t *info = window_shape(check, call->info, 3);
    const int64_t *data = window_shape(check, call->data, 5);
    const int64_t *own = window_shape(check, call->own, 3);
    uint64_t width = width_of(t), needed, batches;

    if (check->status)
        return;
    needed = call->quant_mode ? (width + 31) / 32 * 32 + WINDOW_SCALE_BYTES : width;
    check_that(check,
               info[0] == data[0] && info[1] == data[1] && data[2] <= UINT16_MAX &&
                   data[3] <= UINT16_MAX && info[2] == TABLE_HEAD + data[2] * data[3] &&
                   (uint64_t)data[4] >= needed &&
                   data[2] >= (int64_t)t->tensor[X].dim[1] &&
                   data[3] >= (int64_t)t->tensor[IDS].dim[2] && own[0] == data[1] &&
                   own[1] == data[2] && own[2] == data[3] && info[0] < call->ranks);
    batches = (uint64_t)info[0] * (uint64_t)info[1];
    check_that(check, batches <= UINT16_MAX && t->tensor[TABLE].dim[1] ==
                                                   (uint64_t)(call->experts + data[3]) -
                                                       t->tensor[IDS].dim[2]);
    if (check->status)
        return;
    t->number[WORKERS] = info[0];
    t->number[BATCHES] = info[1];
    t->number[TOKENS] = data[2];
    t->number[SLOTS] = data[3];
    t->number[K] = (int64_t)t->tensor[IDS].dim[2];
    t->number[PITCH] = (int64_t)number_bytes(
        call->quant_mode ? ACL_INT8 : t->tensor[X].type, (uint64_t)data[4]);
    t->workspace_at[ROWS_AT] = window_rows_at(batches * (uint64_t)info[2]);
    t->workspace_at[END_AT] =
        t->workspace_at[ROWS_AT] +
        batches * (uint64_t)(data[2] * data[3] * t->number[PITCH]);
    t->workspace_at[OWN_END_AT] = window_rows_at((uint64_t)(own[0] * own[1] * own[2]));
}

aclnnStatus
aclnnAttentionToFFNGetWorkspaceSize(const aclTensor *x,
                                    const aclTensor *sessionId,
                                    const aclTensor *microBatchId,
                                    const aclTensor *layerId,
                                    const aclTensor *expertIds,
                                    const aclTensor *expertRankTable,
                                    const aclTensor *scales,
                                    const aclTensor *activeMask,
                                    const char *group,
                                    int64_t worldSize,
                                    const aclIntArray *ffnTokenInfoTableShape,
                                    const aclIntArray *ffnTokenDataShape,
                                    const aclIntArray *attnTokenInfoTableShape,
                                    int64_t moeExpertNum,
                                    int64_t quantMode,
                                    int64_t syncFlag,
                                    int64_t ffnStartRankId,
                                    uint64_t *workspaceSize,
                                    aclOpExecutor **executor)
{
    const struct call call = {.x = x,
                              .session = sessionId,
                              .batch = microBatchId,
                              .layer = layerId,
                              .ids = expertIds,
                              .table = expertRankTable,
                              .scales = scales,
                              .mask = activeMask,
                              .info = ffnTokenInfoTableShape,
                              .data = ffnTokenDataShape,
                              .own = attnTokenInfoTableShape,
                              .ranks = worldSize,
                              .experts = moeExpertNum,
                              .quant_mode = quantMode,
                              .sync = syncFlag,
                              .first = ffnStartRankId};
    struct mc2_tiling *t;
    struct check check;

    check_begin(&check, "AttentionToFFN");
    t = &check.call.tiling;
    check_group(&check, group, NULL, 0, 1);
    check_tensors(&check, &call);
    check_that(&check, worldSize > 1 && check_ranks(&check) == (uint64_t)worldSize);
    check_that(&check, moeExpertNum > 0 && moeExpertNum <= UINT16_MAX &&
                           (quantMode == 0 || quantMode == 2) &&
                           (quantMode || !scales) && (syncFlag == 0 || syncFlag == 1) &&
                           ffnStartRankId >= 0 && ffnStartRankId < worldSize);
    check_shapes(&check, &call);
    if (check.status)
        return check.status;
    t->number[EXPERTS] = moeExpertNum;
    t->number[QUANT_MODE] = quantMode;
    t->number[SYNC] = syncFlag;
    t->number[FIRST_FFN] = ffnStartRankId;
    check.call.key = check_at(&check, X)->type == ACL_BF16;
    check_turns(&check, 1, t->tensor[X].dim[1]);
    return check_end(&check, workspaceSize, executor);
}

FUSED_RUN(aclnnAttentionToFFN);
