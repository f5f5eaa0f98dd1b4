/* view_block.c - the payload of a block: as bytes, as a tree, or one element of a list
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"

int view_block_read(const struct view_file *file,
                    const struct view_block *block,
                    size_t limit,
                    struct text *out,
                    struct err *err)
{
    if (block->size > limit)
        return err_set(err, ERR_LIMIT,
                       "the block '%s' has %" PRIu64 " bytes, the limit is %zu",
                       bin_type_name(block->type), block->size, limit);
    if (view_file_read(file, block->at, text_reserve(out, block->size), block->size,
                       err) < 0)
        return -1;
    out->length += block->size;
    out->bytes[out->length] = '\0';
    return 0;
}

/* Drops NUL bytes at the end, which some writers do not count as filler. */
static size_t without_filler(const struct text *text)
{
    size_t size = text->length;

    while (size && text->bytes[size - 1] == '\0')
        size--;
    return size;
}

int view_block_tree(const struct json_node **root,
                    const struct view_file *file,
                    const struct view_block *block,
                    struct arena *arena,
                    struct err *err)
{
    struct text payload = {0};
    int result = view_block_read(file, block, VIEW_TREE_MAX, &payload, err);

    if (result == 0)
        result =
            json_tree_parse(root, bin_type_name(block->type), payload.bytes,
                            without_filler(&payload), JSON_TREE_LIMITS, arena, err);
    text_clear(&payload);
    if (result == 0 && !json_tree_is(*root, JSON_OBJECT))
        result = err_set(err, ERR_INPUT, "the block '%s' is no JSON object",
                         bin_type_name(block->type));
    return result;
}

static ssize_t read_stream(void *arg, void *bytes, size_t size)
{
    struct view_stream *stream = arg;
    uint64_t left = stream->end - stream->at;
    ssize_t count;

    if (size > left)
        size = (size_t)left;
    count = view_file_pread(stream->file->fd, bytes, size, stream->at);
    if (count == 0 && size) {
        errno = ESTALE; /* the file was cut */
        return -1;
    }
    if (count > 0)
        stream->at += (uint64_t)count;
    return count;
}

struct json_read *view_stream_open(struct view_stream *stream,
                                   const struct view_file *file,
                                   const struct view_block *block)
{
    *stream = (struct view_stream){file, block->at, block->at + block->size};
    return json_read_create(bin_type_name(block->type), read_stream, stream,
                            JSON_TREE_LIMITS);
}

const char *view_scalar(const struct json_node *node)
{
    return json_tree_is(node, JSON_TEXT) || json_tree_is(node, JSON_NUMBER) ? node->text
                                                                            : "";
}

int view_list_open(struct json_read *read, const char *list, struct err *err)
{
    struct json_token token;

    if (json_read_expect(read, JSON_OBJECT, &token, err) < 0)
        return -1;
    while (json_read_next(read, &token, err) == 0) {
        if (token.kind == JSON_OBJECT_END)
            return err_set(err, ERR_INPUT, "the block has no list '%s'", list);
        if (json_token_is(&token, list))
            return json_read_expect(read, JSON_ARRAY, &token, err);
        if (json_read_leap(read, err) < 0)
            return -1;
    }
    return -1;
}

static const struct json_node *copy_tree(const struct json_node *node,
                                         struct arena *arena)
{
    struct json_node *copy = arena_memdup(arena, node, sizeof(*node));
    const struct json_node **tail = &copy->first;

    copy->key = arena_strdup(arena, node->key);
    copy->text = arena_memdup(arena, node->text, node->length + 1);
    copy->next = NULL;
    for (const struct json_node *child = node->first; child; child = child->next) {
        struct json_node *next = (struct json_node *)(uintptr_t)copy_tree(child, arena);

        *tail = next;
        tail = &next->next;
    }
    return copy;
}

int view_block_each(const struct view_file *file,
                    const struct view_block *block,
                    const char *list,
                    view_element_fn *fn,
                    void *arg,
                    struct err *err)
{
    struct view_stream stream;
    struct json_read *read = view_stream_open(&stream, file, block);
    struct arena *arena = arena_create(64 * 1024);
    const struct json_node *element = NULL;
    int result = view_list_open(read, list, err);

    while (result == 0) {
        result = json_tree_read(&element, read, arena, err);
        if (result < 0 || !element || fn(arg, element))
            break;
        arena_reset(arena);
    }
    arena_destroy(arena);
    json_read_destroy(read);
    return result;
}

/* The element that view_block_element() looks for. */
struct wanted {
    const char *key, *value;
    struct arena *arena;
    const struct json_node *found;
};

static int compare_element(void *arg, const struct json_node *element)
{
    struct wanted *wanted = arg;

    if (strcmp(view_scalar(json_tree_get(element, wanted->key)), wanted->value) != 0)
        return 0;
    wanted->found = copy_tree(element, wanted->arena);
    return 1;
}

int view_block_element(const struct json_node **element,
                       const struct view_file *file,
                       const struct view_block *block,
                       const char *list,
                       const char *key,
                       const char *value,
                       struct arena *arena,
                       struct err *err)
{
    struct wanted wanted = {.key = key, .value = value, .arena = arena};
    int result = view_block_each(file, block, list, compare_element, &wanted, err);

    *element = wanted.found;
    return result;
}

int view_block_member(const struct json_node **member,
                      const struct view_file *file,
                      const struct view_block *block,
                      const char *key,
                      struct arena *arena,
                      struct err *err)
{
    struct view_stream stream;
    struct json_read *read = view_stream_open(&stream, file, block);
    struct json_token token;
    int result = json_read_expect(read, JSON_OBJECT, &token, err);

    *member = NULL;
    while (result == 0 && (result = json_read_next(read, &token, err)) == 0 &&
           token.kind == JSON_KEY) {
        if (json_token_is(&token, key)) {
            result = json_tree_read(member, read, arena, err);
            break;
        }
        result = json_read_leap(read, err);
    }
    json_read_destroy(read);
    return result;
}
