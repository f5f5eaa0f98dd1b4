#include "lib/capture/format/writer.h"

#include "lib/capture/format/crc.h"
#include "lib/capture/format/kinds.h"

enum {
    /* Space for the string table, which is complete only when the group ends:
     * it is written right before the first block. */
    TABLE_ROOM =
        CAPTURE_CHUNK_HEAD + 8 + 16 * CAPTURE_TEXTS_MAX + CAPTURE_TEXT_BYTES + 24,
    RECORD_SIZE_MAX = 0xffff,
};

static_assert(TABLE_ROOM % 16 == 0, "blocks start at a multiple of 16");

static void start_group(struct capture_writer *writer)
{
    writer->used = TABLE_ROOM;
    writer->blocks = 0;
    /* text 0 is empty; text 1 is the binding, written at the end */
    writer->text_count = 2;
    writer->text_at[0] = 0;
    writer->text_at[1] = 1;
    writer->text_bytes = 1 + CAPTURE_BINDING + 1;
    memset(writer->texts, 0, writer->text_bytes);
}

void capture_writer_init(struct capture_writer *writer,
                         void *buffer,
                         size_t size,
                         uint64_t run_id,
                         uint32_t shard,
                         uint32_t group,
                         uint32_t block)
{
    /* The unused space counts towards the limit of the group; it is at most 4 KiB. */
    *writer = (struct capture_writer){
        .buffer = buffer,
        .room = (size < CAPTURE_GROUP_MAX ? size : CAPTURE_GROUP_MAX) & ~(size_t)15,
        .group = group,
        .next_block = block,
        .head = {.run_id = run_id, .shard = shard},
    };
    start_group(writer);
}

/* Returns the number of a text in the string table, or 0 when the table is full. */
static uint32_t find_text(struct capture_writer *writer, const char *text)
{
    size_t size = strlen(text) + 1;

    for (uint32_t id = 2; id < writer->text_count; id++)
        if (strcmp(writer->texts + writer->text_at[id], text) == 0)
            return id;
    if (writer->text_count == CAPTURE_TEXTS_MAX ||
        size > CAPTURE_TEXT_BYTES - writer->text_bytes)
        return 0;
    writer->text_at[writer->text_count] = (uint32_t)writer->text_bytes;
    memcpy(writer->texts + writer->text_bytes, text, size);
    writer->text_bytes += size;
    return writer->text_count++;
}

static void end_block(struct capture_writer *writer)
{
    uint8_t *at = writer->buffer + writer->block_at;
    struct capture_block_head *head = &writer->head;
    size_t end = (size_t)capture_padded(writer->used);

    if (!writer->is_open)
        return;
    head->payload_bytes = writer->used - writer->block_at - CAPTURE_BLOCK_HEAD;
    head->payload_crc = crc32c(0, at + CAPTURE_BLOCK_HEAD, (size_t)head->payload_bytes);
    head->table = writer->group;
    head->flags = writer->flags;
    head->dropped = writer->pending_dropped;
    capture_block_encode(at, head);
    memset(writer->buffer + writer->used, 0, end - writer->used);
    writer->used = end;
    writer->pending_dropped = 0;
    writer->flags = 0;
    writer->is_open = false;
}

/* Returns false when a block with this payload does not fit into the group. */
static bool start_block(struct capture_writer *writer,
                        const char *type,
                        const char *metadata,
                        size_t record_size,
                        size_t payload)
{
    struct capture_block_head *head = &writer->head;
    uint32_t type_text, metadata_text = 0;

    if (payload > writer->room - writer->used ||
        writer->room - writer->used - payload < CAPTURE_BLOCK_HEAD)
        return false;
    if (!(type_text = find_text(writer, type)))
        return false;
    if (*metadata && !(metadata_text = find_text(writer, metadata)))
        return false;
    head->type_text = type_text;
    head->metadata_text = metadata_text;
    head->record_size = (uint16_t)record_size;
    head->records = 0;
    head->first_ns = head->last_ns = 0;
    head->number = writer->next_block++;
    writer->block_at = writer->used;
    writer->used += CAPTURE_BLOCK_HEAD;
    writer->blocks++;
    writer->is_open = true;
    return true;
}

static bool open_block_is(const struct capture_writer *writer,
                          const char *type,
                          const char *metadata,
                          size_t record_size)
{
    const struct capture_block_head *head = &writer->head;

    return writer->is_open && head->record_size == record_size &&
           strcmp(writer->texts + writer->text_at[head->type_text], type) == 0 &&
           strcmp(writer->texts + writer->text_at[head->metadata_text], metadata) == 0;
}

static bool fits_an_empty_group(const struct capture_writer *writer,
                                const char *type,
                                const char *metadata,
                                size_t payload)
{
    size_t room = writer->room - TABLE_ROOM - CAPTURE_BLOCK_HEAD;
    size_t texts = CAPTURE_TEXT_BYTES - (1 + CAPTURE_BINDING + 1);

    return payload <= room && strlen(type) + strlen(metadata) + 2 <= texts;
}

enum capture_put capture_put_typed(struct capture_writer *writer,
                                   const char *type,
                                   const char *metadata,
                                   size_t record_size,
                                   const void *record,
                                   size_t size,
                                   uint64_t time_ns)
{
    struct capture_block_head *head = &writer->head;

    if (!*type || record_size > RECORD_SIZE_MAX ||
        (record_size ? size != record_size : size < 4 || load_u32(record) != size) ||
        !fits_an_empty_group(writer, type, metadata, size))
        return CAPTURE_PUT_BAD;
    if (!open_block_is(writer, type, metadata, record_size) ||
        writer->used - writer->block_at + size > CAPTURE_BLOCK_TARGET) {
        end_block(writer);
        if (!start_block(writer, type, metadata, record_size, size))
            return CAPTURE_PUT_FULL;
    } else if (size > writer->room - writer->used) {
        return CAPTURE_PUT_FULL;
    }
    memcpy(writer->buffer + writer->used, record, size);
    writer->used += size;
    head->records++;
    if (time_ns && (!head->first_ns || time_ns < head->first_ns))
        head->first_ns = time_ns;
    if (time_ns > head->last_ns)
        head->last_ns = time_ns;
    return CAPTURE_PUT_DONE;
}

enum capture_put capture_put(struct capture_writer *writer,
                             unsigned kind,
                             const void *record,
                             size_t size,
                             uint64_t time_ns)
{
    const struct record_kind_row *row = record_kind_get(kind);

    if (!row || size < row->least)
        return CAPTURE_PUT_BAD;
    return capture_put_typed(writer, row->type, "", row->size, record, size, time_ns);
}

enum capture_put capture_put_block(struct capture_writer *writer,
                                   const struct capture_block_head *head,
                                   const char *type,
                                   const char *metadata,
                                   const void *payload)
{
    if (!*type || head->run_id != writer->head.run_id ||
        head->shard != writer->head.shard || head->payload_bytes > CAPTURE_GROUP_MAX ||
        !fits_an_empty_group(writer, type, metadata, (size_t)head->payload_bytes))
        return CAPTURE_PUT_BAD;
    end_block(writer);
    if (!start_block(writer, type, metadata, head->record_size,
                     (size_t)head->payload_bytes))
        return CAPTURE_PUT_FULL;
    writer->head.number = head->number;
    writer->next_block = head->number + 1;
    writer->head.first_ns = head->first_ns;
    writer->head.last_ns = head->last_ns;
    writer->head.records = head->records;
    writer->flags = head->flags;
    writer->pending_dropped = head->dropped;
    memcpy(writer->buffer + writer->used, payload, (size_t)head->payload_bytes);
    writer->used += (size_t)head->payload_bytes;
    end_block(writer);
    return CAPTURE_PUT_DONE;
}

void capture_writer_dropped(struct capture_writer *writer, uint32_t count)
{
    if (__builtin_add_overflow(writer->pending_dropped, count,
                               &writer->pending_dropped))
        writer->pending_dropped = UINT32_MAX;
}

bool capture_writer_mark_last(struct capture_writer *writer)
{
    if (!writer->is_open)
        return false;
    writer->flags |= CAPTURE_LAST;
    return true;
}

static size_t table_bytes(const struct capture_writer *writer)
{
    return CAPTURE_CHUNK_HEAD + 8 + 16 * (size_t)writer->text_count +
           writer->text_bytes + 8;
}

size_t capture_writer_bytes(const struct capture_writer *writer)
{
    if (!writer->blocks)
        return 0;
    return (size_t)(capture_padded(table_bytes(writer)) +
                    capture_padded(writer->used - TABLE_ROOM));
}

uint32_t capture_writer_blocks(const struct capture_writer *writer)
{
    return writer->blocks;
}

uint32_t capture_writer_group(const struct capture_writer *writer)
{
    return writer->group;
}

/* Writes the table so that it ends where the blocks start. */
static uint8_t *write_table(struct capture_writer *writer)
{
    size_t whole = table_bytes(writer), padded = (size_t)capture_padded(whole);
    uint8_t *at = writer->buffer + TABLE_ROOM - padded;
    uint8_t *content = at + CAPTURE_CHUNK_HEAD;
    size_t content_bytes = whole - CAPTURE_CHUNK_HEAD;
    const char *texts[CAPTURE_TEXTS_MAX];
    char *binding = writer->texts + writer->text_at[1];

    for (uint32_t i = 0; i < writer->text_count; i++)
        texts[i] = writer->texts + writer->text_at[i];
    memset(at, 0, padded);
    capture_chunk_encode(at, CAPTURE_CHUNK_TABLE, content_bytes);
    capture_binding_format(binding, writer->head.shard, writer->group, 0);
    capture_strings_encode(content, texts, writer->text_count);
    capture_binding_format(binding, writer->head.shard, writer->group,
                           crc32c(0, content, content_bytes));
    capture_strings_encode(content, texts, writer->text_count);
    return at;
}

bool capture_writer_finish(struct capture_writer *writer,
                           const void **bytes,
                           size_t *size)
{
    if (!writer->blocks)
        return false;
    end_block(writer);

    uint8_t *start = write_table(writer);

    *bytes = start;
    *size = writer->used - (size_t)(start - writer->buffer);
    writer->group++;
    start_group(writer);
    return true;
}
