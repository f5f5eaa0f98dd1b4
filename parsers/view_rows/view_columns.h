/* view_columns.h - the columns of lines and instructions: types, and the value of a
 * core
 *
 * A block names its columns with a type code. A block of an older writer has no types
 * and a fixed list of columns. */
#ifndef PARSERS_VIEWER_VIEW_COLUMNS_H
#define PARSERS_VIEWER_VIEW_COLUMNS_H

#include "lib/base/json_read.h"
#include "lib/base/json_tree.h"
#include "lib/base/json_write.h"
#include "lib/base/map.h"
#include "lib/base/text.h"

/* Type codes of columns. */
enum view_column_type {
    VIEW_SKIP = 0,
    VIEW_INT = 1,
    VIEW_REAL = 2,
    VIEW_TEXT = 3,
    VIEW_PERCENT = 4,
    VIEW_JSON = 5,
    VIEW_DETAILS = 100,
    VIEW_RANGES = 1000, /* not in a file: the pairs of addresses of a line */
};
#define VIEW_RANGES_KEY "Address Range"

/* Progress of the registers from one instruction to the next. */
struct view_registers {
    struct map *runs; /* name -> struct view_run */
    struct arena *arena;
    uint64_t instruction;
};

/* Copies rows of a block, token by token, with the columns that a client reads. */
struct view_columns {
    struct view_column {
        const char *key;
        const char *quoted; /* the key as JSON, with quotes and colon */
        size_t quoted_length;
        int64_t type;
        uint64_t row; /* the last one that had this column */
    } * list;
    size_t count, next;
    size_t core; /* the element of a list that is the value */
    uint64_t row;
    struct view_registers *registers; /* or NULL */
    struct arena *arena;              /* for one value */
    struct arena *keys;               /* the quoted keys */
    struct text kept;                 /* texts until they are written */
};

/* Reads the types, an object of names and codes, which must exist as long as the
 * columns. Returns false when there are no types. */
bool view_columns_init(struct view_columns *columns,
                       const struct json_node *types,
                       size_t core,
                       struct view_registers *registers);
/* Adds the column VIEW_RANGES_KEY, which each row then has. */
void view_columns_add_ranges(struct view_columns *columns);
void view_columns_clear(struct view_columns *columns);
/* Copies the members of a row, after JSON_OBJECT was read, into an open object. */
int view_columns_copy(struct view_columns *columns,
                      struct json_read *read,
                      struct json_write *json,
                      struct err *err);
/* Returns the element of the core, the first element, or the value itself. */
const struct json_node *view_value_of_core(const struct json_node *value, size_t core);
/* Writes the pairs of addresses of a line. */
void put_address_ranges(struct json_write *json, const struct json_node *ranges);
/* Writes a value as it is. */
void put_tree(struct json_write *json, const struct json_node *node);
/* Writes the value as a whole number; 0 when it is none. */
void put_whole(struct json_write *json, const struct json_node *node);

#endif
