#include "lib/wire/codec.h"

#include <assert.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/wire/cursor.h"
#include "lib/wire/frame.h"
#include "lib/wire/pack.h"

enum { MAX_FIELDS = 64 }; /* of one message: the bits of `seen` */

/* Packing */

static void pack_text_list(struct text *out, const struct text_list *list)
{
    pack_array(out, list->count);
    for (size_t i = 0; i < list->count; i++)
        pack_text(out, list->items[i]);
}

static void pack_u64_list(struct text *out, const struct u64_list *list)
{
    pack_array(out, list->count);
    for (size_t i = 0; i < list->count; i++)
        pack_u64(out, list->items[i]);
}

static void pack_value(struct text *out, enum field_type type, const void *at)
{
    const struct bytes *bytes = at;

    switch (type) {
    case FIELD_U64:
        pack_u64(out, *(const uint64_t *)at);
        break;
    case FIELD_I64:
        pack_i64(out, *(const int64_t *)at);
        break;
    case FIELD_BOOL:
        pack_bool(out, *(const bool *)at);
        break;
    case FIELD_F64:
        pack_f64(out, *(const double *)at);
        break;
    case FIELD_TEXT:
        pack_text(out, *(const char *const *)at);
        break;
    case FIELD_BYTES:
        pack_bytes(out, bytes->data, bytes->size);
        break;
    case FIELD_TEXT_LIST:
        pack_text_list(out, at);
        break;
    case FIELD_U64_LIST:
        pack_u64_list(out, at);
        break;
    case FIELD_END:
        break;
    }
}

static size_t count_fields(const struct message *kind)
{
    size_t count = 0;

    while (kind->fields[count].type != FIELD_END)
        count++;
    assert(count <= MAX_FIELDS);
    return count;
}

void codec_pack(struct text *out, enum message_type type, const void *message)
{
    const struct message *kind = message_find(type);

    assert(kind);
    pack_map(out, count_fields(kind) + 1);
    pack_text(out, "type");
    pack_u64(out, type);
    for (const struct field *field = kind->fields; field->type != FIELD_END; field++) {
        pack_text(out, field->name);
        pack_value(out, field->type, (const char *)message + field->offset);
    }
}

/* Unpacking. The small readers say what they wanted, or NULL when they got it. */

struct reader {
    const struct message *kind;
    struct cursor cursor;
    char *out;
    struct arena *arena;
    uint64_t seen; /* a bit a field */
};

static const char *
get_text(struct reader *reader, const char **out, const struct value *from)
{
    if (from->type != VALUE_TEXT || memchr(from->bytes, 0, from->size))
        return "a text without NUL";
    *out = arena_strndup(reader->arena, from->bytes, from->size);
    return NULL;
}

static const char *get_i64(int64_t *out, const struct value *from)
{
    if (from->type != VALUE_NEGATIVE &&
        (from->type != VALUE_U64 || from->u64 > INT64_MAX))
        return "a signed number";
    *out = from->i64; /* one union, and the sign is right in both */
    return NULL;
}

static const char *
get_text_list(struct reader *reader, struct text_list *out, const struct value *from)
{
    if (from->type != VALUE_ARRAY)
        return "a list of texts";
    const char **items = arena_calloc(reader->arena, from->size + 1, sizeof(*items));
    for (size_t i = 0; i < from->size; i++) {
        struct value item = cursor_take(&reader->cursor);

        if (get_text(reader, &items[i], &item))
            return "a list of texts without NUL";
    }
    *out = (struct text_list){.items = items, .count = from->size};
    return NULL;
}

static const char *
get_u64_list(struct reader *reader, struct u64_list *out, const struct value *from)
{
    if (from->type != VALUE_ARRAY)
        return "a list of numbers";
    uint64_t *items = arena_calloc(reader->arena, from->size + 1, sizeof(*items));
    for (size_t i = 0; i < from->size; i++) {
        struct value item = cursor_take(&reader->cursor);

        if (item.type != VALUE_U64)
            return "a list of numbers";
        items[i] = item.u64;
    }
    *out = (struct u64_list){.items = items, .count = from->size};
    return NULL;
}

static const char *get_value(struct reader *reader, const struct field *field)
{
    const struct value from = cursor_take(&reader->cursor);
    void *at = reader->out + field->offset;

    switch (field->type) {
    case FIELD_U64:
        if (from.type != VALUE_U64)
            return "a number";
        *(uint64_t *)at = from.u64;
        return NULL;
    case FIELD_I64:
        return get_i64(at, &from);
    case FIELD_BOOL:
        if (from.type != VALUE_BOOL)
            return "true or false";
        *(bool *)at = from.boolean;
        return NULL;
    case FIELD_F64:
        if (from.type != VALUE_F64)
            return "a floating-point number";
        *(double *)at = from.f64;
        return NULL;
    case FIELD_TEXT:
        return get_text(reader, at, &from);
    case FIELD_BYTES:
        if (from.type != VALUE_BYTES)
            return "bytes";
        *(struct bytes *)at = (struct bytes){from.bytes, from.size};
        return NULL;
    case FIELD_TEXT_LIST:
        return get_text_list(reader, at, &from);
    case FIELD_U64_LIST:
        return get_u64_list(reader, at, &from);
    case FIELD_END:
        break;
    }
    return "nothing";
}

static bool key_is(const struct value *key, const char *name)
{
    return key->type == VALUE_TEXT && key->size == strlen(name) &&
           !memcmp(key->bytes, name, key->size);
}

/* Where the key stands in the table. Our own packer keeps the table's order, so the
 * search begins behind the field that came last. */
static size_t find_field(const struct message *kind,
                         size_t count,
                         size_t hint,
                         const struct value *key)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = hint + i < count ? hint + i : hint + i - count;

        if (key_is(key, kind->fields[at].name))
            return at;
    }
    return count;
}

/* Each but the first, which was the message's type. */
static int read_fields(struct reader *reader, size_t pairs, struct err *err)
{
    const struct message *kind = reader->kind;
    size_t count = count_fields(kind), hint = 0;

    for (size_t i = 1; i < pairs; i++) {
        struct cursor back = reader->cursor;
        struct value key = cursor_take(&reader->cursor);
        size_t at = find_field(kind, count, hint, &key);

        if (at == count) { /* from a newer program */
            reader->cursor = back;
            cursor_skip(&reader->cursor);
            cursor_skip(&reader->cursor);
            continue;
        }
        const struct field *field = &kind->fields[at];
        if (reader->seen & 1ull << at)
            return err_set(err, ERR_INPUT, "message %s: field %s comes twice",
                           kind->name, field->name);
        const char *wanted = get_value(reader, field);
        if (wanted)
            return err_set(err, ERR_INPUT, "message %s: field %s must be %s",
                           kind->name, field->name, wanted);
        reader->seen |= 1ull << at;
        hint = at + 1 < count ? at + 1 : 0;
    }
    return 0;
}

static int fill_gaps(struct reader *reader, struct err *err)
{
    const struct message *kind = reader->kind;

    for (size_t i = 0; kind->fields[i].type != FIELD_END; i++) {
        const struct field *field = &kind->fields[i];

        if (reader->seen & 1ull << i)
            continue;
        if (!field->optional)
            return err_set(err, ERR_INPUT, "message %s: field %s is missing",
                           kind->name, field->name);
        if (field->type == FIELD_TEXT)
            *(const char **)(reader->out + field->offset) = "";
    }
    return 0;
}

static int
read_message(struct reader *reader, const struct message **kind, struct err *err)
{
    struct value root = cursor_take(&reader->cursor);

    if (root.type != VALUE_MAP || root.size == 0)
        return err_set(err, ERR_INPUT, "the packet holds no message");
    struct value key = cursor_take(&reader->cursor);
    struct value type = {.type = VALUE_OTHER};
    if (key_is(&key, "type"))
        type = cursor_take(&reader->cursor);
    if (type.type != VALUE_U64)
        return err_set(err, ERR_INPUT, "the message does not begin with its type");
    *kind = reader->kind = message_find(type.u64);
    if (!*kind)
        return err_set(err, ERR_INPUT, "no message has type %llu",
                       (unsigned long long)type.u64);
    memset(reader->out, 0, (*kind)->size);
    if (read_fields(reader, root.size, err) < 0)
        return -1;
    return fill_gaps(reader, err);
}

int codec_unpack(const struct message **kind,
                 union any_message *message,
                 const void *packet,
                 size_t size,
                 struct arena *arena,
                 struct err *err)
{
    struct reader reader = {.cursor = {packet}, .out = (char *)message, .arena = arena};

    *kind = NULL;
    if (frame_check(packet, size, &frame_limits_default, err) < 0)
        return -1;
    return read_message(&reader, kind, err);
}
