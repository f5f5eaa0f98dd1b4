#include "parsers/findings/token_figures.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t token_rows_of_expert(const struct source_tokens *tokens, uint32_t expert)
{
    uint64_t sum = 0;

    for (uint32_t rank = 0; rank < tokens->ranks; rank++)
        sum += tokens->rows[(size_t)expert * tokens->ranks + rank];
    return sum;
}

uint64_t token_rows_of_rank(const struct source_tokens *tokens, uint32_t rank)
{
    uint64_t sum = 0;

    for (uint32_t expert = 0; expert < tokens->experts; expert++)
        sum += tokens->rows[(size_t)expert * tokens->ranks + rank];
    return sum;
}

uint64_t token_rows(const struct source_tokens *tokens)
{
    uint64_t sum = 0;

    for (uint32_t expert = 0; expert < tokens->experts; expert++)
        sum += token_rows_of_expert(tokens, expert);
    return sum;
}

double token_imbalance(const struct source_tokens *tokens)
{
    uint64_t most = 0, sum = token_rows(tokens);

    for (uint32_t expert = 0; expert < tokens->experts; expert++) {
        uint64_t rows = token_rows_of_expert(tokens, expert);

        most = rows > most ? rows : most;
    }
    return sum ? (double)most * tokens->experts / (double)sum : 0;
}

static void each_expert(const struct source_tokens *tokens, figure_fn *fn, void *arg)
{
    char name[64];

    for (uint32_t i = 0; i < tokens->experts && i < TOKEN_FIGURES_MAX; i++) {
        if (tokens->is_shared)
            snprintf(name, sizeof(name), "moe_tokens_shared_expert");
        else
            snprintf(name, sizeof(name), "moe_tokens_expert_%" PRIu32,
                     tokens->first_expert + i);
        fn(name, (double)token_rows_of_expert(tokens, i), "count", arg);
    }
}

static void each_rank(const struct source_tokens *tokens, figure_fn *fn, void *arg)
{
    char name[64];

    for (uint32_t rank = 0; rank < tokens->ranks && rank < TOKEN_FIGURES_MAX; rank++) {
        uint64_t rows = token_rows_of_rank(tokens, rank);

        snprintf(name, sizeof(name), "moe_tokens_rank_%" PRIu32, rank);
        fn(name, (double)rows, "count", arg);
        if (rank == tokens->rank)
            continue;
        snprintf(name, sizeof(name), "moe_bytes_rank_%" PRIu32, rank);
        fn(name, (double)rows * (double)tokens->row_bytes, "bytes", arg);
    }
}

void token_figures_each(const struct source_tokens *tokens, figure_fn *fn, void *arg)
{
    double imbalance;

    if (tokens->experts == 0)
        return;
    fn("moe_tokens", (double)token_rows(tokens), "count", arg);
    imbalance = token_imbalance(tokens);
    if (imbalance > 0)
        fn("moe_imbalance", imbalance, "ratio", arg);
    each_expert(tokens, fn, arg);
    each_rank(tokens, fn, arg);
}
