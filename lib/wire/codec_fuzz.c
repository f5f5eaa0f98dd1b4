/* codec_fuzz.c - unpacks any bytes; an accepted message must survive a second round */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/wire/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct codec_zone *zone;

/* Aborts when the packed message cannot be unpacked, or is another one then. */
static void check_round_trip(const struct text *packed)
{
    struct text again = {0};
    const struct message *kind;
    union any_message message;
    struct err err;

    if (codec_unpack(&kind, &message, packed->bytes, packed->length, zone, &err) < 0)
        abort();
    codec_pack(&again, kind->type, &message);
    if (again.length != packed->length ||
        memcmp(again.bytes, packed->bytes, packed->length))
        abort();
    text_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct message *kind;
    union any_message message;
    struct err err;

    if (!zone)
        zone = codec_zone_create();
    if (codec_unpack(&kind, &message, bytes, size, zone, &err) == 0) {
        struct text packed = {0};

        codec_pack(&packed, kind->type, &message);
        check_round_trip(&packed);
        text_clear(&packed);
    }
    return 0;
}
