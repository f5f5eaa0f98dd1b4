/* token_flow.h - moves rows of tokens between the ranks, without a copy of them
 *
 * A rank has one message for each rank: optionally a head with the number of rows for
 * each expert of the receiver, and then rows of equal length; each row has a head, too.
 * The messages exist only in the windows: rows are read from their tensor, and written
 * where they belong. */
#ifndef SIM_FUSED_SHARED_TOKEN_FLOW_H
#define SIM_FUSED_SHARED_TOKEN_FLOW_H

#include "sim/fused/shared/tokens.h"

/* The head of a row. */
struct token_head {
    int32_t token, k; /* or the expert and the index among its rows */
    float dynamic_scale, expert_scale;
};

struct token_flow;

/* Functions of an operator. A sent row has a number, counted over all ranks. */
struct token_flow_way {
    /* Sets *head, and returns the address of the row's bytes. They may be in
     * flow->scratch. */
    const char *(*send)(struct token_flow *flow,
                        uint64_t number,
                        struct token_head *head);
    /* Runs when the numbers of rows of all ranks are known; NULL: messages have no
     * heads.
     */
    void (*count)(struct token_flow *flow);
    /* Returns where the next row of a rank belongs, or NULL to leave it out. */
    char *(*place)(struct token_flow *flow,
                   uint32_t rank,
                   const struct token_head *head);
};

/* Indexes of workspace_at. */
enum { TOKEN_FLOW_AT, TOKEN_FLOW_OWN };

/* At TOKEN_FLOW_AT in the workspace, with its arrays behind it. */
struct token_flow {
    struct npu_sim_stream stream; /* must be the first member */
    struct body body;
    const struct token_flow_way *way;
    uint64_t row_bytes;
    uint64_t first[NPU_SIM_COMM_RANKS + 1]; /* number of the first row for each rank */
    char *into[NPU_SIM_COMM_RANKS];         /* place of the last row from each rank */
    /* arrays in the workspace */
    char *scratch;
    uint64_t *rows;     /* one for each sent row: the operator's own number */
    uint32_t *counts;   /* sent rows of each expert of each rank: [rank x e + expert] */
    uint32_t *received; /* rows for each own expert from each rank, likewise */
    uint64_t *next;     /* the operator's own places, likewise */
};

/* Adds the flow to the workspace; `sent`: most rows that this rank sends. */
void token_flow_check(struct check *check, uint64_t row_bytes, uint64_t sent);
/* Clears the flow and returns it. The caller sets rows, first and counts. */
struct token_flow *token_flow_open(const struct body *body,
                                   const struct token_flow_way *way,
                                   uint64_t row_bytes);
/* Returns the flow of the running operator. */
struct token_flow *token_flow_of(const struct body *body);

/* Steps. */
void token_flow_parts(const struct body *body,
                      uint32_t turn,
                      struct npu_sim_part *parts);
struct npu_sim_stream *token_flow_stream(const struct body *body);

#endif
