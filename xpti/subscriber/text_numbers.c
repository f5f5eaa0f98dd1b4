#include "xpti/subscriber/text_numbers.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "lib/capture/format/records.h"
#include "xpti/subscriber/mix.h"
#include "xpti/subscriber/output.h"
#include "xpti/subscriber/selection.h"

enum { SLOTS = 65536, PROBES = 64 };

struct slot {
    _Atomic uint64_t hash; /* 0: empty */
    _Atomic uint32_t number;
};

static struct slot slots[SLOTS];
static uint32_t last;
static uint64_t epoch = 1; /* part of each hash; a reset changes it */

size_t text_length(const char *text)
{
    return strnlen(text, TEXT_MAX);
}

static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = mix(epoch, length), word = 0;

    for (; length >= sizeof(word); length -= sizeof(word), text += sizeof(word)) {
        memcpy(&word, text, sizeof(word));
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, text, length);
    hash = mix(hash, word);
    return hash ? hash : 1;
}

/* Returns the slot of the hash, an empty one, or NULL. */
static struct slot *find_slot(uint64_t hash)
{
    for (uint64_t i = 0; i < PROBES; i++) {
        struct slot *slot = &slots[(hash + i) % SLOTS];
        uint64_t is = atomic_load_explicit(&slot->hash, memory_order_acquire);

        if (is == hash || is == 0)
            return slot;
    }
    return NULL;
}

uint32_t text_numbers_find(const char *text, size_t length)
{
    const uint64_t hash = hash_text(text, length);
    struct slot *slot = find_slot(hash);

    if (!slot || atomic_load_explicit(&slot->hash, memory_order_relaxed) != hash)
        return 0;
    return atomic_load_explicit(&slot->number, memory_order_relaxed);
}

/* Returns the bytes of the UTF-8 character at `at`, or 0 when there is none. */
static size_t character_bytes(const unsigned char *at, size_t left)
{
    static const struct {
        unsigned char mask, is, second_from, second_to;
        unsigned char bytes;
    } forms[] = {
        {0x80, 0x00, 0x00, 0xff, 1}, {0xe0, 0xc0, 0x80, 0xbf, 2},
        {0xff, 0xe0, 0xa0, 0xbf, 3}, {0xff, 0xed, 0x80, 0x9f, 3},
        {0xf0, 0xe0, 0x80, 0xbf, 3}, {0xff, 0xf0, 0x90, 0xbf, 4},
        {0xff, 0xf4, 0x80, 0x8f, 4}, {0xf8, 0xf0, 0x80, 0xbf, 4},
    };

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if ((at[0] & forms[i].mask) != forms[i].is)
            continue;
        if (forms[i].bytes == 1)
            return at[0] >= 0x20 && at[0] != 0x7f ? 1 : 0;
        if (left < forms[i].bytes || at[0] < 0xc2 || at[0] > 0xf4 ||
            at[1] < forms[i].second_from || at[1] > forms[i].second_to)
            return 0;
        for (size_t k = 2; k < forms[i].bytes; k++)
            if ((at[k] & 0xc0) != 0x80)
                return 0;
        return forms[i].bytes;
    }
    return 0;
}

/* Copies the text; '?' replaces bytes that are not UTF-8, and control characters. */
static void copy_readable(char *out, const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t bytes = character_bytes((const unsigned char *)text + at, length - at);

        if (bytes == 0) {
            out[at++] = '?';
            continue;
        }
        memcpy(out + at, text + at, bytes);
        at += bytes;
    }
    out[length] = '\0';
}

static void write_text(uint32_t number, const char *text, size_t length)
{
    struct record_xpti_text record = {
        .text = number,
        .bytes = (uint32_t)length,
        .full = (uint32_t)(length < TEXT_MAX ? length : strlen(text)),
    };

    output_write_with_bytes(RECORD_XPTI_TEXT, &record, sizeof(record), text, length);
}

uint32_t text_numbers_add(const char *text, size_t length)
{
    const uint64_t hash = hash_text(text, length);
    struct slot *slot = find_slot(hash);
    static char readable[TEXT_MAX + 1];
    uint32_t number;

    if (!slot) {
        output_count_drop(RECORD_XPTI_TEXT);
        return 0;
    }
    if (atomic_load_explicit(&slot->hash, memory_order_relaxed) == hash)
        return atomic_load_explicit(&slot->number, memory_order_relaxed);
    copy_readable(readable, text, length);
    number = ++last;
    write_text(number, readable, length);
    if (!selection_has_name(readable))
        number |= (uint32_t)TEXT_LEFT_OUT;
    atomic_store_explicit(&slot->number, number, memory_order_relaxed);
    atomic_store_explicit(&slot->hash, hash, memory_order_release);
    return number;
}

void text_numbers_reset(void)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (atomic_load_explicit(&slots[i].hash, memory_order_relaxed) != 0)
            atomic_store_explicit(&slots[i].hash, 0, memory_order_relaxed);
    epoch++;
    last = 0;
}
