/* l2_model.h - a cache as the vendor's tool models it: which transfers would hit
 *
 * Functional, without time: lines of 512 bytes, 24 ways, as many sets as the chip has;
 * the line used longest ago leaves; what is written is fetched as well. */
#ifndef PARSERS_METRICS_L2_MODEL_H
#define PARSERS_METRICS_L2_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { L2_LINE_BYTES = 512, L2_WAYS = 24 };

struct l2_model;

/* NULL: nobody has published how many sets this chip has. */
struct l2_model *l2_model_create(const char *soc);
void l2_model_destroy(struct l2_model *model); /* NULL is welcome */
size_t l2_model_sets(const struct l2_model *model);
/* What a touch came to; a line that was stored to is written back when it leaves. */
struct l2_access {
    size_t set;
    bool is_hit, evicts, writes_back;
};
struct l2_access
l2_model_access(struct l2_model *model, uint64_t address, bool is_store);

#endif
