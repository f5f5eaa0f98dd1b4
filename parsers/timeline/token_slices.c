#include "parsers/timeline/token_slices.h"

#include <inttypes.h>
#include <stdio.h>

#include "parsers/findings/token_figures.h"

static void write_args(struct slice_args *json, const void *record)
{
    const struct source_tokens *tokens = record;
    char key[40];

    slice_arg_u64(json, "tokens", token_rows(tokens));
    slice_arg_fixed(json, "imbalance", token_imbalance(tokens));
    for (uint32_t i = 0; i < tokens->experts && i < TOKEN_FIGURES_MAX; i++) {
        if (tokens->is_shared)
            snprintf(key, sizeof(key), "shared expert");
        else
            snprintf(key, sizeof(key), "expert %" PRIu32, tokens->first_expert + i);
        slice_arg_u64(json, key, token_rows_of_expert(tokens, i));
    }
    for (uint32_t rank = 0; rank < tokens->ranks && rank < TOKEN_FIGURES_MAX; rank++) {
        if (rank == tokens->rank)
            continue;
        snprintf(key, sizeof(key), "bytes from rank %" PRIu32, rank);
        slice_arg_u64(json, key, token_rows_of_rank(tokens, rank) * tokens->row_bytes);
    }
}

void token_slices_add(struct trace_writer *trace,
                      const struct findings *findings,
                      const struct timeline_view *view)
{
    const struct source_tokens *tokens = &findings->launch->tokens;

    if (tokens->experts == 0 || findings->launch->as_vendor ||
        !findings->durations.has_duration)
        return;
    slice_add(trace, view,
              &(struct slice){
                  .pid = slice_pid(SLICE_AI_CORE),
                  .tid = "tokens",
                  .name = "tokens of the experts",
                  .start_ticks = findings->durations.start_ticks,
                  .end_ticks = findings->durations.end_ticks,
                  .args = write_args,
                  .record = tokens,
              });
}
