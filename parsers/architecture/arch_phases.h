/* arch_phases.h - which attention kernels belong to prefill, and where passes begin */
#ifndef PARSERS_ARCHITECTURE_ARCH_PHASES_H
#define PARSERS_ARCHITECTURE_ARCH_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An attention kernel; the caller sets the first three. */
struct arch_attention {
    int64_t start, duration; /* ns */
    double queries;          /* first dimension of its first input; 0: unknown */
    bool samples_before;     /* a token was chosen since the attention kernel before */
    bool is_prefill;
};

/* Sets is_prefill. Returns true when the durations decide alone: prefill is longer than
 * 10 ms and decode is shorter than 1 ms. */
bool arch_phases_find(struct arch_attention *rows, size_t count);
/* Sets begins[i] for the first attention kernel of each pass. Returns their number. */
size_t arch_passes_find(const struct arch_attention *rows, size_t count, bool *begins);

#endif
