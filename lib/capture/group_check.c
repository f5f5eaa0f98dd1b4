/* group_check.c - checks a received group strictly; the first deviation is an error */
#include <inttypes.h>

#include "lib/capture/capture_reader.h"
#include "lib/capture/capture_reader_internal.h"
#include "lib/capture/format/crc.h"

static int check_table(struct capture_strings *strings,
                       size_t *end,
                       const uint8_t *bytes,
                       size_t size,
                       uint32_t shard,
                       uint32_t number,
                       struct err *err)
{
    uint32_t table_shard, table_number;
    uint64_t content;
    bool good;

    if (size < CAPTURE_CHUNK_HEAD || memcmp(bytes, "IIDB", 4) != 0 ||
        load_u16(bytes + 4) != CAPTURE_CHUNK_TABLE)
        return err_set(err, ERR_INPUT, "the group does not start with a string table");
    content = load_u64(bytes + 8);
    if (content > size - CAPTURE_CHUNK_HEAD ||
        !capture_strings_init(strings, bytes + CAPTURE_CHUNK_HEAD, content) ||
        !capture_binding_read(strings, &table_shard, &table_number, &good))
        return err_set(err, ERR_INPUT, "the string table is not valid");
    if (!good)
        return err_set(err, ERR_INPUT, "the CRC of the string table is wrong");
    if (table_shard != shard || table_number != number)
        return err_set(err, ERR_INPUT,
                       "the string table belongs to shard %08" PRIx32
                       ", group %" PRIu32,
                       table_shard, table_number);
    *end = (size_t)capture_padded(CAPTURE_CHUNK_HEAD + content);
    return 0;
}

static int check_block(size_t *end,
                       const struct capture_strings *strings,
                       const uint8_t *bytes,
                       size_t left,
                       const struct capture_group *group,
                       uint32_t *before,
                       struct err *err)
{
    struct capture_block_head head;
    const uint8_t *payload = bytes + CAPTURE_BLOCK_HEAD;
    const char *type;
    size_t taken;

    if (left < CAPTURE_BLOCK_HEAD || !capture_block_decode(&head, bytes))
        return err_set(err, ERR_INPUT, "the head of a block is not valid");
    if (head.payload_bytes > left - CAPTURE_BLOCK_HEAD)
        return err_set(err, ERR_INPUT, "block %" PRIu32 " is incomplete", head.number);
    if (crc32c(0, payload, (size_t)head.payload_bytes) != head.payload_crc)
        return err_set(err, ERR_INPUT, "block %" PRIu32 ": the CRC is wrong",
                       head.number);
    if (scan_whole_records(&head, payload, head.payload_bytes, &taken) !=
            head.records ||
        taken != head.payload_bytes)
        return err_set(err, ERR_INPUT,
                       "block %" PRIu32 ": the records do not fill the block",
                       head.number);
    if (head.run_id != group->run_id || head.shard != group->shard ||
        head.table != group->number)
        return err_set(err, ERR_INPUT, "block %" PRIu32 " belongs to another group",
                       head.number);
    if (group->blocks && head.number <= *before)
        return err_set(err, ERR_INPUT, "block %" PRIu32 " is out of order",
                       head.number);
    type = capture_strings_get(strings, head.type_text);
    if (!type || !*type || !capture_strings_get(strings, head.metadata_text))
        return err_set(err, ERR_INPUT,
                       "block %" PRIu32 ": its texts are not in the string table",
                       head.number);
    *before = head.number;
    *end = (size_t)capture_padded(CAPTURE_BLOCK_HEAD + head.payload_bytes);
    return 0;
}

int capture_group_check(const void *bytes,
                        size_t size,
                        uint64_t run_id,
                        uint32_t shard,
                        uint32_t number,
                        struct err *err)
{
    struct capture_group group = {.run_id = run_id, .shard = shard, .number = number};
    struct capture_strings strings;
    size_t at = 0, step = 0;
    uint32_t before = 0;

    if (size > CAPTURE_GROUP_MAX) {
        err_set(err, ERR_LIMIT, "the group has %zu bytes, at most %d are allowed", size,
                CAPTURE_GROUP_MAX);
        goto fail;
    }
    if (check_table(&strings, &at, bytes, size, shard, number, err) < 0)
        goto fail;
    for (; at < size; at += step, group.blocks++)
        if (check_block(&step, &strings, (const uint8_t *)bytes + at, size - at, &group,
                        &before, err) < 0)
            goto fail;
    if (at != size || !group.blocks) {
        err_set(err, ERR_INPUT,
                group.blocks ? "the end is missing" : "the group has no block");
        goto fail;
    }
    return 0;

fail:
    return err_wrap(err, "group %" PRIu32 " of shard %08" PRIx32, number, shard);
}
