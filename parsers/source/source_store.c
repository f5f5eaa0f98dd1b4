/* source_store.c - opens a source in the capture database of a job */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/store/captures.h"
#include "parsers/source/source_blocks.h"
#include "parsers/source/source_builder.h"

/* a store, for source_load(); each process opens its own connection */
struct database {
    char *path;
    uint64_t run_id;
    struct captures *captures;
    pid_t owner; /* process that opened the connection */
};

static int add_group(const struct captures_group *group, void *arg, struct err *err)
{
    struct source_builder *builder = arg;
    struct capture_reader *reader = capture_reader_create(group->bytes, group->size);
    struct capture_block block;

    source_builder_set_group(builder, group->number);
    while (capture_reader_next(reader, &block))
        source_builder_add_block(&block, builder, err);
    capture_reader_destroy(reader);
    return 0;
}

static void load(struct source *source, struct source_launch *launch)
{
    struct database *database = source->origin.from;
    struct source_builder *builder;
    struct err err;

    if (database->owner !=
        getpid()) { /* a child must not use the parent's connection */
        database->captures = NULL;
        database->owner = getpid();
    }
    builder = source_builder_create_fill(source, launch);
    if ((!database->captures &&
         captures_open(&database->captures, database->path, STORE_READ, &err) < 0) ||
        captures_each_group_between(database->captures, database->run_id, launch->shard,
                                    launch->first_group, launch->last_group, add_group,
                                    builder, &err) < 0)
        source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "%s", err.text);
    source_builder_destroy(builder);
}

static void close_database(void *from)
{
    struct database *database = from;

    if (database->owner == getpid())
        captures_close(database->captures);
    free(database->path);
    free(database);
}

static struct source *open_rank(void *from, uint32_t rank)
{
    const struct database *database = from;
    struct source *source = NULL;
    struct err err; /* dropped: a rank without data has no passes to share */

    return source_open_capture(&source, database->path, database->run_id, rank, &err) <
                   0
               ? NULL
               : source;
}

/* Reads the facts of all launches, and in which groups their bytes are. */
static struct source *
read_index(struct captures *captures, uint64_t run_id, uint32_t rank, struct err *err)
{
    struct source_builder *builder = source_builder_create_index();

    if (captures_each_group(captures, run_id, (int32_t)rank, add_group, builder, err) <
        0)
        source_builder_note(builder, SOURCE_NO_BLOCK, err->text);
    return source_builder_finish(&builder);
}

int source_open_capture(struct source **out,
                        const char *path,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err)
{
    struct captures *captures;
    struct database *database;

    if (!source_is_database(path))
        return source_open_file(out, path, run_id, rank, err);
    if (captures_open(&captures, path, STORE_READ, err) < 0)
        return err_wrap(err, "reading capture %s", path);
    *out = read_index(captures, run_id, rank, err);
    captures_close(captures);
    if (!*out)
        return err_set(err, ERR_NOT_FOUND,
                       "%s has no records of run %" PRIu64 " rank %" PRIu32, path,
                       run_id, rank);
    database = xmalloc(sizeof(*database));
    *database = (struct database){.path = xstrdup(path), .run_id = run_id};
    (*out)->origin = (struct source_origin){load, close_database, open_rank, database};
    return 0;
}

int source_read_capture(struct source **out,
                        const char *path,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err)
{
    if (source_open_capture(out, path, run_id, rank, err) < 0)
        return -1;
    source_load_all(*out);
    return 0;
}
