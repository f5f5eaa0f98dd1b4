/* iree_cells.h - the cells of a row, which are made from left to right */
#ifndef PARSERS_IREE_OUTPUT_IREE_CELLS_H
#define PARSERS_IREE_OUTPUT_IREE_CELLS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum iree_cell_kind {
    IREE_CELL_NONE, /* unknown, or does not apply */
    IREE_CELL_COUNT,
    IREE_CELL_SIGNED, /* `number` is an int64_t */
    IREE_CELL_WIDE,   /* a number that may exceed 2^53: a text in JSON */
    IREE_CELL_HEX,    /* an address */
    IREE_CELL_REAL,
    IREE_CELL_BOOL,
    IREE_CELL_TEXT, /* `bytes` bytes, not NUL-terminated */
};

struct iree_cell {
    enum iree_cell_kind kind;
    uint64_t number;
    double real;
    const char *text;
    size_t bytes;
};

enum { IREE_COLUMNS_MAX = 28 };

/* Gets one row with a cell per column. Returns false to stop. */
typedef bool iree_row_fn(const struct iree_cell *cells, void *arg);

struct iree_cells {
    struct iree_cell cells[IREE_COLUMNS_MAX];
    size_t count;
    iree_row_fn *fn;
    void *arg;
};

static inline struct iree_cell *iree_cells_next(struct iree_cells *row,
                                                enum iree_cell_kind kind)
{
    struct iree_cell *cell = &row->cells[row->count++];

    assert(row->count <= IREE_COLUMNS_MAX);
    *cell = (struct iree_cell){.kind = kind};
    return cell;
}

static inline void iree_cells_none(struct iree_cells *row)
{
    iree_cells_next(row, IREE_CELL_NONE);
}

static inline void
iree_cells_number(struct iree_cells *row, enum iree_cell_kind kind, uint64_t number)
{
    iree_cells_next(row, kind)->number = number;
}

static inline void iree_cells_count(struct iree_cells *row, uint64_t number)
{
    iree_cells_number(row, IREE_CELL_COUNT, number);
}

static inline void iree_cells_signed(struct iree_cells *row, int64_t number)
{
    iree_cells_number(row, IREE_CELL_SIGNED, (uint64_t)number);
}

static inline void iree_cells_real(struct iree_cells *row, double real)
{
    iree_cells_next(row, IREE_CELL_REAL)->real = real;
}

static inline void
iree_cells_bytes(struct iree_cells *row, const char *text, size_t bytes)
{
    struct iree_cell *cell = iree_cells_next(row, IREE_CELL_TEXT);

    cell->text = text;
    cell->bytes = bytes;
}

static inline void iree_cells_text(struct iree_cells *row, const char *text)
{
    iree_cells_bytes(row, text, strlen(text));
}

/* Delivers the row and begins the next one. */
static inline bool iree_cells_end(struct iree_cells *row)
{
    row->count = 0;
    return row->fn(row->cells, row->arg);
}

#endif
