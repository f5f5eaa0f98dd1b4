/* codec_fuzz.c - a packet from anybody */
#include <stddef.h>
#include <stdint.h>

#include "lib/wire/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct arena *arena;
    const struct message *kind;
    union any_message message;
    struct err err;

    if (!arena)
        arena = arena_create(4096);
    if (codec_unpack(&kind, &message, bytes, size, arena, &err) == 0) {
        struct text again = {0};

        codec_pack(&again, kind->type, &message);
        text_clear(&again);
    }
    arena_reset(arena);
    return 0;
}
