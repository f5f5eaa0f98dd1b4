/* codec.h - a message as bytes, and back
 *
 * On the wire a message is a msgpack map: the key `type` with the message's number
 * first, then its fields under their names. A key that the reader does not know is
 * skipped, an optional field that is missing is zero or empty; anything else that is
 * not as its table says refuses the whole message, and names message and field. */
#ifndef LIB_WIRE_CODEC_H
#define LIB_WIRE_CODEC_H

#include <stddef.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/wire/messages.h"

/* Adds the packed message behind what is in `out`. */
void codec_pack(struct text *out, enum message_type type, const void *message);

/* Checks the frame, then unpacks. Texts and lists are in the arena, struct bytes
 * points into `packet`. *kind tells what it was, NULL as long as nobody knows. */
int codec_unpack(const struct message **kind,
                 union any_message *message,
                 const void *packet,
                 size_t size,
                 struct arena *arena,
                 struct err *err);

#endif
