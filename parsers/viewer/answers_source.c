/* answers_source.c - texts of a file: source files and the block of instructions */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/view_handlers.h"

/* A block that is sent as one text, in parts. */
struct block_text {
    const char *key;
    uint64_t at, end; /* in the file */
    bool is_begun;
    char bytes[VIEW_PART_BYTES + 3]; /* 3 bytes may be of a character that is cut */
};

/* Returns the size of these bytes without a character at the end that is not whole. */
static size_t whole_characters(const char *bytes, size_t size)
{
    size_t start = size;

    while (start && size - start < 3 &&
           ((unsigned char)bytes[start - 1] & 0xc0) == 0x80)
        start--;
    if (start && (unsigned char)bytes[start - 1] >= 0xc0 &&
        !utf8_length(bytes + start - 1, bytes + size))
        return start - 1 ? start - 1 : size;
    return size;
}

static int put_block_text(struct view_call *call, void *state)
{
    struct block_text *text = state;
    uint64_t left = text->end - text->at;
    size_t size = left < sizeof(text->bytes) ? (size_t)left : sizeof(text->bytes);
    struct err err;

    if (!text->is_begun) {
        json_write_key(call->body, text->key);
        json_write_begin_text(call->body);
        text->is_begun = true;
    }
    if (size && view_file_read(call->file, text->at, text->bytes, size, &err) < 0) {
        json_write_end_text(call->body);
        return call_fail_err(call, VIEW_FILE, &err);
    }
    if (size < left)
        size = whole_characters(text->bytes, size);
    json_write_add_text(call->body, text->bytes, size);
    text->at += size;
    if (text->at < text->end)
        return 1;
    json_write_end_text(call->body);
    return 0;
}

/* Answers the payload of the block as a text; an empty text without a block. */
static int
answer_text(struct view_call *call, const char *key, const struct view_block *block)
{
    struct block_text *text;

    if (block && block->size > VIEW_PAYLOAD_MAX)
        return call_fail(call, VIEW_FILE,
                         "the block '%s' has more than %d MiB, too many for an answer",
                         bin_type_name(block->type), VIEW_PAYLOAD_MAX >> 20);
    text = xcalloc(1, sizeof(*text));
    text->key = key;
    text->at = block ? block->at : 0;
    text->end = block ? block->at + block->size : 0;
    call_continue(call, put_block_text, free, text);
    return 0;
}

int answer_source_text(struct view_call *call)
{
    struct view_file *file;
    const char *path;

    if (call_checked(call, "sourceName", &path) < 0 || call_file(call, &file) < 0)
        return -1;
    return answer_text(call, "fileContent", view_block_source(file, path));
}

int answer_raw_instructions(struct view_call *call)
{
    struct view_file *file;

    if (call_file(call, &file) < 0)
        return -1;
    return answer_text(call, "instructions", view_block_find(file, BIN_INSTRUCTIONS));
}
