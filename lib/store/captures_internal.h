/* captures_internal.h - struct captures, for captures.c and captures_files.c */
#ifndef LIB_STORE_CAPTURES_INTERNAL_H
#define LIB_STORE_CAPTURES_INTERNAL_H

#include <zstd.h>

#include "lib/sqlite/db.h"
#include "lib/store/captures.h"

struct captures {
    struct db db;
    ZSTD_DCtx *zstd;
    uint8_t *raw;   /* buffer for a decompressed group: CAPTURE_GROUP_MAX bytes */
    uint8_t *other; /* the same, for a second group that is compared with it */
};

/* Sets *bytes to the decompressed group: group->bytes, or `raw` after decompression. */
int captures_unpack(struct captures *captures,
                    const struct captures_group *group,
                    uint8_t *raw,
                    const uint8_t **bytes,
                    struct err *err);
/* Inserts the index rows of a checked group; begins a transaction if needed. */
int captures_index(struct captures *captures,
                   const struct captures_group *group,
                   const uint8_t *bytes,
                   struct err *err);

#endif
