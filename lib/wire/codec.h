/* codec.h - packs a message into msgpack bytes, and unpacks it
 *
 * On the wire a message is a msgpack map. The first key is `type` with the message's
 * number; the fields follow under their names. A key without a field is skipped, so
 * that a newer program can add one. A missing optional field is zero or empty. Any
 * other difference from the table of fields rejects the whole message; the error names
 * message and field.
 *
 * msgpack-c writes and reads the bytes. frame.h checks the limits before, so that the
 * unpacker never allocates for a count that the bytes do not contain. */
#ifndef LIB_WIRE_CODEC_H
#define LIB_WIRE_CODEC_H

#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/wire/messages.h"

/* Memory for one unpacked message. The next message reuses it, without an allocation as
 * long as both fit into 32 KiB. One thread. */
struct codec_zone;

struct codec_zone *codec_zone_create(void);
void codec_zone_destroy(struct codec_zone *zone); /* NULL is allowed */

/* Appends the packed message to `out`. */
void codec_pack(struct text *out, enum message_type type, const void *message);

/* Clears the zone, checks the frame and unpacks the message. The message's texts and
 * lists lie in the zone, a struct bytes points into `packet`. *kind is the table of the
 * message's fields, or NULL when the error was found before its type was read. */
int codec_unpack(const struct message **kind,
                 union any_message *message,
                 const void *packet,
                 size_t size,
                 struct codec_zone *zone,
                 struct err *err);

#endif
