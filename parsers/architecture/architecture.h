/* architecture.h - the model behind a capture: passes, layers, their types and roles
 *
 * With FusedInferAttentionScore (FIA) kernels, a layer begins with each of them, and
 * passes are prefill and decode. Without, the layers of a training step are used, and
 * the passes are forward and backward. */
#ifndef PARSERS_ARCHITECTURE_ARCHITECTURE_H
#define PARSERS_ARCHITECTURE_ARCHITECTURE_H

#include "parsers/anomaly/analysis.h"
#include "parsers/architecture/kernel_features.h"

enum arch_phase {
    PHASE_PREFILL,
    PHASE_DECODE,
    PHASE_FORWARD,
    PHASE_BACKWARD,
    PHASE_COUNT,
};

struct arch_layer {
    enum arch_phase phase;
    size_t type;         /* place in the types */
    size_t first, count; /* in the rows */
    int64_t start, end;  /* ns; end is the latest end of its kernels */
    int64_t attention;   /* duration of its first kernel */
};

struct arch_pass {
    size_t first, count; /* layers */
    size_t phase_counts[PHASE_COUNT];
    size_t first_row, row_count; /* kernels, also those after the last layer */
    int64_t start, end;
    bool is_partial; /* another number of layers than most passes */
};

/* All layers of one type. */
struct arch_type {
    char *name; /* "MoE+DFC", "Decode MoE+GMM", "Dense" ... */
    enum arch_phase phase;
    size_t count;
    size_t typical; /* the layer with the median wall time */
    int64_t least, most;
};

/* A count that must agree with the layers of a pass. */
struct arch_check {
    size_t pass;
    const char *op;
    size_t count, expected;
    size_t per_layer; /* calls in a layer, where that is a whole number; else 0 */
    bool passes;
};

struct architecture {
    const struct analysis *analysis; /* borrowed */
    bool has_fia;
    bool phases_are_sure; /* by the durations of 10 ms and 1 ms */
    size_t *rows;         /* places in the list of kernels, without shadows */
    size_t row_count;
    struct arch_layer *layers;
    size_t layer_count;
    struct arch_pass *passes;
    size_t pass_count;
    size_t pass_size; /* layers of most passes */
    struct arch_type *types;
    size_t type_count;
    struct arch_check *checks;
    size_t check_count;
    struct kernel_features *features;
};

struct architecture *architecture_create(const struct analysis *analysis);
void architecture_destroy(struct architecture *architecture); /* NULL is allowed */

const char *arch_phase_name(enum arch_phase phase);
const struct kernel *architecture_kernel(const struct architecture *architecture,
                                         size_t row);
/* Calls of kernels with this feature among the rows. */
size_t architecture_count(const struct architecture *architecture,
                          size_t first,
                          size_t count,
                          enum kernel_feature feature);

#endif
