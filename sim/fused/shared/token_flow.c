#include "sim/fused/shared/token_flow.h"

#include <string.h>

#define ALIGN 16

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static uint64_t experts_of_all(const struct mc2_tiling *t)
{
    return (uint64_t)(t->number[TOKENS_EXPERTS] + t->number[TOKENS_SHARED_RANKS]);
}

/* Numbers of rows of own experts: one for each rank. */
static uint64_t received_counts(const struct mc2_tiling *t)
{
    return tokens_experts_of(t, (uint32_t)t->number[TOKENS_RANK]) *
           (uint64_t)t->number[TOKENS_RANKS];
}

/* Bytes of `next`, `received` and `counts`. */
static uint64_t table_bytes(const struct mc2_tiling *t)
{
    return received_counts(t) * (sizeof(uint64_t) + sizeof(uint32_t)) +
           experts_of_all(t) * sizeof(uint32_t);
}

void token_flow_check(struct check *check, uint64_t row_bytes, uint64_t sent)
{
    struct mc2_tiling *t = &check->call.tiling;

    if (check->status)
        return;
    t->workspace_at[TOKEN_FLOW_AT] =
        check_workspace(check, aligned(sizeof(struct token_flow)) + aligned(row_bytes) +
                                   aligned(table_bytes(t)) + sent * sizeof(uint64_t));
    t->turns = 1;
}

struct token_flow *token_flow_of(const struct body *body)
{
    return (struct token_flow *)(uintptr_t)(body->workspace +
                                            body->tiling->workspace_at[TOKEN_FLOW_AT]);
}

/* Returns the place of a rank in `counts`: ranks of shared experts have one expert. */
static uint64_t counts_at(const struct mc2_tiling *t, uint32_t rank)
{
    uint32_t shared = (uint32_t)t->number[TOKENS_SHARED_RANKS];

    return rank < shared
               ? rank
               : shared + (uint64_t)(rank - shared) * tokens_experts_of(t, rank);
}

static uint64_t head_bytes(const struct token_flow *flow, uint32_t receiver)
{
    return flow->way->count ? aligned(tokens_experts_of(flow->body.tiling, receiver) *
                                      sizeof(uint32_t))
                            : 0;
}

static uint64_t entry_bytes(const struct token_flow *flow)
{
    return sizeof(struct token_head) + aligned(flow->row_bytes);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Copies a part of `size` bytes from offset `at` on; the rest of it is zeros. Returns
 * how many bytes were written: at most `bytes`, and up to `end`. */
static uint64_t copy_part(const void *from,
                          uint64_t size,
                          uint64_t at,
                          uint64_t end,
                          uint64_t bytes,
                          char *into)
{
    uint64_t count = smaller(end - at, bytes);
    uint64_t real = at < size ? smaller(size - at, count) : 0;

    memcpy(into, (const char *)from + at, real);
    memset(into + real, 0, count - real);
    return count;
}

static uint64_t read_row(struct token_flow *flow,
                         uint64_t number,
                         uint64_t at,
                         uint64_t bytes,
                         char *into)
{
    struct token_head head = {0};
    const char *row = flow->way->send(flow, number, &head);
    uint64_t done = 0;

    if (at < sizeof(head))
        done = copy_part(&head, sizeof(head), at, sizeof(head), bytes, into);
    if (done == bytes)
        return done;
    return done + copy_part(row, flow->row_bytes, at + done - sizeof(head),
                            entry_bytes(flow) - sizeof(head), bytes - done,
                            into + done);
}

static void read_message(struct npu_sim_stream *stream,
                         uint32_t rank,
                         uint64_t at,
                         uint64_t bytes,
                         void *into)
{
    struct token_flow *flow = (struct token_flow *)(void *)stream;
    const struct mc2_tiling *t = flow->body.tiling;
    uint64_t head = head_bytes(flow, rank), entry = entry_bytes(flow);
    char *next = into;

    while (bytes > 0) {
        uint64_t done = at < head
                            ? copy_part(flow->counts + counts_at(t, rank),
                                        tokens_experts_of(t, rank) * sizeof(uint32_t),
                                        at, head, bytes, next)
                            : read_row(flow, flow->first[rank] + (at - head) / entry,
                                       (at - head) % entry, bytes, next);

        at += done;
        bytes -= done;
        next += done;
    }
}

/* A head of a row lies in one piece, since pieces are multiples of its size. */
static void take_rows(struct token_flow *flow,
                      uint32_t rank,
                      uint64_t at,
                      const char *from,
                      uint64_t bytes)
{
    uint64_t entry = entry_bytes(flow), done;

    for (; bytes > 0; at += done, from += done, bytes -= done) {
        uint64_t within = at % entry, of_row;
        struct token_head head;

        if (within == 0) {
            memcpy(&head, from, sizeof(head));
            flow->into[rank] = flow->way->place(flow, rank, &head);
            done = sizeof(head);
            continue;
        }
        within -= sizeof(head);
        done = smaller(entry - sizeof(head) - within, bytes);
        of_row = within < flow->row_bytes ? smaller(flow->row_bytes - within, done) : 0;
        if (flow->into[rank])
            memcpy(flow->into[rank] + within, from, of_row);
    }
}

/* Reads the heads of all messages, which lie in their first pieces. */
static void take_counts(struct token_flow *flow, const struct npu_sim_received *pieces)
{
    const struct mc2_tiling *t = flow->body.tiling;
    uint32_t e = tokens_experts_of(t, (uint32_t)t->number[TOKENS_RANK]);

    for (uint32_t rank = 0; rank < t->number[TOKENS_RANKS]; rank++)
        memcpy(flow->received + (size_t)rank * e, pieces[rank].from,
               e * sizeof(uint32_t));
    flow->way->count(flow);
}

static void take_messages(struct npu_sim_stream *stream,
                          uint64_t at,
                          const struct npu_sim_received *pieces)
{
    struct token_flow *flow = (struct token_flow *)(void *)stream;
    const struct mc2_tiling *t = flow->body.tiling;
    uint64_t head = head_bytes(flow, (uint32_t)t->number[TOKENS_RANK]);
    uint64_t skipped = at == 0 ? head : 0;

    if (skipped > 0)
        take_counts(flow, pieces);
    for (uint32_t rank = 0; rank < t->number[TOKENS_RANKS]; rank++)
        if (pieces[rank].bytes > skipped)
            take_rows(flow, rank, at + skipped - head,
                      (const char *)pieces[rank].from + skipped,
                      pieces[rank].bytes - skipped);
}

struct token_flow *token_flow_open(const struct body *body,
                                   const struct token_flow_way *way,
                                   uint64_t row_bytes)
{
    const struct mc2_tiling *t = body->tiling;
    struct token_flow *flow = token_flow_of(body);
    uint64_t scratch = (uintptr_t)flow + aligned(sizeof(*flow));
    uint64_t tables = scratch + aligned(row_bytes);

    *flow = (struct token_flow){
        .stream = {read_message, take_messages},
        .body = *body,
        .way = way,
        .row_bytes = row_bytes,
        .scratch = (char *)(uintptr_t)scratch,
        .rows = (uint64_t *)(uintptr_t)(tables + aligned(table_bytes(t))),
        .next = (uint64_t *)(uintptr_t)tables,
    };
    flow->received = (uint32_t *)(flow->next + received_counts(t));
    flow->counts = flow->received + received_counts(t);
    memset(flow->counts, 0, experts_of_all(t) * sizeof(*flow->counts));
    memset(flow->received, 0, received_counts(t) * sizeof(*flow->received));
    return flow;
}

void token_flow_parts(const struct body *body,
                      uint32_t turn,
                      struct npu_sim_part *parts)
{
    const struct token_flow *flow = token_flow_of(body);

    (void)turn;
    for (uint32_t rank = 0; rank < body->context->ranks; rank++)
        parts[rank].from_bytes =
            head_bytes(flow, rank) +
            (flow->first[rank + 1] - flow->first[rank]) * entry_bytes(flow);
}

struct npu_sim_stream *token_flow_stream(const struct body *body)
{
    return &token_flow_of(body)->stream;
}
