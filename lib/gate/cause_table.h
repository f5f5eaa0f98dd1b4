/* cause_table.h - shifts by point and card, and the effects that explain them
 *
 * The table has a row per kernel and point and a column per card. Median polish divides
 * it into points (code), cards, hosts and all cells. When at least half of the cards,
 * or of the points, did not change, the others did: a change of half of the table is
 * not divided between both halves. */
#ifndef LIB_GATE_CAUSE_TABLE_H
#define LIB_GATE_CAUSE_TABLE_H

#include <stddef.h>

#include "lib/compare/comparison.h"
#include "lib/verdict/cause/effects.h"

struct cause_table;

/* Reads the compared cells of the metric. */
struct cause_table *
cause_table_create(const struct comparison_row *rows, size_t total, const char *metric);
void cause_table_destroy(struct cause_table *table); /* NULL is allowed */

const char *cause_table_metric(const struct cause_table *table);
size_t cause_table_kernels(const struct cause_table *table); /* different kernels */
size_t cause_table_cards(const struct cause_table *table);
size_t cause_table_hosts(const struct cause_table *table);

enum { CAUSE_TABLE_EFFECTS_MAX = 4 };
/* Writes the effects that make this cell worse, largest first; returns their number. */
size_t cause_table_explain(const struct cause_table *table,
                           const struct comparison_row *cell,
                           struct effect out[CAUSE_TABLE_EFFECTS_MAX]);

#endif
