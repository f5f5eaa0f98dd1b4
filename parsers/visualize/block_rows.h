/* block_rows.h - a block of the operator as the views draw it
 *
 * Of a mix operator the cube and the vectors of a block are one entry; of any other
 * each row is one. The one core of a 310P stands as the cube. */
#ifndef PARSERS_VISUALIZE_BLOCK_ROWS_H
#define PARSERS_VISUALIZE_BLOCK_ROWS_H

#include "lib/base/json_write.h"
#include "parsers/metrics/measure.h"

enum side { SIDE_CUBE, SIDE_VECTOR0, SIDE_VECTOR1, SIDE_ALL };
enum { SIDES = 3 };

struct block_rows {
    uint32_t block;
    const struct pmu_row *rows[SIDES]; /* NULL: not there */
};

/* Start with *at = 0. */
bool block_rows_next(const struct measure *measure,
                     size_t *at,
                     struct block_rows *entry);
size_t block_rows_count(const struct measure *measure);

/* The row itself; of SIDE_ALL the first that is there. May be NULL. */
const struct pmu_row *block_rows_row(const struct block_rows *entry, enum side side);
/* Sum of the terms; over all rows that are there for SIDE_ALL. */
struct value block_rows_sum(const struct measure *measure,
                            const struct block_rows *entry,
                            enum side side,
                            const char *terms);
/* The row in which the unit of a side counted: the one core of a 310P has both units in
 * its one row. May be NULL. */
const struct pmu_row *block_rows_unit_row(const struct measure *measure,
                                          const struct block_rows *entry,
                                          enum side side);
/* Percent of its row's cycles that the unit of a side worked; *cycles in which. */
struct value block_rows_unit_share(const struct measure *measure,
                                   const struct pmu_row *row,
                                   enum side side,
                                   struct value *cycles);
/* What goes over GM to L2 and back, in requests: with the L2 counters, if known. */
struct value block_rows_gm_to_l2(const struct measure *measure,
                                 const struct block_rows *entry);
struct value block_rows_l2_to_gm(const struct measure *measure,
                                 const struct block_rows *entry,
                                 size_t entries);

/* Hits and misses of the L2 cache. */
enum l2_side { L2_WRITE, L2_READ, L2_TOTAL };
struct hits {
    struct value hit, miss, total, rate; /* percent */
};
struct hits block_rows_l2(const struct measure *measure,
                          const struct block_rows *entry,
                          enum l2_side side);
struct hits hits_of(struct value hit, struct value miss);

/* "core_no" and the like: the block as text, NA on the 310P. */
void block_rows_write_block(struct json_write *json,
                            const struct measure *measure,
                            const struct block_rows *entry);
/* A number, or the text NA. */
void value_write(struct json_write *json, struct value value);
/* As text, whatever it is. */
void value_write_text(struct json_write *json, struct value value);

#endif
