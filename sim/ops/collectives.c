/* collectives.c - runs all plain collectives, or the one that is named
 *
 * The data that a rank sends depends only on rank and index, so each rank can compute
 * what it must receive. Where a call takes a count per rank, the counts differ. */
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

#define SYNC_MS 10000
#define ROOT    0
#define TYPE    HCCL_DATA_TYPE_FP32

static uint32_t n = 4096, launches = 1, only;

/* Buffer size: elements per rank times number of ranks, the largest that a collective
 * needs. */
struct buffers {
    void *from, *into;
    float *host;
    size_t size;
    uint64_t sent[RANKS_MAX], received[RANKS_MAX]; /* elements, to and from each rank */
    uint64_t places[RANKS_MAX];
    uint64_t table[RANKS_MAX * RANKS_MAX]; /* one row per sender */
};

/* Expected contents of a received run of elements. */
struct part {
    uint32_t at, count;
    uint32_t sender,
        first;  /* index of the first element in the data that this rank sent */
    int summed; /* 1: the sum over all ranks' data */
};

/* Returns the count of a rank where counts differ: a few elements less than all. */
static uint32_t some(uint32_t which)
{
    return n - which % (n < 4 ? n : 4);
}

/* Returns the count from `from` to `to` in calls with a count per pair. */
static uint32_t between(uint32_t from, uint32_t to)
{
    return some(from + to);
}

static struct part whole(uint32_t at, uint32_t sender, uint32_t first)
{
    struct part part = {at, n, sender, first, 0};

    return part;
}

static struct part sum(uint32_t count, uint32_t first)
{
    struct part part = {0, count, 0, first, 1};

    return part;
}

static void all_reduce(const struct rank *rank, struct buffers *b)
{
    HCHECK(HcclAllReduce(b->from, b->into, n, TYPE, HCCL_REDUCE_SUM, rank->comm,
                         rank->stream));
}

static struct part all_reduced(const struct rank *rank, uint32_t i)
{
    (void)rank, (void)i;
    return sum(n, 0);
}

static void reduce(const struct rank *rank, struct buffers *b)
{
    HCHECK(HcclReduce(b->from, b->into, n, TYPE, HCCL_REDUCE_SUM, ROOT, rank->comm,
                      rank->stream));
}

static struct part reduced(const struct rank *rank, uint32_t i)
{
    (void)i;
    return sum(rank->rank == ROOT ? n : 0, 0);
}

static void all_gather(const struct rank *rank, struct buffers *b)
{
    HCHECK(HcclAllGather(b->from, b->into, n, TYPE, rank->comm, rank->stream));
}

static struct part gathered(const struct rank *rank, uint32_t i)
{
    (void)rank;
    return whole(i * n, i, 0);
}

static void all_gather_v(const struct rank *rank, struct buffers *b)
{
    for (uint32_t i = 0; i < rank->count; i++)
        b->received[i] = some(i);
    HCHECK(HcclAllGatherV(b->from, some(rank->rank), b->into, b->received, b->places,
                          TYPE, rank->comm, rank->stream));
}

static struct part some_gathered(const struct rank *rank, uint32_t i)
{
    struct part part = gathered(rank, i);

    part.count = some(i);
    return part;
}

static void all_to_all(const struct rank *rank, struct buffers *b)
{
    HCHECK(HcclAlltoAll(b->from, n, TYPE, b->into, n, TYPE, rank->comm, rank->stream));
}

static struct part exchanged(const struct rank *rank, uint32_t i)
{
    return whole(i * n, i, rank->rank * n);
}

static void all_to_all_v(const struct rank *rank, struct buffers *b)
{
    for (uint32_t i = 0; i < rank->count; i++) {
        b->sent[i] = between(rank->rank, i);
        b->received[i] = between(i, rank->rank);
    }
    HCHECK(HcclAlltoAllV(b->from, b->sent, b->places, TYPE, b->into, b->received,
                         b->places, TYPE, rank->comm, rank->stream));
}

static struct part some_exchanged(const struct rank *rank, uint32_t i)
{
    struct part part = exchanged(rank, i);

    part.count = between(i, rank->rank);
    return part;
}

static void all_to_all_vc(const struct rank *rank, struct buffers *b)
{
    for (uint32_t i = 0; i < rank->count; i++)
        for (uint32_t to = 0; to < rank->count; to++)
            b->table[i * rank->count + to] = between(i, to);
    HCHECK(HcclAlltoAllVC(b->from, b->table, TYPE, b->into, TYPE, rank->comm,
                          rank->stream));
}

/* The parts lie one after the other on both sides. */
static struct part packed(const struct rank *rank, uint32_t i)
{
    struct part part = {0, between(i, rank->rank), i, 0, 0};

    for (uint32_t before = 0; before < i; before++)
        part.at += between(before, rank->rank);
    for (uint32_t before = 0; before < rank->rank; before++)
        part.first += between(i, before);
    return part;
}

/* The root's own buffer stays unchanged, so another rank's buffer is checked. */
static void broadcast(const struct rank *rank, struct buffers *b)
{
    HCHECK(HcclBroadcast(rank->rank == ROOT ? b->from : b->into, n, TYPE, ROOT,
                         rank->comm, rank->stream));
}

static struct part from_root(const struct rank *rank, uint32_t i)
{
    struct part part = whole(0, ROOT, 0);

    (void)i;
    part.count = rank->rank == ROOT ? 0 : n;
    return part;
}

static void scatter(const struct rank *rank, struct buffers *b)
{
    HCHECK(HcclScatter(b->from, b->into, n, TYPE, ROOT, rank->comm, rank->stream));
}

static struct part scattered(const struct rank *rank, uint32_t i)
{
    (void)i;
    return whole(0, ROOT, rank->rank * n);
}

static void reduce_scatter(const struct rank *rank, struct buffers *b)
{
    HCHECK(HcclReduceScatter(b->from, b->into, n, TYPE, HCCL_REDUCE_SUM, rank->comm,
                             rank->stream));
}

static struct part sum_of_own(const struct rank *rank, uint32_t i)
{
    (void)i;
    return sum(n, rank->rank * n);
}

static void reduce_scatter_v(const struct rank *rank, struct buffers *b)
{
    for (uint32_t i = 0; i < rank->count; i++)
        b->sent[i] = some(i);
    HCHECK(HcclReduceScatterV(b->from, b->sent, b->places, b->into, some(rank->rank),
                              TYPE, HCCL_REDUCE_SUM, rank->comm, rank->stream));
}

static struct part sum_of_some(const struct rank *rank, uint32_t i)
{
    (void)i;
    return sum(some(rank->rank), rank->rank * n);
}

static void barrier(const struct rank *rank, struct buffers *b)
{
    (void)b;
    HCHECK(HcclBarrier(rank->comm, rank->stream));
}

static struct part nothing(const struct rank *rank, uint32_t i)
{
    (void)rank, (void)i;
    return sum(0, 0);
}

static uint32_t next_rank(const struct rank *rank)
{
    return rank->rank + 1 == rank->count ? 0 : rank->rank + 1;
}

static uint32_t rank_before(const struct rank *rank)
{
    return rank->rank == 0 ? rank->count - 1 : rank->rank - 1;
}

/* Sends to the next rank and receives from the previous one. */
static void shift(const struct rank *rank, struct buffers *b)
{
    HcclSendRecvItem items[2] = {{HCCL_SEND, b->from, n, TYPE, next_rank(rank)},
                                 {HCCL_RECV, b->into, n, TYPE, rank_before(rank)}};

    HCHECK(HcclBatchSendRecv(items, 2, rank->comm, rank->stream));
}

static void send_next(const struct rank *rank, struct buffers *b, aclrtStream stream)
{
    HCHECK(HcclSend(b->from, n, TYPE, next_rank(rank), rank->comm, stream));
}

static void receive(const struct rank *rank, struct buffers *b, aclrtStream stream)
{
    HCHECK(HcclRecv(b->into, n, TYPE, rank_before(rank), rank->comm, stream));
}

/* The same with two messages: even ranks send first, odd ones receive first. */
static void relay(const struct rank *rank, struct buffers *b)
{
    if (rank->rank % 2 == 0)
        send_next(rank, b, rank->stream);
    receive(rank, b, rank->stream);
    if (rank->rank % 2 == 1)
        send_next(rank, b, rank->stream);
}

/* The same on two streams: all ranks send first, so no message ends before a later call
 * of its rank. */
static void cross(const struct rank *rank, struct buffers *b)
{
    aclrtStream other;

    CHECK(aclrtCreateStream(&other));
    send_next(rank, b, other);
    receive(rank, b, rank->stream);
    CHECK(aclrtSynchronizeStreamWithTimeout(other, SYNC_MS));
    CHECK(aclrtDestroyStream(other));
}

static struct part shifted(const struct rank *rank, uint32_t i)
{
    (void)i;
    return whole(0, rank_before(rank), 0);
}

static const struct operation {
    const char *name;
    void (*issue)(const struct rank *rank, struct buffers *buffers);
    struct part (*part)(const struct rank *rank, uint32_t i);
    int part_each; /* 1: one run from every rank; 0: one run in total */
} operations[] = {
    {"all_gather", all_gather, gathered, 1},
    {"all_gather_v", all_gather_v, some_gathered, 1},
    {"all_reduce", all_reduce, all_reduced, 0},
    {"all_to_all", all_to_all, exchanged, 1},
    {"all_to_all_v", all_to_all_v, some_exchanged, 1},
    {"all_to_all_vc", all_to_all_vc, packed, 1},
    {"barrier", barrier, nothing, 0},
    {"broadcast", broadcast, from_root, 0},
    {"cross", cross, shifted, 0},
    {"reduce", reduce, reduced, 0},
    {"reduce_scatter", reduce_scatter, sum_of_own, 0},
    {"reduce_scatter_v", reduce_scatter_v, sum_of_some, 0},
    {"relay", relay, shifted, 0},
    {"scatter", scatter, scattered, 0},
    {"shift", shift, shifted, 0},
};
enum { ALL = sizeof(operations) / sizeof(operations[0]) };
static const char *names[ALL + 2];

static float expected(const struct rank *rank, const struct part *part, uint32_t i)
{
    float all = 0;

    if (!part->summed)
        return program_value(part->sender, part->first + i);
    for (uint32_t other = 0; other < rank->count; other++)
        all += program_value(other, part->first + i);
    return all;
}

static void check(struct rank *rank, struct buffers *b, const struct operation *made)
{
    uint32_t parts = made->part_each ? rank->count : 1;

    program_download(b->host, b->into, b->size);
    for (uint32_t k = 0; k < parts; k++) {
        struct part part = made->part(rank, k);

        for (uint32_t i = 0; i < part.count; i++)
            rank->wrong += b->host[part.at + i] != expected(rank, &part, i);
        rank->checksum =
            rank->checksum * 31 +
            program_checksum(b->host + part.at, part.count * sizeof(float));
    }
}

static void run(struct rank *rank)
{
    struct buffers *b = (struct buffers *)program_alloc(sizeof(*b));

    b->size = (size_t)n * rank->count * sizeof(float);
    b->host = (float *)program_alloc(b->size);
    for (uint32_t i = 0; i < n * rank->count; i++)
        b->host[i] = program_value(rank->rank, i);
    for (uint32_t i = 0; i < rank->count; i++)
        b->places[i] = (uint64_t)i * n;
    b->from = program_upload(b->host, b->size);
    for (uint32_t which = 0; which < ALL; which++) {
        if (only != ALL && only != which)
            continue;
        b->into = program_upload(NULL, b->size);
        for (uint32_t i = 0; i < launches; i++)
            if (ranks_may_launch(rank, i)) {
                operations[which].issue(rank, b);
                CHECK(aclrtSynchronizeStreamWithTimeout(rank->stream, SYNC_MS));
            }
        check(rank, b, &operations[which]);
        CHECK(aclrtFree(b->into));
    }
    CHECK(aclrtFree(b->from));
    free(b->host);
    free(b);
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size, "op=%s n=%u launches=%u", names[only], n, launches);
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {"--n", &n, 1, 1u << 22, "elements per part"},
        {"--launches", &launches, 1, 1u << 20, "runs of each collective"},
    };
    const struct ranks_program program = {
        "collectives",
        "plain collectives; --op all_gather, all_reduce, all_to_all, barrier, "
        "broadcast, cross, reduce, reduce_scatter, relay, scatter, shift or all; _v "
        "and "
        "_vc take "
        "different counts per rank",
        run, describe};

    (void)argc;
    for (uint32_t i = 0; i < ALL; i++)
        names[i] = operations[i].name;
    names[ALL] = "all";
    only = ALL;
    program_word(program.name, "--op", names, &only, argv);
    return ranks_main(&program, rows, sizeof(rows) / sizeof(rows[0]), argv);
}
