/* key_table.h - a table of fixed-size rows, found by a pair of numbers
 *
 * Rows keep the order in which they were added. A pointer to a row is valid until the
 * next row is added. All zero but `row_bytes` and `most` is an empty table. */
#ifndef PARSERS_IREE_KEY_TABLE_H
#define PARSERS_IREE_KEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct key_table {
    size_t row_bytes; /* set by the caller */
    size_t most;      /* rows; set by the caller */
    size_t count, room;
    void *rows;
    uint64_t (*keys)[2];
    uint32_t *slots; /* number of the row + 1; 0: free */
    size_t slot_count;
};

/* Returns the row of this key, which is added with zeros; NULL when the table is full.
 */
void *key_table_put(struct key_table *table, uint64_t first, uint64_t second);
/* Returns NULL when there is no such row. */
void *key_table_get(const struct key_table *table, uint64_t first, uint64_t second);
void *key_table_at(const struct key_table *table, size_t index);
void key_table_clear(struct key_table *table);

#endif
