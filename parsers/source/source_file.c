/* source_file.c - opens a source in a capture file: the blocks of one run and rank */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/source/source_builder.h"

static void note_problems(struct source_builder *builder,
                          const struct capture_reader *reader,
                          uint64_t run_id)
{
    const struct capture_problem *problem;

    for (size_t i = 0; (problem = capture_reader_problem(reader, i)); i++) {
        bool has_block = problem->run_id != 0;

        char text[256];

        if (has_block && problem->run_id != run_id)
            continue;
        snprintf(text, sizeof(text), "%s: %s", capture_problem_name(problem->kind),
                 problem->text);
        source_builder_note(
            builder, has_block ? (int64_t)problem->block : SOURCE_NO_BLOCK, text);
    }
}

struct capture_file {
    struct capture_reader *reader;
    char *path;
    uint64_t run_id;
};

static void load(struct source *source, struct source_launch *launch)
{
    const struct capture_file *file = source->origin.from;
    struct source_builder *builder = source_builder_create_fill(source, launch);
    struct capture_block block;
    struct err err;

    capture_reader_rewind(file->reader);
    while (capture_reader_next(file->reader, &block))
        if (block.head.run_id == file->run_id && block.head.shard == launch->shard &&
            block.head.number >= launch->first_block &&
            block.head.number <= launch->last_block)
            source_builder_add_block(&block, builder, &err);
    source_builder_destroy(builder);
}

static void close_file(void *from)
{
    struct capture_file *file = from;

    capture_reader_destroy(file->reader);
    free(file->path);
    free(file);
}

static struct source *open_rank(void *from, uint32_t rank)
{
    const struct capture_file *file = from;
    struct source *source = NULL;
    struct err err;

    return source_open_file(&source, file->path, file->run_id, rank, &err) < 0 ? NULL
                                                                               : source;
}

int source_open_file(struct source **out,
                     const char *path,
                     uint64_t run_id,
                     uint32_t rank,
                     struct err *err)
{
    struct source_builder *builder;
    struct capture_file *file;
    struct capture_reader *reader;
    struct capture_block block;

    if (capture_reader_open(&reader, path, err) < 0)
        return -1;
    builder = source_builder_create_index();
    capture_reader_sort(reader);
    while (capture_reader_next(reader, &block))
        if (block.head.run_id == run_id && block.head.shard >> 16 == rank)
            source_builder_add_block(&block, builder, err);
    note_problems(builder, reader, run_id);
    *out = source_builder_finish(&builder);
    if (!*out) {
        capture_reader_destroy(reader);
        return err_set(err, ERR_NOT_FOUND,
                       "%s has no records of run %" PRIu64 " rank %" PRIu32, path,
                       run_id, rank);
    }
    file = xmalloc(sizeof(*file));
    *file = (struct capture_file){reader, xstrdup(path), run_id};
    (*out)->origin = (struct source_origin){load, close_file, open_rank, file};
    return 0;
}
