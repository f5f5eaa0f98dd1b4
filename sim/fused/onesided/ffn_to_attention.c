/* ffn_to_attention.c - rows go back into the windows of their attention ranks
 *
 * The receivers do not take part: they read the table in their windows. */
#include <aclnnop/aclnn_ffn_to_attention.h>
#include <string.h>

#include "sim/fused/onesided/window.h"
#include "sim/fused/shared/number.h"

enum { X, SESSIONS, BATCHES, TOKENS, OFFSETS, ACTUAL, RANK_TABLE };
enum { ALL_BATCHES, ALL_TOKENS, SLOTS, PITCH }; /* indexes of `number` */

static bool is_below(int64_t value, int64_t limit)
{
    return value >= 0 && value < limit;
}

/* Sends one row; rows with a place outside of the table are left out. */
static void send_row(const struct body *body, uint64_t row, uint64_t *bytes)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *x = &t->tensor[X], *ranks = &t->tensor[RANK_TABLE];
    int64_t session = window_int(&t->tensor[SESSIONS], row);
    int64_t batch = window_int(&t->tensor[BATCHES], row);
    int64_t token = window_int(&t->tensor[TOKENS], row);
    int64_t slot = window_int(&t->tensor[OFFSETS], row), rank = session;
    uint64_t place, size = number_bytes(x->type, x->dim[1]);

    if (ranks->dims)
        rank = is_below(session, (int64_t)ranks->dim[0])
                   ? window_int(ranks, (uint64_t)session)
                   : -1;
    if (!is_below(rank, body->context->ranks) ||
        !is_below(batch, t->number[ALL_BATCHES]) ||
        !is_below(token, t->number[ALL_TOKENS]) || !is_below(slot, t->number[SLOTS]))
        return;
    place =
        (uint64_t)((batch * t->number[ALL_TOKENS] + token) * t->number[SLOTS] + slot);
    memcpy(
        window_of(body, rank, t->workspace_at[0] + place * (uint64_t)t->number[PITCH]),
        (const char *)(uintptr_t)x->address + row * size, size);
    window_set(body, rank, place, 1);
    bytes[rank] += size + sizeof(int32_t);
}

static bool send_rows(const struct body *body, uint64_t *bytes)
{
    const struct mc2_tiling *t = body->tiling;
    int64_t rows = window_int(&t->tensor[ACTUAL], 0);

    if (!window_has_room(body, t->workspace_at[1]))
        return false;
    for (int64_t row = 0; row < rows && (uint64_t)row < t->tensor[X].dim[0]; row++)
        send_row(body, (uint64_t)row, bytes);
    return true;
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tensor *x = &body->tiling->tensor[X];

    body_vector_cost(body, x->address, number_bytes(x->type, x->dim[0] * x->dim[1]), 0,
                     out);
}

static const struct fused_steps steps = {.send = send_rows, .cost = cost};

FUSED_KERNELS(FFNToAttention, steps, 1);

static void check_rows(struct check *check, uint32_t slot, const aclTensor *tensor)
{
    check_tensor(check, slot, tensor, CHECK_TYPE(ACL_INT32));
    check_count(check, slot, check_at(check, X)->dim[0]);
}

static void
check_shapes(struct check *check, const aclIntArray *table, const aclIntArray *data)
{
    struct mc2_tiling *t = &check->call.tiling;
    const int64_t *numbers = window_shape(check, table, 3),
                  *rows = window_shape(check, data, 4);
    uint64_t count;

    if (check->status)
        return;
    check_that(check, rows[0] == numbers[0] && rows[1] == numbers[1] &&
                          rows[2] == numbers[2] &&
                          (uint64_t)rows[3] >= t->tensor[X].dim[1]);
    count = (uint64_t)numbers[0] * (uint64_t)numbers[1];
    check_that(check, count < UINT32_MAX && count * (uint64_t)numbers[2] < UINT32_MAX);
    if (check->status)
        return;
    count *= (uint64_t)numbers[2];
    t->number[ALL_BATCHES] = numbers[0];
    t->number[ALL_TOKENS] = numbers[1];
    t->number[SLOTS] = numbers[2];
    t->number[PITCH] = (int64_t)number_bytes(t->tensor[X].type, (uint64_t)rows[3]);
    t->workspace_at[0] = window_rows_at(count);
    t->workspace_at[1] = t->workspace_at[0] + count * (uint64_t)t->number[PITCH];
}

aclnnStatus aclnnFFNToAttentionGetWorkspaceSize(const aclTensor *x,
                                                const aclTensor *sessionIds,
                                                const aclTensor *microBatchIds,
                                                const aclTensor *tokenIds,
                                                const aclTensor *expertOffsets,
                                                const aclTensor *actualTokenNum,
                                                const aclTensor *attnRankTable,
                                                const char *group,
                                                int64_t worldSize,
                                                const aclIntArray *tokenInfoTableShape,
                                                const aclIntArray *tokenDataShape,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor)
{
    struct check check;

    check_begin(&check, "FFNToAttention");
    check_group(&check, group, NULL, 0, 1);
    check_tensor(&check, X, x, CHECK_HALF);
    check_dims2(&check, X, CHECK_ANY, CHECK_ANY);
    check_dense(&check, X);
    check_rows(&check, SESSIONS, sessionIds);
    check_rows(&check, BATCHES, microBatchIds);
    check_rows(&check, TOKENS, tokenIds);
    check_rows(&check, OFFSETS, expertOffsets);
    check_tensor(&check, ACTUAL, actualTokenNum,
                 CHECK_TYPE(ACL_INT32) | CHECK_TYPE(ACL_INT64));
    check_count(&check, ACTUAL, 1);
    if (check_optional(&check, RANK_TABLE, attnRankTable, CHECK_TYPE(ACL_INT32)))
        check_that(&check, check_at(&check, RANK_TABLE)->dims == 1);
    check_shapes(&check, tokenInfoTableShape, tokenDataShape);
    check_that(&check, worldSize > 1 && check_ranks(&check) == (uint64_t)worldSize);
    if (check.status)
        return check.status;
    check.call.key = check_at(&check, X)->type == ACL_BF16;
    check_turns(&check, 1, check_at(&check, X)->dim[0]);
    return check_end(&check, workspaceSize, executor);
}

FUSED_RUN(aclnnFFNToAttention);
