/* captures_internal.h - the inside of a capture database, for captures*.c */
#ifndef LIB_STORE_CAPTURES_INTERNAL_H
#define LIB_STORE_CAPTURES_INTERNAL_H

#include <zstd.h>

#include "lib/store/captures.h"
#include "lib/store/db.h"

struct captures {
    struct db db;
    ZSTD_DCtx *zstd;
    uint8_t *raw;   /* what was decompressed last: CAPTURE_GROUP_MAX */
    uint8_t *other; /* the same, of a group that it is compared with */
};

/* The bytes of a group as they were written: `group->bytes`, or `raw` with them. */
int captures_unpack(struct captures *captures,
                    const struct captures_group *group,
                    uint8_t *raw,
                    const uint8_t **bytes,
                    struct err *err);
/* The index rows of a checked group; begins a transaction. */
int captures_index(struct captures *captures,
                   const struct captures_group *group,
                   const uint8_t *bytes,
                   struct err *err);

#endif
