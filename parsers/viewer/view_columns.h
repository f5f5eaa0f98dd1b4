/* view_columns.h - the columns of lines and instructions: types, and the value of a
 * core
 *
 * A block names its columns with a type code. A block of an older writer has no types
 * and a fixed list of columns. */
#ifndef PARSERS_VIEWER_VIEW_COLUMNS_H
#define PARSERS_VIEWER_VIEW_COLUMNS_H

#include "lib/base/map.h"
#include "parsers/viewer/view_call.h"

/* Type codes of columns. */
enum view_column {
    VIEW_SKIP = 0,
    VIEW_INT = 1,
    VIEW_REAL = 2,
    VIEW_TEXT = 3,
    VIEW_PERCENT = 4,
    VIEW_JSON = 5,
    VIEW_DETAILS = 100,
};

/* Progress of the registers from one instruction to the next. */
struct view_registers {
    struct map *runs; /* name -> struct view_run */
    struct arena *arena;
    uint64_t instruction;
};

/* Writes the columns of a row that `types`, an object, names. The value of a core is
 * the element `core` of a list. */
void put_columns(struct json_write *json,
                 const struct json_node *types,
                 const struct json_node *row,
                 size_t core,
                 struct view_registers *registers);
/* Returns the element of the core, the first element, or the value itself. */
const struct json_node *view_value_of_core(const struct json_node *value, size_t core);
/* Writes the pairs of addresses of a line. */
void put_address_ranges(struct json_write *json, const struct json_node *ranges);
/* Writes a value as it is. */
void put_tree(struct json_write *json, const struct json_node *node);
/* Writes the value as a whole number; 0 when it is none. */
void put_whole(struct json_write *json, const struct json_node *node);

#endif
