/* mark_names.h - reads the names that a user gives to the marks of a kernel
 *
 * The file has the JSON format of the vendor's tool: {"mc2_trace_config":
 * {"enable_block_time": false, "descid_display": {"65541": "all_gather", "0x10006":
 * "end"}}}. Ids are decimal, or hexadecimal after 0x. Unknown keys and invalid values
 * are errors with line and column. */
#ifndef LIB_MARKS_MARK_NAMES_H
#define LIB_MARKS_MARK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum {
    MARK_NAMES_MAX = 1024,
    MARK_NAME_LETTERS = 64,
    MARK_NAMES_BYTES_MAX = 10 << 20, /* limit for the file */
};

struct mark_name {
    uint32_t id;
    char name[MARK_NAME_LETTERS + 1];
};

struct mark_names {
    bool hides_blocks;      /* draw only start and end of a block, not a slice */
    struct mark_name *rows; /* by id */
    size_t count;
};

int mark_names_read(struct mark_names *out, const char *path, struct err *err);
/* Reads the same format from `text`; errors name `place` as the file. */
int mark_names_parse(struct mark_names *out,
                     const char *place,
                     const char *text,
                     size_t size,
                     struct err *err);
void mark_names_clear(struct mark_names *names);
/* Returns the name, or NULL. */
const char *mark_names_find(const struct mark_names *names, uint32_t id);

#endif
