/* structures.h - divides a step into layers, by the marks of the program, else by the
 * kernels of attention, else by the kernels that repeat most evenly, else by long gaps
 *
 * A layer begins with an attention kernel and ends before the next one. A layer that is
 * unlike the others ends a pass: what it has in common with them is its body, and the
 * rest is a part between two passes. Unlike layers that occur next to each other, or
 * that are more than a third of all, are a variant of the layer: layer_b, layer_c. A
 * step that nothing divides is one part. */
#ifndef PARSERS_ANOMALY_STRUCTURES_H
#define PARSERS_ANOMALY_STRUCTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"
#include "parsers/framework/kernel_list.h"

enum structure_kind {
    STRUCTURE_PROLOGUE,
    STRUCTURE_LAYER,
    STRUCTURE_LAYER_GRAD,
    STRUCTURE_BETWEEN_PASS,
    STRUCTURE_EPILOGUE,
    STRUCTURE_STEP_BODY,
    STRUCTURE_PART, /* between two long gaps */
    STRUCTURE_KIND_COUNT,
};

/* How the parts were found; the later ones are less certain. */
enum structure_method {
    STRUCTURES_BY_MARKS,
    STRUCTURES_BY_ATTENTION,
    STRUCTURES_BY_REPETITION,
    STRUCTURES_BY_GAPS,
    STRUCTURES_NONE,
};

struct structure {
    enum structure_kind kind;
    unsigned variant;    /* of a layer; 0 is the usual one */
    unsigned number;     /* within its kind, variant and step, from 0 */
    size_t first, count; /* places in `kernels` of struct structures */
    bool ends_pass;
    int64_t start, end; /* ns; end is the latest end of its kernels */
    int64_t busy, kernel_sum, total_cost;
    int64_t class_sums[UNIT_CLASS_COUNT]; /* durations */
};

/* Consecutive layers of one kind, up to one that ends the pass. */
struct pass {
    enum structure_kind kind;
    size_t layers;
};

struct structures {
    enum structure_method method;
    size_t *kernels; /* places in the list of kernels, without shadows */
    size_t kernel_count;
    struct structure *rows; /* by time */
    size_t count;
    struct pass *passes;
    size_t pass_count;
    /* Of the layers and their gradients: length of the usual layer, and how many layers
     * are equal to it. */
    size_t template_length[STRUCTURE_KIND_COUNT], equal_count[STRUCTURE_KIND_COUNT];
};

enum { STRUCTURE_VARIANTS_MAX = 26 };

/* Divides the kernels [first, first + count); tokens are per kernel of the list, as are
 * the numbers of the marked layers, from 1, or 0; NULL: no layer is marked. */
void structures_find(struct structures *structures,
                     const struct kernel_list *kernels,
                     const uint32_t *tokens,
                     const uint32_t *marks,
                     size_t first,
                     size_t count);
void structures_clear(struct structures *structures);
const char *structure_method_name(enum structure_method method);
const char *structure_kind_name(enum structure_kind kind);
/* Adds the type: "layer", "layer_b", "prologue" ... */
void structure_add_type(struct text *out, const struct structure *structure);

#endif
