/* kinds.h - the names and sizes of the kinds of record in records.h; libc only */
#ifndef LIB_CAPTURE_FORMAT_KINDS_H
#define LIB_CAPTURE_FORMAT_KINDS_H

#include <stddef.h>

#include "lib/capture/format/records.h"

struct record_kind_row {
    enum record_kind kind;
    const char *type; /* as it stands in a capture: "run.rank" */
    size_t size;      /* of one record; 0: it varies, and starts with a u32 length */
    size_t least;     /* a record is never shorter */
};

/* NULL where there is none: a capture may come from a newer house. */
const struct record_kind_row *record_kind_get(unsigned kind);
const struct record_kind_row *record_kind_find(const char *type);

#endif
