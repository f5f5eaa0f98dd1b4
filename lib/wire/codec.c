#include "lib/wire/codec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "lib/base/mem.h"
#include "lib/wire/frame.h"

enum {
    MAX_FIELDS = 64,       /* of one message: the bits of `seen` */
    ZONE_BYTES = 32 << 10, /* the lease of a gang of 64 ranks needs about 16 KiB */
};

struct codec_zone {
    msgpack_zone chunks;
};

struct codec_zone *codec_zone_create(void)
{
    struct codec_zone *zone = xmalloc(sizeof(*zone));

    if (!msgpack_zone_init(&zone->chunks, ZONE_BYTES))
        abort(); /* out of memory */
    return zone;
}

void codec_zone_destroy(struct codec_zone *zone)
{
    if (!zone)
        return;
    msgpack_zone_destroy(&zone->chunks);
    free(zone);
}

static void *zone_alloc(struct codec_zone *zone, size_t count, size_t size)
{
    void *memory = msgpack_zone_malloc(&zone->chunks, count * size);

    if (!memory)
        abort(); /* out of memory */
    return memory;
}

/* Packing */

static int append(void *out, const char *bytes, size_t size)
{
    text_add_bytes(out, bytes, size);
    return 0;
}

static void pack_text(msgpack_packer *packer, const char *text)
{
    msgpack_pack_str_with_body(packer, text ? text : "", text ? strlen(text) : 0);
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

static void pack_value(msgpack_packer *packer, enum field_type type, const void *at)
{
    const struct bytes *bytes = at;

    switch (type) {
    case FIELD_U64:
        msgpack_pack_uint64(packer, *(const uint64_t *)at);
        break;
    case FIELD_I64:
        msgpack_pack_int64(packer, *(const int64_t *)at);
        break;
    case FIELD_BOOL:
        *(const bool *)at ? msgpack_pack_true(packer) : msgpack_pack_false(packer);
        break;
    case FIELD_F64:
        msgpack_pack_double(packer, *(const double *)at);
        break;
    case FIELD_TEXT:
        pack_text(packer, *(const char *const *)at);
        break;
    case FIELD_BYTES:
        msgpack_pack_bin_with_body(packer, bytes->data, bytes->size);
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
    msgpack_packer_init(&packer, out, append);
    msgpack_pack_map(&packer, count_fields(kind) + 1);
    pack_text(&packer, "type");
    msgpack_pack_uint64(&packer, type);
    for (const struct field *field = kind->fields; field->type != FIELD_END; field++) {
        pack_text(&packer, field->name);
        pack_value(&packer, field->type, (const char *)message + field->offset);
    }
}

/* Unpacking. The functions read_... store one value. They return NULL, or a description
 * of the values that the field allows. */

static const char *
read_text(struct codec_zone *zone, const char **out, const msgpack_object *from)
{
    if (from->type != MSGPACK_OBJECT_STR)
        return "a text without NUL";
    size_t size = from->via.str.size;
    if (size > 0 && memchr(from->via.str.ptr, 0, size)) /* ptr can be NULL at size 0 */
        return "a text without NUL";
    char *text = msgpack_zone_malloc_no_align(&zone->chunks, size + 1);
    if (!text)
        abort(); /* out of memory */
    if (size > 0)
        memcpy(text, from->via.str.ptr, size);
    text[size] = '\0';
    *out = text;
    return NULL;
}

static const char *read_u64(uint64_t *out, const msgpack_object *from)
{
    if (from->type != MSGPACK_OBJECT_POSITIVE_INTEGER)
        return "a number";
    *out = from->via.u64;
    return NULL;
}

static const char *read_i64(int64_t *out, const msgpack_object *from)
{
    bool is_positive = from->type == MSGPACK_OBJECT_POSITIVE_INTEGER;

    if (from->type != MSGPACK_OBJECT_NEGATIVE_INTEGER &&
        (!is_positive || from->via.u64 > INT64_MAX))
        return "a signed number";
    *out = from->via.i64; /* shares its bits with u64 */
    return NULL;
}

static const char *read_text_list(struct codec_zone *zone,
                                  struct text_list *out,
                                  const msgpack_object *from)
{
    if (from->type != MSGPACK_OBJECT_ARRAY)
        return "a list of texts";
    size_t count = from->via.array.size;
    const char **items = zone_alloc(zone, count, sizeof(*items));

    for (size_t i = 0; i < count; i++)
        if (read_text(zone, &items[i], &from->via.array.ptr[i]))
            return "a list of texts without NUL";
    *out = (struct text_list){.items = items, .count = count};
    return NULL;
}

static const char *
read_u64_list(struct codec_zone *zone, struct u64_list *out, const msgpack_object *from)
{
    if (from->type != MSGPACK_OBJECT_ARRAY)
        return "a list of numbers";
    size_t count = from->via.array.size;
    uint64_t *items = zone_alloc(zone, count, sizeof(*items));

    for (size_t i = 0; i < count; i++)
        if (read_u64(&items[i], &from->via.array.ptr[i]))
            return "a list of numbers";
    *out = (struct u64_list){.items = items, .count = count};
    return NULL;
}

static const char *read_value(struct codec_zone *zone,
                              enum field_type type,
                              void *at,
                              const msgpack_object *from)
{
    switch (type) {
    case FIELD_U64:
        return read_u64(at, from);
    case FIELD_I64:
        return read_i64(at, from);
    case FIELD_BOOL:
        if (from->type != MSGPACK_OBJECT_BOOLEAN)
            return "true or false";
        *(bool *)at = from->via.boolean;
        return NULL;
    case FIELD_F64:
        if (from->type != MSGPACK_OBJECT_FLOAT64 &&
            from->type != MSGPACK_OBJECT_FLOAT32)
            return "a floating-point number";
        *(double *)at = from->via.f64;
        return NULL;
    case FIELD_TEXT:
        return read_text(zone, at, from);
    case FIELD_BYTES:
        if (from->type != MSGPACK_OBJECT_BIN)
            return "bytes";
        *(struct bytes *)at = (struct bytes){from->via.bin.ptr, from->via.bin.size};
        return NULL;
    case FIELD_TEXT_LIST:
        return read_text_list(zone, at, from);
    case FIELD_U64_LIST:
        return read_u64_list(zone, at, from);
    case FIELD_END:
        break;
    }
    return "nothing";
}

static bool key_is(const msgpack_object *key, const char *name)
{
    size_t size = strlen(name);

    return key->type == MSGPACK_OBJECT_STR && key->via.str.size == size &&
           !memcmp(key->via.str.ptr, name, size);
}

/* Returns the index of the field with this key, or `count` when the table has none. The
 * search starts at `hint`: codec_pack() writes the fields in the order of the table. */
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

/* Stores the fields of the map into `out`, and sets a bit in *seen for each. The first
 * pair of the map is the message's type. */
static int read_fields(const struct message *kind,
                       char *out,
                       const msgpack_object_map *map,
                       struct codec_zone *zone,
                       uint64_t *seen,
                       struct err *err)
{
    size_t count = count_fields(kind), hint = 0;

    for (size_t i = 1; i < map->size; i++) {
        size_t at = find_field(kind, count, hint, &map->ptr[i].key);

        if (at == count) /* a newer program sent this key */
            continue;
        const struct field *field = &kind->fields[at];
        if (*seen & 1ull << at)
            return err_set(err, ERR_INPUT, "message %s: field %s appears twice",
                           kind->name, field->name);
        const char *expected =
            read_value(zone, field->type, out + field->offset, &map->ptr[i].val);
        if (expected)
            return err_set(err, ERR_INPUT, "message %s: field %s must be %s",
                           kind->name, field->name, expected);
        *seen |= 1ull << at;
        hint = at + 1 < count ? at + 1 : 0;
    }
    return 0;
}

/* Sets missing optional texts to ""; fields of other types are zero already. */
static int
fill_missing(const struct message *kind, char *out, uint64_t seen, struct err *err)
{
    for (size_t i = 0; kind->fields[i].type != FIELD_END; i++) {
        const struct field *field = &kind->fields[i];

        if (seen & 1ull << i)
            continue;
        if (!field->optional)
            return err_set(err, ERR_INPUT, "message %s: field %s is missing",
                           kind->name, field->name);
        if (field->type == FIELD_TEXT)
            *(const char **)(out + field->offset) = "";
    }
    return 0;
}

static int
read_type(const struct message **kind, const msgpack_object *root, struct err *err)
{
    uint64_t type;

    if (root->type != MSGPACK_OBJECT_MAP || root->via.map.size == 0)
        return err_set(err, ERR_INPUT, "the packet is not a msgpack map with fields");
    const msgpack_object_kv *first = &root->via.map.ptr[0];
    if (!key_is(&first->key, "type") || read_u64(&type, &first->val))
        return err_set(err, ERR_INPUT, "the first key of the message is not its type");
    *kind = message_find(type);
    if (!*kind)
        return err_set(err, ERR_INPUT,
                       "message type %llu is unknown; the sender may be a newer muster",
                       (unsigned long long)type);
    return 0;
}

int codec_unpack(const struct message **kind,
                 union any_message *message,
                 const void *packet,
                 size_t size,
                 struct codec_zone *zone,
                 struct err *err)
{
    msgpack_object root;
    uint64_t seen = 0;
    char *out = (char *)message;

    *kind = NULL;
    if (frame_check(packet, size, &frame_limits_default, err) < 0)
        return -1;
    msgpack_zone_clear(&zone->chunks);
    switch (msgpack_unpack(packet, size, NULL, &zone->chunks, &root)) {
    case MSGPACK_UNPACK_SUCCESS:
        break;
    case MSGPACK_UNPACK_NOMEM_ERROR:
        abort();
    default: /* frame_check() accepts one whole value only */
        return err_set(err, ERR_INPUT, "the packet is not one msgpack value");
    }
    if (read_type(kind, &root, err) < 0)
        return -1;
    memset(out, 0, (*kind)->size);
    if (read_fields(*kind, out, &root.via.map, zone, &seen, err) < 0)
        return -1;
    return fill_missing(*kind, out, seen, err);
}
