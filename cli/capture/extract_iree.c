#include "cli/capture/extract_iree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command.h"
#include "cli/capture/capture_files.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/dumps/dump_files.h"
#include "parsers/iree/iree_dump.h"

struct owner {
    uint64_t run_id;
    uint32_t rank;
};

struct extracting {
    uint64_t run_id;
    int64_t rank;
    struct owner *owners; /* ranks with files */
    size_t count;
    size_t files, problems;
};

/* Lists the ranks that have files; the blocks are sorted. */
static int find_owner(const struct capture_block *block, void *arg, struct err *err)
{
    struct extracting *all = arg;
    const struct owner is = {block->head.run_id, block->head.shard >> 16};
    const struct owner *last = all->count ? &all->owners[all->count - 1] : NULL;

    (void)err;
    if (strcmp(block->type, "dump.file") != 0 ||
        (all->run_id && is.run_id != all->run_id) ||
        (all->rank >= 0 && is.rank != (uint64_t)all->rank) ||
        (last && last->run_id == is.run_id && last->rank == is.rank))
        return 0;
    all->owners = xreallocarray(all->owners, all->count + 1, sizeof(*all->owners));
    all->owners[all->count++] = is;
    return 0;
}

static int print_file(const struct dump_file *file, void *arg, struct err *err)
{
    struct extracting *all = arg;

    (void)err;
    printf("%s\n", file->path);
    all->files++;
    return 0;
}

static void print_problem(const char *text, void *arg)
{
    struct extracting *all = arg;

    fprintf(stderr, "%s\n", text);
    all->problems++;
}

static int restore_files(struct extracting *all,
                         const char *path,
                         const char *out,
                         struct err *err)
{
    const struct dump_files_events events = {print_file, print_problem, all};
    uint64_t problems;
    int result = capture_each_block(path, find_owner, NULL, &problems, all, err);

    for (size_t i = 0; result == 0 && i < all->count; i++) {
        char *folder = xasprintf("%s/run%" PRIu64, out, all->owners[i].run_id);

        result = dump_files_restore(path, all->owners[i].run_id, all->owners[i].rank,
                                    folder, &events, err);
        free(folder);
    }
    free(all->owners);
    return result;
}

/* Writes the parts of one file, which follow each other in the result. */
static int write_parts(const struct iree_dump *dump,
                       const struct iree_part *parts,
                       size_t count,
                       const char *path,
                       struct err *err)
{
    struct file_new *file;

    if (file_new_create(&file, path, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (fd_write_all(file_new_fd(file),
                         (const uint8_t *)dump->mapped + parts[i].offset,
                         (size_t)parts[i].bytes) < 0) {
            err_errno(err, "writing %s", path);
            file_new_abandon(&file);
            return -1;
        }
    if (file_new_commit(&file, err) < 0)
        return -1;
    printf("%s\n", path);
    return 0;
}

/* Writes the dumps and profiles that were appended to a capture file. */
static int write_appended(struct extracting *all,
                          const char *path,
                          const char *out,
                          struct err *err)
{
    struct iree_part *chunks;
    struct iree_dump *dump;
    size_t count = 0;
    char *name;
    int result;

    if (iree_dump_open(&dump, path, err) < 0)
        return -1;
    result = folder_create(out, err);
    chunks = xcalloc(dump->part_count + 1, sizeof(*chunks));
    for (size_t i = 0; result == 0 && i < dump->part_count; i++) {
        const struct iree_part *part = &dump->parts[i];

        if (part->kind == IREE_PART_METADATA || part->kind == IREE_PART_RING)
            chunks[count++] = *part;
        if (part->kind != IREE_PART_PROFILE)
            continue;
        name = xasprintf("%s/appended-%zu.ireeprof", out, part->index);
        result = write_parts(dump, part, 1, name, err);
        free(name);
        all->files++;
    }
    name = xasprintf("%s/appended.idb", out);
    if (result == 0 && count) {
        result = write_parts(dump, chunks, count, name, err);
        all->files++;
    }
    free(name);
    free(chunks);
    iree_dump_close(dump);
    return result;
}

int extract_iree(const char *path,
                 const char *out,
                 uint64_t run_id,
                 int64_t rank,
                 struct err *err)
{
    struct extracting all = {.run_id = run_id, .rank = rank};

    if (restore_files(&all, path, out, err) < 0 ||
        (!capture_is_database(path) && write_appended(&all, path, out, err) < 0))
        return -1;
    if (all.files + all.problems == 0)
        return err_set(err, ERR_NOT_FOUND,
                       "%s has no file of IREE; 'muster capture ls' lists its blocks",
                       path);
    return all.problems ? EXIT_SOME_FAILED : EXIT_GOOD;
}
