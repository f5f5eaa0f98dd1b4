#include "lib/capture/format/format.h"

#include <stdio.h>

#include "lib/capture/format/crc.h"

enum {
    BLOCK_OWN_HEAD = 64, /* after the chunk head and 16 bytes of a data chunk */
    CONTENT_HEAD = 80,   /* content before the payload */
    CRC_DIGITS = 8,
    TABLE_TAIL = 8, /* zeros, so that a reader of ring dumps reads the table as empty */
};

static const char binding_shape[] = "shard=%08x table=%08x crc=%08x";

void capture_chunk_encode(uint8_t out[16], uint16_t type, uint64_t content_bytes)
{
    memcpy(out, "IIDB", 4);
    store_u16(out + 4, type);
    store_u16(out + 6, 0);
    store_u64(out + 8, content_bytes);
}

void capture_block_encode(uint8_t out[CAPTURE_BLOCK_HEAD],
                          const struct capture_block_head *head)
{
    uint8_t *own = out + 32;

    capture_chunk_encode(out, CAPTURE_CHUNK_DATA, CONTENT_HEAD + head->payload_bytes);
    store_u32(out + 16, head->type_text);
    store_u32(out + 20, head->metadata_text);
    store_u64(out + 24, 0);
    memcpy(own, "CAPB", 4);
    store_u16(own + 4, BLOCK_OWN_HEAD);
    store_u16(own + 6, head->flags);
    store_u64(own + 8, head->run_id);
    store_u32(own + 16, head->shard);
    store_u32(own + 20, head->number);
    store_u64(own + 24, head->first_ns);
    store_u64(own + 32, head->last_ns);
    store_u32(own + 40, head->records);
    store_u16(own + 44, head->record_size);
    store_u16(own + 46, 0);
    store_u32(own + 48, head->dropped);
    store_u32(own + 52, head->table);
    store_u32(own + 56, head->payload_crc);
    store_u32(own + 60, crc32c(0, out, CAPTURE_BLOCK_HEAD - 4));
}

bool capture_block_decode(struct capture_block_head *head,
                          const uint8_t bytes[CAPTURE_BLOCK_HEAD])
{
    const uint8_t *own = bytes + 32;
    uint64_t content = load_u64(bytes + 8);

    if (memcmp(bytes, "IIDB", 4) != 0 || load_u16(bytes + 4) != CAPTURE_CHUNK_DATA ||
        memcmp(own, "CAPB", 4) != 0 || load_u16(own + 4) != BLOCK_OWN_HEAD)
        return false;
    if (content < CONTENT_HEAD || content > CAPTURE_GROUP_MAX)
        return false;
    if (load_u32(own + 60) != crc32c(0, bytes, CAPTURE_BLOCK_HEAD - 4))
        return false;
    *head = (struct capture_block_head){
        .type_text = load_u32(bytes + 16),
        .metadata_text = load_u32(bytes + 20),
        .flags = load_u16(own + 6),
        .run_id = load_u64(own + 8),
        .shard = load_u32(own + 16),
        .number = load_u32(own + 20),
        .first_ns = load_u64(own + 24),
        .last_ns = load_u64(own + 32),
        .records = load_u32(own + 40),
        .record_size = load_u16(own + 44),
        .dropped = load_u32(own + 48),
        .table = load_u32(own + 52),
        .payload_crc = load_u32(own + 56),
        .payload_bytes = content - CONTENT_HEAD,
    };
    return true;
}

size_t capture_strings_size(const char *const *texts, size_t count)
{
    size_t size = 8 + 16 * count + TABLE_TAIL;

    for (size_t i = 0; i < count; i++)
        size += strlen(texts[i]) + 1;
    return size;
}

void capture_strings_encode(uint8_t *out, const char *const *texts, size_t count)
{
    uint8_t *views = out + 8, *bytes = views + 16 * count;
    uint64_t at = 0;

    store_u32(out, 0);
    store_u32(out + 4, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(texts[i]);

        store_u64(views + 16 * i, at);
        store_u64(views + 16 * i + 8, length);
        memcpy(bytes + at, texts[i], length + 1);
        at += length + 1;
    }
    memset(bytes + at, 0, TABLE_TAIL);
}

bool capture_strings_init(struct capture_strings *strings,
                          const uint8_t *content,
                          uint64_t content_bytes)
{
    if (content_bytes < 8 || content_bytes > CAPTURE_GROUP_MAX)
        return false;
    if (load_u32(content + 4) > (content_bytes - 8) / 16)
        return false;
    *strings = (struct capture_strings){.content = content,
                                        .content_bytes = (size_t)content_bytes,
                                        .count = load_u32(content + 4)};
    return true;
}

const char *capture_strings_get(const struct capture_strings *strings, uint32_t id)
{
    if (id == 0)
        return "";
    if (id >= strings->count)
        return NULL;

    const uint8_t *view = strings->content + 8 + 16 * (size_t)id;
    size_t start = 8 + 16 * (size_t)strings->count;
    uint64_t room = strings->content_bytes - start;
    uint64_t offset = load_u64(view), length = load_u64(view + 8);

    /* strictly below, because the NUL must be inside as well */
    if (offset >= room || length >= room - offset)
        return NULL;

    const char *text = (const char *)strings->content + start + offset;

    return memchr(text, '\0', length + 1) == text + length ? text : NULL;
}

void capture_binding_format(char out[CAPTURE_BINDING + 1],
                            uint32_t shard,
                            uint32_t table,
                            uint32_t crc)
{
    snprintf(out, CAPTURE_BINDING + 1, binding_shape, shard, table, crc);
}

bool capture_binding_read(const struct capture_strings *strings,
                          uint32_t *shard,
                          uint32_t *table,
                          bool *crc_good)
{
    const char *text = capture_strings_get(strings, 1);
    char expected[CAPTURE_BINDING + 1];
    uint32_t stored_crc;

    if (!text || strlen(text) != CAPTURE_BINDING ||
        sscanf(text, binding_shape, shard, table, &stored_crc) != 3)
        return false;
    /* only the form that the writer produces: no " 7", "+7" or capitals */
    capture_binding_format(expected, *shard, *table, stored_crc);
    if (strcmp(text, expected) != 0)
        return false;

    const uint8_t *digits = (const uint8_t *)text + CAPTURE_BINDING - CRC_DIGITS;
    const uint8_t *rest = digits + CRC_DIGITS;
    const uint8_t *end = strings->content + strings->content_bytes;
    uint32_t crc = crc32c(0, strings->content, (size_t)(digits - strings->content));

    crc = crc32c(crc, "00000000", CRC_DIGITS);
    crc = crc32c(crc, rest, (size_t)(end - rest));
    *crc_good = crc == stored_crc;
    return true;
}
