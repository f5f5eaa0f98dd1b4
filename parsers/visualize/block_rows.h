/* block_rows.h - the counter rows of one block of the operator
 *
 * In a mix operator the cube and the vectors of a block form one entry. In other
 * operators each row is an entry. The only core of a 310P counts as the cube. */
#ifndef PARSERS_VISUALIZE_BLOCK_ROWS_H
#define PARSERS_VISUALIZE_BLOCK_ROWS_H

#include "lib/base/json_write.h"
#include "parsers/metrics/measure.h"

enum side { SIDE_CUBE, SIDE_VECTOR0, SIDE_VECTOR1, SIDE_ALL };
enum { SIDES = 3 };

struct block_rows {
    uint32_t block;
    const struct pmu_row *rows[SIDES]; /* NULL: the block has no such core */
};

/* Reads the next entry. The first call needs *at = 0. Returns false after the last. */
bool block_rows_next(const struct measure *measure,
                     size_t *at,
                     struct block_rows *entry);
size_t block_rows_count(const struct measure *measure);

/* Returns the row of a side, or the first row for SIDE_ALL. May return NULL. */
const struct pmu_row *block_rows_row(const struct block_rows *entry, enum side side);
/* Returns the sum of the terms for a side, or for all rows with SIDE_ALL. */
struct value block_rows_sum(const struct measure *measure,
                            const struct block_rows *entry,
                            enum side side,
                            const char *terms);
/* Returns the row with the counters of a side's unit. The only row of a 310P has the
 * counters of both units. May return NULL. */
const struct pmu_row *block_rows_unit_row(const struct measure *measure,
                                          const struct block_rows *entry,
                                          enum side side);
/* Returns the percentage of the row's cycles in which the unit was active. Stores these
 * cycles in *cycles. */
struct value block_rows_unit_share(const struct measure *measure,
                                   const struct pmu_row *row,
                                   enum side side,
                                   struct value *cycles);
/* Return the requests from GM to L2 and from L2 to GM. */
struct value block_rows_gm_to_l2(const struct measure *measure,
                                 const struct block_rows *entry);
struct value block_rows_l2_to_gm(const struct measure *measure,
                                 const struct block_rows *entry,
                                 size_t entries);

/* Return hits and misses of the L2 cache. */
enum l2_side { L2_WRITE, L2_READ, L2_TOTAL };
struct hits {
    struct value hit, miss, total, rate; /* percent */
};
struct hits block_rows_l2(const struct measure *measure,
                          const struct block_rows *entry,
                          enum l2_side side);
struct hits hits_from(struct value hit, struct value miss);

/* Writes the number of the block as text; NA for a 310P. */
void block_rows_write_block(struct json_write *json,
                            const struct measure *measure,
                            const struct block_rows *entry);
/* Writes a number, or the text NA. */
void value_write(struct json_write *json, struct value value);
/* Writes the value as text. */
void value_write_text(struct json_write *json, struct value value);

#endif
