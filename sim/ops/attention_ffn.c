/* attention_ffn.c - attention ranks send tokens to the ranks of the experts, which send
 * them back doubled
 *
 * The first half of the ranks has the experts (FFN ranks), the others are attention
 * ranks. The operators have no output: a rank writes into the windows of others, which
 * take no part in it. So each rank looks at a table in its own window until all rows
 * are there. */
#include <aclnnop/aclnn_attention_to_ffn.h>
#include <aclnnop/aclnn_ffn_to_attention.h>
#include <hccl/hccl_res.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "matrix.h"
#include "ranks.h"

#define SYNC_MS 10000
#define ALIGN   512 /* of the rows behind the table */

static uint32_t tokens = 8, top_k = 2, experts = 2, hidden = 64, launches = 1;

struct roles {
    uint32_t ffn, workers;  /* number of FFN ranks, and of attention ranks */
    uint32_t slots;         /* rows of a worker */
    uint8_t *window;        /* of this rank, on the card */
    aclIntArray *info;      /* shape of the table of an FFN rank */
    aclIntArray *data;      /* shape of its rows */
    aclIntArray *back_info; /* the same of an attention rank */
    aclIntArray *back_data;
};

static void open_roles(struct rank *rank, struct roles *roles)
{
    int64_t shape[5];
    void *window = NULL;
    uint64_t size = 0;

    roles->ffn = rank->count / 2;
    roles->workers = rank->count - roles->ffn;
    roles->slots = tokens * top_k;
    HCHECK(HcclGetHcclBuffer(rank->comm, &window, &size));
    roles->window = (uint8_t *)window;
    shape[0] = roles->workers;
    shape[1] = 1;
    shape[2] = 2 + roles->slots;
    roles->info = aclCreateIntArray(shape, 3);
    shape[2] = tokens;
    shape[3] = top_k;
    shape[4] = hidden;
    roles->data = aclCreateIntArray(shape, 5);
    roles->back_info = aclCreateIntArray(shape + 1, 3);
    roles->back_data = aclCreateIntArray(shape + 1, 4);
}

static void close_roles(struct roles *roles)
{
    NCHECK(aclDestroyIntArray(roles->info));
    NCHECK(aclDestroyIntArray(roles->data));
    NCHECK(aclDestroyIntArray(roles->back_info));
    NCHECK(aclDestroyIntArray(roles->back_data));
}

static uint32_t expert_of(const struct roles *roles, uint32_t worker, uint32_t slot)
{
    return (worker + slot / top_k + slot % top_k) % (roles->ffn * experts);
}

static void meet(const struct rank *rank)
{
    HCHECK(HcclBarrier(rank->comm, rank->stream));
    CHECK(aclrtSynchronizeStreamWithTimeout(rank->stream, SYNC_MS));
}

/* Reads the table of the own window until each `step`-th entry is 1. */
static void
wait_for_rows(const struct roles *roles, int32_t *table, uint32_t count, uint32_t step)
{
    struct timespec pause;
    uint32_t missing = 1;

    pause.tv_sec = 0;
    pause.tv_nsec = 1000000;
    for (int ms = 0; ms < SYNC_MS && missing > 0; ms++) {
        program_download(table, roles->window, count * sizeof(*table));
        missing = 0;
        for (uint32_t i = 0; i < count; i += step)
            missing += table[i] != 1;
        if (missing > 0)
            nanosleep(&pause, NULL);
    }
    if (missing == 0)
        return;
    fprintf(stderr, "attention_ffn: %u of %u entries of the own window are missing\n",
            missing, count / step);
    exit(1);
}

static size_t rows_at(uint32_t entries)
{
    return (entries * sizeof(int32_t) + ALIGN - 1) / ALIGN * ALIGN;
}

static void clear_table(const struct roles *roles, uint32_t entries)
{
    CHECK(aclrtMemset(roles->window, entries * sizeof(int32_t), 0,
                      entries * sizeof(int32_t)));
}

static void open_list(struct buffer *list, uint32_t count, const int32_t *values)
{
    int64_t dims = count;

    buffer_open(list, ACL_INT32, sizeof(*values), &dims, 1, values);
}

/* An attention rank: what it sends is the same in each launch. */
struct sender {
    struct stack x;
    struct buffer session, batch, layer, ids, places;
};

static void
open_sender(const struct rank *rank, const struct roles *roles, struct sender *sender)
{
    uint32_t all = roles->ffn * experts;
    int32_t worker = (int32_t)(rank->rank - roles->ffn), zero = 0;
    int32_t *values =
        (int32_t *)program_alloc((roles->slots + 3 * all) * sizeof(*values));
    int64_t dims[3];

    stack_open(&sender->x, MATRIX_FP16, 1, tokens, hidden, MATRIX_LEFT(rank->rank));
    open_list(&sender->session, 1, &worker);
    open_list(&sender->batch, 1, &zero);
    open_list(&sender->layer, 1, &zero);
    dims[0] = 1;
    for (uint32_t i = 0; i < roles->slots; i++)
        values[i] = (int32_t)expert_of(roles, (uint32_t)worker, i);
    dims[1] = tokens;
    dims[2] = top_k;
    buffer_open(&sender->ids, ACL_INT32, sizeof(*values), dims, 3, values);
    for (uint32_t i = 0; i < all; i++) { /* one copy, its rank, and its number there */
        values[3 * i] = 1;
        values[3 * i + 1] = (int32_t)(i / experts);
        values[3 * i + 2] = (int32_t)(1 + i % experts);
    }
    dims[1] = all;
    dims[2] = 3;
    buffer_open(&sender->places, ACL_INT32, sizeof(*values), dims, 3, values);
    free(values);
}

static void close_sender(struct sender *sender)
{
    stack_close(&sender->x);
    buffer_close(&sender->session);
    buffer_close(&sender->batch);
    buffer_close(&sender->layer);
    buffer_close(&sender->ids);
    buffer_close(&sender->places);
}

static void
send(const struct rank *rank, const struct roles *roles, const struct sender *sender)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace;

    NCHECK(aclnnAttentionToFFNGetWorkspaceSize(
        sender->x.tensor, sender->session.tensor, sender->batch.tensor,
        sender->layer.tensor, sender->ids.tensor, sender->places.tensor, NULL, NULL,
        rank->group, rank->count, roles->info, roles->data, roles->back_info,
        (int64_t)roles->ffn * experts, 0, 0, 0, &size, &executor));
    workspace = ranks_workspace(size);
    NCHECK(aclnnAttentionToFFN(workspace, size, executor, rank->stream));
    ranks_finish(rank, workspace);
}

/* Receives the rows of this rank, compares them with twice what was sent, and clears
 * the table. */
static void receive(struct rank *rank, const struct roles *roles, struct matrix *rows)
{
    int32_t *table = (int32_t *)program_alloc(roles->slots * sizeof(*table));

    wait_for_rows(roles, table, roles->slots, 1);
    clear_table(roles, roles->slots);
    CHECK(aclrtMemcpy(rows->device, (size_t)roles->slots * hidden * 2,
                      roles->window + rows_at(roles->slots),
                      (size_t)roles->slots * hidden * 2, ACL_MEMCPY_DEVICE_TO_DEVICE));
    matrix_download(rows);
    for (uint32_t i = 0; i < roles->slots; i++)
        for (uint32_t j = 0; j < hidden; j++)
            rank->wrong += matrix_at(rows, i, j) !=
                           2 * matrix_value(MATRIX_LEFT(rank->rank), i / top_k, j);
    rank->checksum = matrix_checksum(rows);
    free(table);
}

static void run_attention(struct rank *rank, const struct roles *roles)
{
    struct sender sender;
    struct matrix rows;

    open_sender(rank, roles, &sender);
    matrix_open(&rows, MATRIX_FP16, roles->slots, hidden, 0);
    for (uint32_t i = 0; i < launches; i++) {
        if (!ranks_may_launch(rank, i))
            continue;
        send(rank, roles, &sender);
        receive(rank, roles, &rows);
    }
    matrix_close(&rows);
    close_sender(&sender);
}

/* An FFN rank: the rows that it received, in the order of the table. */
struct received {
    uint32_t count;
    int32_t *sessions, *batches, *tokens, *offsets;
    uint16_t *rows;
};

static void take_rows(const struct roles *roles, struct received *received)
{
    uint32_t entries = roles->workers * (2 + roles->slots);
    int32_t *table = (int32_t *)program_alloc(entries * sizeof(*table));

    wait_for_rows(roles, table, entries, 2 + roles->slots);
    received->count = 0;
    for (uint32_t i = 0; i < roles->workers * roles->slots; i++) {
        uint32_t worker = i / roles->slots, slot = i % roles->slots;
        uint32_t y = received->count;

        if (table[worker * (2 + roles->slots) + 2 + slot] == 0)
            continue; /* the row went to another rank */
        received->sessions[y] = (int32_t)worker;
        received->batches[y] = 0;
        received->tokens[y] = (int32_t)(slot / top_k);
        received->offsets[y] = (int32_t)(slot % top_k);
        program_download(received->rows + (size_t)y * hidden,
                         roles->window + rows_at(entries) + (size_t)i * hidden * 2,
                         (size_t)hidden * 2);
        received->count++;
    }
    clear_table(roles, entries);
    free(table);
}

static size_t count_missing(const struct rank *rank,
                            const struct roles *roles,
                            const struct received *received)
{
    uint32_t expected = 0;

    for (uint32_t i = 0; i < roles->workers * roles->slots; i++)
        expected += expert_of(roles, i / roles->slots, i % roles->slots) / experts ==
                    rank->rank;
    return expected > received->count ? expected - received->count
                                      : received->count - expected;
}

/* The experts: they double their rows. Halves double by their exponent. */
static void work(struct received *received)
{
    for (size_t i = 0; i < (size_t)received->count * hidden; i++)
        if (received->rows[i] & 0x7C00)
            received->rows[i] = (uint16_t)(received->rows[i] + 0x400);
}

static void give_back(const struct rank *rank,
                      const struct roles *roles,
                      const struct received *received,
                      const struct buffer *ranks)
{
    uint32_t room = roles->workers * roles->slots;
    int64_t dims[2], count = received->count, one = 1;
    struct buffer x, sessions, batches, at, offsets, actual;
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace;

    dims[0] = room;
    dims[1] = hidden;
    buffer_open(&x, ACL_FLOAT16, 2, dims, 2, received->rows);
    open_list(&sessions, room, received->sessions);
    open_list(&batches, room, received->batches);
    open_list(&at, room, received->tokens);
    open_list(&offsets, room, received->offsets);
    buffer_open(&actual, ACL_INT64, sizeof(count), &one, 1, &count);
    NCHECK(aclnnFFNToAttentionGetWorkspaceSize(
        x.tensor, sessions.tensor, batches.tensor, at.tensor, offsets.tensor,
        actual.tensor, ranks->tensor, rank->group, rank->count, roles->back_info,
        roles->back_data, &size, &executor));
    workspace = ranks_workspace(size);
    NCHECK(aclnnFFNToAttention(workspace, size, executor, rank->stream));
    ranks_finish(rank, workspace);
    buffer_close(&x);
    buffer_close(&sessions);
    buffer_close(&batches);
    buffer_close(&at);
    buffer_close(&offsets);
    buffer_close(&actual);
}

static void run_ffn(struct rank *rank, const struct roles *roles)
{
    uint32_t room = roles->workers * roles->slots;
    int32_t *lists = (int32_t *)program_alloc(4 * (size_t)room * sizeof(*lists));
    int32_t senders[RANKS_MAX];
    struct received received;
    struct buffer ranks;

    memset(lists, 0, 4 * (size_t)room * sizeof(*lists));
    received.sessions = lists;
    received.batches = lists + room;
    received.tokens = lists + 2 * (size_t)room;
    received.offsets = lists + 3 * (size_t)room;
    received.rows = (uint16_t *)program_alloc((size_t)room * hidden * 2);
    memset(received.rows, 0, (size_t)room * hidden * 2);
    for (uint32_t i = 0; i < roles->workers; i++)
        senders[i] = (int32_t)(roles->ffn + i);
    open_list(&ranks, roles->workers, senders);
    for (uint32_t i = 0; i < launches; i++) {
        if (!ranks_may_launch(rank, i))
            continue;
        take_rows(roles, &received);
        rank->wrong += count_missing(rank, roles, &received);
        work(&received);
        give_back(rank, roles, &received, &ranks);
        rank->checksum = rank->checksum * 31 + received.count;
    }
    buffer_close(&ranks);
    free(received.rows);
    free(lists);
}

static void run(struct rank *rank)
{
    struct roles roles;

    open_roles(rank, &roles);
    if (top_k > roles.ffn * experts) {
        fprintf(stderr, "attention_ffn: --top-k exceeds the number of experts\n");
        exit(2);
    }
    clear_table(&roles, roles.workers * (2 + roles.slots));
    meet(rank); /* each rank has cleared its window before others write */
    if (rank->rank < roles.ffn)
        run_ffn(rank, &roles);
    else
        run_attention(rank, &roles);
    meet(rank); /* all ranks have finished before a window is closed */
    close_roles(&roles);
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size, "tokens=%u top_k=%u experts=%u hidden=%u launches=%u", tokens,
             top_k, experts, hidden, launches);
}

int main(int argc, char **argv)
{
    const struct option_row options[] = {
        {"--tokens", &tokens, 1, 512, "tokens of each attention rank"},
        {"--top-k", &top_k, 1, 16, "experts of each token"},
        {"--experts", &experts, 1, 64, "experts of each FFN rank"},
        {"--hidden", &hidden, 1, 8192, "width of a token"},
        {"--launches", &launches, 1, 1u << 20, "number of launches of both"},
    };
    const struct ranks_program program = {
        "attention_ffn",
        "tokens go from attention ranks to experts and back; needs an A3", run,
        describe};

    (void)argc;
    return ranks_main(&program, options, sizeof(options) / sizeof(options[0]), argv);
}
