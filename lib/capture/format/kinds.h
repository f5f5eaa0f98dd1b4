/* kinds.h - names and sizes of the record kinds of records.h; uses libc only */
#ifndef LIB_CAPTURE_FORMAT_KINDS_H
#define LIB_CAPTURE_FORMAT_KINDS_H

#include <stddef.h>

#include "lib/capture/format/records.h"

struct record_kind_row {
    enum record_kind kind;
    const char *type; /* the name in a capture: "run.rank" */
    size_t size;  /* of one record; 0: variable, the record starts with a u32 length */
    size_t least; /* minimum size of a record */
};

/* Both return NULL for an unknown kind, which a newer version may have written. */
const struct record_kind_row *record_kind_get(unsigned kind);
const struct record_kind_row *record_kind_find(const char *type);

#endif
