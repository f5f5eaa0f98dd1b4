/* pack.h - msgpack values, added behind what is in a text; cursor.h reads them */
#ifndef LIB_WIRE_PACK_H
#define LIB_WIRE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"

void pack_u64(struct text *out, uint64_t value);
void pack_i64(struct text *out, int64_t value);
void pack_bool(struct text *out, bool value);
void pack_f64(struct text *out, double value);
void pack_text(struct text *out, const char *text); /* NULL is "" */
void pack_bytes(struct text *out, const void *bytes, size_t size);
void pack_array(struct text *out, size_t items); /* which are packed next */
void pack_map(struct text *out, size_t pairs);

#endif
