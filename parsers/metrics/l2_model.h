/* l2_model.h - model of the L2 cache, equal to that of the vendor's tool
 *
 * The model has no time, only hits and misses: lines of 512 bytes, 24 ways, and the
 * number of sets of the chip. It evicts the least recently used line, and writes
 * allocate. */
#ifndef PARSERS_METRICS_L2_MODEL_H
#define PARSERS_METRICS_L2_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { L2_LINE_BYTES = 512, L2_WAYS = 24 };

struct l2_model;

/* Returns NULL when the number of sets of the chip is not published. */
struct l2_model *l2_model_create(const char *soc);
void l2_model_destroy(struct l2_model *model); /* NULL is allowed */
size_t l2_model_sets(const struct l2_model *model);
/* result of an access; evicting a line that was stored to writes it back */
struct l2_access {
    size_t set;
    bool is_hit, evicts, writes_back;
};
struct l2_access
l2_model_access(struct l2_model *model, uint64_t address, bool is_store);

#endif
