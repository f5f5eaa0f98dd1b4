/* sample_messages.h - a sample of every message, for tests */
#ifndef TESTS_SUPPORT_SAMPLE_MESSAGES_H
#define TESTS_SUPPORT_SAMPLE_MESSAGES_H

#include "lib/wire/messages.h"

/* Fills the fields of a message. The value of a field depends on its place and type. */
static inline void sample_fill(const struct message *kind, union any_message *out)
{
    static const char *const texts[] = {"", "m=1024 dtype=fp16", "x"};
    static const uint64_t numbers[] = {0, 127, 1ull << 40, UINT64_MAX};
    static const int64_t signed_numbers[] = {0, -1, INT64_MIN, INT64_MAX};
    uint64_t n = kind->type;

    for (const struct field *field = kind->fields; field->type != FIELD_END; field++) {
        void *at = (char *)out + field->offset;

        n++;
        switch (field->type) {
        case FIELD_U64:
            *(uint64_t *)at = numbers[n % 4];
            break;
        case FIELD_I64:
            *(int64_t *)at = signed_numbers[n % 4];
            break;
        case FIELD_BOOL:
            *(bool *)at = n % 2;
            break;
        case FIELD_F64:
            *(double *)at = 0.125 * (double)n;
            break;
        case FIELD_TEXT:
            *(const char **)at = texts[n % 3];
            break;
        case FIELD_BYTES:
            *(struct bytes *)at = (struct bytes){"\0\xff\x80", 3};
            break;
        case FIELD_TEXT_LIST:
            *(struct text_list *)at = (struct text_list){texts, n % 4};
            break;
        case FIELD_U64_LIST:
            *(struct u64_list *)at = (struct u64_list){numbers, 4};
            break;
        case FIELD_END:
            break;
        }
    }
}

#endif
