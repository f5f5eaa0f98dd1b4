/* flatbuffer.h - reads a flatbuffer and checks each offset against its size
 *
 * A position is an offset from the start of the buffer. An error names the field, the
 * position, and the part that lies outside of the buffer. All pointers point into the
 * buffer, which the caller owns. */
#ifndef PARSERS_IREE_FLATBUFFER_H
#define PARSERS_IREE_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct flatbuffer {
    const uint8_t *bytes;
    uint64_t size;
};

struct flatbuffer_table {
    uint64_t at, size; /* of the table */
    uint64_t vtable, vtable_size;
};

struct flatbuffer_vector {
    uint64_t at; /* of the first element */
    uint32_t count;
};

/* Reads the root table. `identifier` has four characters. */
int flatbuffer_root(struct flatbuffer_table *out,
                    const struct flatbuffer *buffer,
                    const char *identifier,
                    struct err *err);
/* The next functions read field number `field` of a table; `name` is for the error. An
 * absent field has the value 0, "" or no elements. */
int flatbuffer_u32(uint32_t *out,
                   const struct flatbuffer *buffer,
                   const struct flatbuffer_table *table,
                   unsigned field,
                   const char *name,
                   struct err *err);
/* Returns the text with its NUL inside the buffer. */
int flatbuffer_text(const char **out,
                    uint32_t *length,
                    const struct flatbuffer *buffer,
                    const struct flatbuffer_table *table,
                    unsigned field,
                    const char *name,
                    struct err *err);
int flatbuffer_tables(struct flatbuffer_vector *out,
                      const struct flatbuffer *buffer,
                      const struct flatbuffer_table *table,
                      unsigned field,
                      const char *name,
                      struct err *err);
/* Reads the table with this index; `index` is below `vector->count`. */
int flatbuffer_element(struct flatbuffer_table *out,
                       const struct flatbuffer *buffer,
                       const struct flatbuffer_vector *vector,
                       uint32_t index,
                       const char *name,
                       struct err *err);

#endif
