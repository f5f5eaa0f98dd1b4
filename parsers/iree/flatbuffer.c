#include "parsers/iree/flatbuffer.h"

#include <inttypes.h>
#include <string.h>

#include "lib/capture/format/format.h"

enum { WORD = 4, IDENTIFIER_AT = 4, VTABLE_HEAD = 4 };

static bool is_inside(const struct flatbuffer *buffer, uint64_t at, uint64_t bytes)
{
    return at <= buffer->size && bytes <= buffer->size - at;
}

static int outside(const struct flatbuffer *buffer,
                   const char *name,
                   const char *what,
                   uint64_t at,
                   uint64_t bytes,
                   struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "%s: %s at %" PRIu64 " with %" PRIu64
                   " bytes lies outside of the flatbuffer of %" PRIu64 " bytes",
                   name, what, at, bytes, buffer->size);
}

/* Reads the table at `at`: a signed offset to its vtable comes first. */
static int read_table(struct flatbuffer_table *out,
                      const struct flatbuffer *buffer,
                      uint64_t at,
                      const char *name,
                      struct err *err)
{
    int64_t vtable;

    if (!is_inside(buffer, at, WORD))
        return outside(buffer, name, "its table", at, WORD, err);
    vtable = (int64_t)at - (int32_t)load_u32(buffer->bytes + at);
    if (vtable < 0)
        return err_set(err, ERR_INPUT,
                       "%s: its vtable lies %" PRId64 " bytes before the flatbuffer",
                       name, -vtable);
    if (!is_inside(buffer, (uint64_t)vtable, VTABLE_HEAD))
        return outside(buffer, name, "its vtable", (uint64_t)vtable, VTABLE_HEAD, err);
    *out = (struct flatbuffer_table){
        .at = at,
        .size = load_u16(buffer->bytes + vtable + 2),
        .vtable = (uint64_t)vtable,
        .vtable_size = load_u16(buffer->bytes + vtable),
    };
    if (out->vtable_size < VTABLE_HEAD ||
        !is_inside(buffer, out->vtable, out->vtable_size))
        return outside(buffer, name, "its vtable", out->vtable, out->vtable_size, err);
    if (out->size < WORD || !is_inside(buffer, at, out->size))
        return outside(buffer, name, "its table", at, out->size, err);
    return 0;
}

int flatbuffer_root(struct flatbuffer_table *out,
                    const struct flatbuffer *buffer,
                    const char *identifier,
                    struct err *err)
{
    if (!is_inside(buffer, 0, IDENTIFIER_AT + WORD))
        return err_set(err, ERR_INPUT, "a flatbuffer of %" PRIu64 " bytes has no head",
                       buffer->size);
    if (memcmp(buffer->bytes + IDENTIFIER_AT, identifier, WORD) != 0)
        return err_set(err, ERR_INPUT, "the identifier is not '%s'", identifier);
    return read_table(out, buffer, load_u32(buffer->bytes), "root", err);
}

/* Finds the 4 bytes of a field. *at is 0 when the table has no such field. */
static int find_field(uint64_t *at,
                      const struct flatbuffer *buffer,
                      const struct flatbuffer_table *table,
                      unsigned field,
                      const char *name,
                      struct err *err)
{
    uint64_t row = VTABLE_HEAD + 2 * (uint64_t)field;
    uint16_t offset;

    *at = 0;
    if (row + 2 > table->vtable_size)
        return 0;
    offset = load_u16(buffer->bytes + table->vtable + row);
    if (!offset)
        return 0;
    if (offset < WORD || offset + (uint64_t)WORD > table->size)
        return err_set(err, ERR_INPUT,
                       "%s: its offset %u lies outside of its table of %" PRIu64
                       " bytes",
                       name, offset, table->size);
    *at = table->at + offset;
    return 0;
}

int flatbuffer_u32(uint32_t *out,
                   const struct flatbuffer *buffer,
                   const struct flatbuffer_table *table,
                   unsigned field,
                   const char *name,
                   struct err *err)
{
    uint64_t at;

    if (find_field(&at, buffer, table, field, name, err) < 0)
        return -1;
    *out = at ? load_u32(buffer->bytes + at) : 0;
    return 0;
}

/* Follows the offset of a field to a count and `count` elements of `element` bytes. */
static int find_list(struct flatbuffer_vector *out,
                     const struct flatbuffer *buffer,
                     const struct flatbuffer_table *table,
                     unsigned field,
                     uint64_t element,
                     const char *name,
                     struct err *err)
{
    uint64_t at;

    *out = (struct flatbuffer_vector){0};
    if (find_field(&at, buffer, table, field, name, err) < 0)
        return -1;
    if (!at)
        return 0;
    at += load_u32(buffer->bytes + at);
    if (!is_inside(buffer, at, WORD))
        return outside(buffer, name, "its value", at, WORD, err);
    out->count = load_u32(buffer->bytes + at);
    out->at = at + WORD;
    if (!is_inside(buffer, out->at, out->count * element))
        return outside(buffer, name, "its value", out->at, out->count * element, err);
    return 0;
}

int flatbuffer_text(const char **out,
                    uint32_t *length,
                    const struct flatbuffer *buffer,
                    const struct flatbuffer_table *table,
                    unsigned field,
                    const char *name,
                    struct err *err)
{
    struct flatbuffer_vector bytes;

    *out = "";
    *length = 0;
    if (find_list(&bytes, buffer, table, field, 1, name, err) < 0)
        return -1;
    if (!bytes.at)
        return 0;
    if (!is_inside(buffer, bytes.at, (uint64_t)bytes.count + 1) ||
        buffer->bytes[bytes.at + bytes.count] != 0)
        return err_set(err, ERR_INPUT, "%s: the text at %" PRIu64 " has no NUL", name,
                       bytes.at);
    *out = (const char *)buffer->bytes + bytes.at;
    *length = bytes.count;
    return 0;
}

int flatbuffer_tables(struct flatbuffer_vector *out,
                      const struct flatbuffer *buffer,
                      const struct flatbuffer_table *table,
                      unsigned field,
                      const char *name,
                      struct err *err)
{
    return find_list(out, buffer, table, field, WORD, name, err);
}

int flatbuffer_element(struct flatbuffer_table *out,
                       const struct flatbuffer *buffer,
                       const struct flatbuffer_vector *vector,
                       uint32_t index,
                       const char *name,
                       struct err *err)
{
    uint64_t at = vector->at + (uint64_t)index * WORD;

    return read_table(out, buffer, at + load_u32(buffer->bytes + at), name, err);
}
