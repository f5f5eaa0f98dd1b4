/* token_figures.h - the tokens that a launch brought to the experts of its rank
 *
 * moe_tokens             rows of all experts of the rank
 * moe_imbalance          rows of the busiest expert over their mean
 * moe_tokens_expert_N    rows of expert N, counted over all ranks
 * moe_tokens_shared_expert
 *                        the same for a shared expert, which has no number
 * moe_tokens_rank_N      rows that came from rank N
 * moe_bytes_rank_N       bytes that came from rank N, not from this rank itself */
#ifndef PARSERS_FINDINGS_TOKEN_FIGURES_H
#define PARSERS_FINDINGS_TOKEN_FIGURES_H

#include <stdint.h>

#include "parsers/findings/figure_fn.h"
#include "parsers/source/source.h"

/* More experts or ranks get no figures of their own. */
enum { TOKEN_FIGURES_MAX = 256 };

uint64_t token_rows(const struct source_tokens *tokens);
uint64_t token_rows_of_expert(const struct source_tokens *tokens, uint32_t expert);
uint64_t token_rows_of_rank(const struct source_tokens *tokens, uint32_t rank);
/* Returns 0 when no expert has rows. */
double token_imbalance(const struct source_tokens *tokens);

/* Reports the figures; none for a launch that brings no tokens. */
void token_figures_each(const struct source_tokens *tokens, figure_fn *fn, void *arg);

#endif
