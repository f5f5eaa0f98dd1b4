#include "parsers/source/source_detail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

enum { PARTS_MAX = 108, BINARIES_MAX = 1024 };
static const size_t part_bytes_max = ((size_t)100 << 20) + 64;
static const size_t binary_bytes_max = (size_t)256 << 20;

static struct text *find_or_add_part(struct source_launch *launch, uint32_t number)
{
    for (size_t i = launch->part_count; i-- > 0;)
        if (launch->parts[i].number == number)
            return &launch->parts[i].bytes;
    if (launch->part_count == PARTS_MAX)
        return NULL;
    launch->parts =
        xreallocarray(launch->parts, launch->part_count + 1, sizeof(launch->parts[0]));
    launch->parts[launch->part_count] = (struct source_part){.number = number};
    return &launch->parts[launch->part_count++].bytes;
}

void source_add_piece(struct source_launch *launch,
                      int64_t block,
                      const struct record_file_piece *head,
                      const uint8_t *bytes)
{
    struct text *out = NULL;

    if (strncmp(head->name, "dbi", sizeof(head->name)) == 0)
        out = find_or_add_part(launch, head->part);
    else if (strncmp(head->name, "bbcount", sizeof(head->name)) == 0)
        out = &launch->block_counts;
    else if (strncmp(head->name, "dfx_region_map.txt", sizeof(head->name)) == 0)
        out = &launch->regions;
    else if (strncmp(head->name, "dfx_tune.log", sizeof(head->name)) == 0)
        out = &launch->tune_log;
    if (!out)
        return; /* written by a newer version */
    if (head->offset == out->length && head->bytes > part_bytes_max - out->length) {
        source_note(&launch->notes, SOURCE_ERROR, block,
                    "%.32s part %" PRIu32 ": more than %zu bytes", head->name,
                    head->part, part_bytes_max);
        return;
    }
    if (head->offset != out->length) {
        source_note(&launch->notes, SOURCE_ERROR, block,
                    "%.32s part %" PRIu32 ": bytes %zu to %" PRIu64 " are missing",
                    head->name, head->part, out->length, head->offset);
        return;
    }
    text_add_bytes(out, bytes, head->bytes);
}

static struct source_binary *find_or_add_binary(struct source *source, uint64_t hash)
{
    struct source_binary *binary;

    for (size_t i = 0; i < source->binary_count; i++)
        if (source->binaries[i]->hash == hash)
            return source->binaries[i];
    if (source->binary_count == BINARIES_MAX)
        return NULL;
    binary = xcalloc(1, sizeof(*binary));
    binary->hash = hash;
    source->binaries = xreallocarray(source->binaries, source->binary_count + 1,
                                     sizeof(source->binaries[0]));
    source->binaries[source->binary_count++] = binary;
    return binary;
}

void source_add_binary_piece(struct source *source,
                             int64_t block,
                             const struct record_kernel_binary *head,
                             const uint8_t *bytes)
{
    struct source_binary *binary = find_or_add_binary(source, head->hash);

    if (!binary || head->total > binary_bytes_max || head->bytes > head->total) {
        source_note(&source->notes, SOURCE_ERROR, block,
                    "kernel binary %016" PRIx64
                    " is too large, or one of too many: ignored",
                    head->hash);
        return;
    }
    if (head->offset < binary->bytes.length)
        return; /* two threads recorded the same binary */
    if (head->offset > binary->bytes.length ||
        head->bytes > head->total - binary->bytes.length) {
        source_note(&source->notes, SOURCE_ERROR, block,
                    "kernel binary %016" PRIx64 ": bytes %zu to %" PRIu64
                    " are missing",
                    head->hash, binary->bytes.length, head->offset);
        return;
    }
    binary->total = head->total;
    text_add_bytes(&binary->bytes, bytes, head->bytes);
}

void source_link_binaries(struct source *source)
{
    for (size_t i = 0; i < source->count; i++) {
        struct source_launch *launch = source->launches[i];

        for (size_t k = 0; k < source->binary_count && launch->binary_hash; k++)
            if (source->binaries[k]->hash == launch->binary_hash &&
                source->binaries[k]->bytes.length == source->binaries[k]->total)
                launch->binary = &source->binaries[k]->bytes;
        if (launch->binary_hash && !launch->binary)
            source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                        "kernel binary %016" PRIx64 " of the launch is not complete",
                        launch->binary_hash);
    }
}

void source_give_binary(struct source *source,
                        struct source_launch *launch,
                        struct text *bytes)
{
    struct source_binary *binary = xcalloc(1, sizeof(*binary));

    binary->bytes = *bytes;
    binary->total = bytes->length;
    *bytes = (struct text){0};
    source->binaries = xreallocarray(source->binaries, source->binary_count + 1,
                                     sizeof(source->binaries[0]));
    source->binaries[source->binary_count++] = binary;
    launch->binary = &binary->bytes;
}

void source_clear_binaries(struct source *source)
{
    for (size_t i = 0; i < source->binary_count; i++) {
        text_clear(&source->binaries[i]->bytes);
        free(source->binaries[i]);
    }
    free(source->binaries);
    source->binaries = NULL;
    source->binary_count = 0;
}

void source_launch_clear_detail(struct source_launch *launch)
{
    for (size_t i = 0; i < launch->part_count; i++)
        text_clear(&launch->parts[i].bytes);
    free(launch->parts);
    launch->parts = NULL;
    launch->part_count = 0;
    free(launch->chart);
    launch->chart = NULL;
    text_clear(&launch->block_counts);
    text_clear(&launch->block_map);
    text_clear(&launch->block_table);
}
