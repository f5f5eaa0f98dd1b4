#include "wire/codec.h"

#include <assert.h>
#include <string.h>

#include <msgpack.h>

#include "base/mem.h"
#include "wire/frame.h"

enum { MAX_FIELDS = 64 }; /* of one message: the bits of `seen` */

/* Packing */

static int add_bytes(void *arg, const char *bytes, size_t size)
{
    text_add_bytes(arg, bytes, size);
    return 0;
}

static void pack_text(msgpack_packer *packer, const char *text)
{
    size_t length = text ? strlen(text) : 0;

    msgpack_pack_str(packer, length);
    if (length > 0)
        msgpack_pack_str_body(packer, text, length);
}

static void pack_text_list(msgpack_packer *packer, const struct text_list *list)
{
    msgpack_pack_array(packer, list->count);
    for (size_t i = 0; i < list->count; i++)
        pack_text(packer, list->items[i]);
}

static void pack_u64_list(msgpack_packer *packer, const struct u64_list *list)
{
    msgpack_pack_array(packer, list->count);
    for (size_t i = 0; i < list->count; i++)
        msgpack_pack_uint64(packer, list->items[i]);
}

static void pack_bytes(msgpack_packer *packer, const struct bytes *bytes)
{
    msgpack_pack_bin(packer, bytes->size);
    if (bytes->size > 0)
        msgpack_pack_bin_body(packer, bytes->data, bytes->size);
}

static void pack_value(msgpack_packer *packer, enum field_type type, const void *at)
{
    switch (type) {
    case FIELD_U64:
        msgpack_pack_uint64(packer, *(const uint64_t *)at);
        break;
    case FIELD_I64:
        msgpack_pack_int64(packer, *(const int64_t *)at);
        break;
    case FIELD_BOOL:
        (*(const bool *)at ? msgpack_pack_true : msgpack_pack_false)(packer);
        break;
    case FIELD_F64:
        msgpack_pack_double(packer, *(const double *)at);
        break;
    case FIELD_TEXT:
        pack_text(packer, *(const char *const *)at);
        break;
    case FIELD_BYTES:
        pack_bytes(packer, at);
        break;
    case FIELD_TEXT_LIST:
        pack_text_list(packer, at);
        break;
    case FIELD_U64_LIST:
        pack_u64_list(packer, at);
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
    msgpack_packer packer;

    assert(kind);
    msgpack_packer_init(&packer, out, add_bytes);
    msgpack_pack_map(&packer, count_fields(kind) + 1);
    pack_text(&packer, "type");
    msgpack_pack_uint64(&packer, type);
    for (const struct field *field = kind->fields; field->type != FIELD_END; field++) {
        pack_text(&packer, field->name);
        pack_value(&packer, field->type, (const char *)message + field->offset);
    }
}

/* Unpacking. The small readers say what they wanted, or NULL when they got it. */

struct reader {
    const struct message *kind;
    char *out;
    struct arena *arena;
    uint64_t seen; /* a bit a field */
};

static const char *
get_text(struct reader *reader, const char **out, const msgpack_object *from)
{
    if (from->type != MSGPACK_OBJECT_STR ||
        memchr(from->via.str.ptr, 0, from->via.str.size))
        return "a text without NUL";
    *out = arena_strndup(reader->arena, from->via.str.ptr, from->via.str.size);
    return NULL;
}

static const char *get_i64(int64_t *out, const msgpack_object *from)
{
    if (from->type != MSGPACK_OBJECT_NEGATIVE_INTEGER &&
        (from->type != MSGPACK_OBJECT_POSITIVE_INTEGER || from->via.u64 > INT64_MAX))
        return "a signed number";
    *out = from->via.i64; /* one union, and the sign is right in both */
    return NULL;
}

static const char *
get_text_list(struct reader *reader, struct text_list *out, const msgpack_object *from)
{
    if (from->type != MSGPACK_OBJECT_ARRAY)
        return "a list of texts";
    const char **items =
        arena_calloc(reader->arena, from->via.array.size + 1, sizeof(*items));
    for (uint32_t i = 0; i < from->via.array.size; i++)
        if (get_text(reader, &items[i], &from->via.array.ptr[i]))
            return "a list of texts without NUL";
    *out = (struct text_list){.items = items, .count = from->via.array.size};
    return NULL;
}

static const char *
get_u64_list(struct reader *reader, struct u64_list *out, const msgpack_object *from)
{
    if (from->type != MSGPACK_OBJECT_ARRAY)
        return "a list of numbers";
    uint64_t *items =
        arena_calloc(reader->arena, from->via.array.size + 1, sizeof(*items));
    for (uint32_t i = 0; i < from->via.array.size; i++) {
        if (from->via.array.ptr[i].type != MSGPACK_OBJECT_POSITIVE_INTEGER)
            return "a list of numbers";
        items[i] = from->via.array.ptr[i].via.u64;
    }
    *out = (struct u64_list){.items = items, .count = from->via.array.size};
    return NULL;
}

static const char *
get_value(struct reader *reader, const struct field *field, const msgpack_object *from)
{
    void *at = reader->out + field->offset;

    switch (field->type) {
    case FIELD_U64:
        if (from->type != MSGPACK_OBJECT_POSITIVE_INTEGER)
            return "a number";
        *(uint64_t *)at = from->via.u64;
        return NULL;
    case FIELD_I64:
        return get_i64(at, from);
    case FIELD_BOOL:
        if (from->type != MSGPACK_OBJECT_BOOLEAN)
            return "true or false";
        *(bool *)at = from->via.boolean;
        return NULL;
    case FIELD_F64:
        if (from->type != MSGPACK_OBJECT_FLOAT32 &&
            from->type != MSGPACK_OBJECT_FLOAT64)
            return "a floating-point number";
        *(double *)at = from->via.f64;
        return NULL;
    case FIELD_TEXT:
        return get_text(reader, at, from);
    case FIELD_BYTES:
        if (from->type != MSGPACK_OBJECT_BIN)
            return "bytes";
        *(struct bytes *)at = (struct bytes){from->via.bin.ptr, from->via.bin.size};
        return NULL;
    case FIELD_TEXT_LIST:
        return get_text_list(reader, at, from);
    case FIELD_U64_LIST:
        return get_u64_list(reader, at, from);
    case FIELD_END:
        break;
    }
    return "nothing";
}

static bool key_is(const msgpack_object *key, const char *name)
{
    size_t length = strlen(name);

    return key->type == MSGPACK_OBJECT_STR && key->via.str.size == length &&
           !memcmp(key->via.str.ptr, name, length);
}

/* Where the key stands in the table. Our own packer keeps the table's order, so the
 * search begins behind the field that came last. */
static size_t find_field(const struct message *kind,
                         size_t count,
                         size_t hint,
                         const msgpack_object *key)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = hint + i < count ? hint + i : hint + i - count;

        if (key_is(key, kind->fields[at].name))
            return at;
    }
    return count;
}

static int
read_fields(struct reader *reader, const msgpack_object_map *map, struct err *err)
{
    const struct message *kind = reader->kind;
    size_t count = count_fields(kind), hint = 0;

    for (uint32_t i = 1; i < map->size; i++) {
        size_t at = find_field(kind, count, hint, &map->ptr[i].key);

        if (at == count)
            continue; /* from a newer program */
        const struct field *field = &kind->fields[at];
        if (reader->seen & 1ull << at)
            return err_set(err, ERR_INPUT, "message %s: field %s comes twice",
                           kind->name, field->name);
        const char *wanted = get_value(reader, field, &map->ptr[i].val);
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

static int read_message(const struct message **kind,
                        union any_message *message,
                        const msgpack_object *root,
                        struct arena *arena,
                        struct err *err)
{
    if (root->type != MSGPACK_OBJECT_MAP || root->via.map.size == 0)
        return err_set(err, ERR_INPUT, "the packet holds no message");
    const msgpack_object_kv *first = &root->via.map.ptr[0];
    if (!key_is(&first->key, "type") ||
        first->val.type != MSGPACK_OBJECT_POSITIVE_INTEGER)
        return err_set(err, ERR_INPUT, "the message does not begin with its type");
    *kind = message_find(first->val.via.u64);
    if (!*kind)
        return err_set(err, ERR_INPUT, "no message has type %llu",
                       (unsigned long long)first->val.via.u64);

    struct reader reader = {.kind = *kind, .out = (char *)message, .arena = arena};
    memset(message, 0, (*kind)->size);
    if (read_fields(&reader, &root->via.map, err) < 0)
        return -1;
    return fill_gaps(&reader, err);
}

int codec_unpack(const struct message **kind,
                 union any_message *message,
                 const void *packet,
                 size_t size,
                 struct arena *arena,
                 struct err *err)
{
    msgpack_unpacked unpacked;
    size_t offset = 0;
    int result;

    *kind = NULL;
    if (frame_check(packet, size, &frame_limits_default, err) < 0)
        return -1;
    msgpack_unpacked_init(&unpacked);
    if (msgpack_unpack_next(&unpacked, packet, size, &offset) != MSGPACK_UNPACK_SUCCESS)
        result = err_set(err, ERR_INPUT, "the packet is not msgpack");
    else
        result = read_message(kind, message, &unpacked.data, arena, err);
    msgpack_unpacked_destroy(&unpacked);
    return result;
}
