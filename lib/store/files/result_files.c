#include "lib/store/files/result_files.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/store/states.h"
#include "lib/store/store.h"

/* Names a launch whose parser failed; muster-parser writes it and stores no row. */
#define QUARANTINE_FILE "quarantine.json"

static int
keep_path(uint64_t run_id, uint32_t rank, const char *path, void *arg, struct err *err)
{
    (void)run_id;
    (void)rank;
    (void)err;
    map_put(arg, path, arg);
    return 0;
}

/* Reads the paths of the attempt's outputs, which are relative to its folder. */
static int
read_outputs(struct map **out, struct store *store, uint64_t run_id, struct err *err)
{
    *out = map_create();
    if (run_id == 0 || store_each_run_output(store, run_id, keep_path, *out, err) == 0)
        return 0;
    map_destroy(*out);
    return -1;
}

static bool is_stray(const struct map *outputs, const FTSENT *entry, size_t front)
{
    return entry->fts_info != FTS_D && entry->fts_info != FTS_DP &&
           entry->fts_info != FTS_NS && strcmp(entry->fts_name, QUARANTINE_FILE) != 0 &&
           !map_get(outputs, entry->fts_path + front);
}

static int walk(const struct map *outputs,
                const char *folder,
                result_files_fn *fn,
                int (*leave)(const char *path),
                void *arg,
                struct err *err)
{
    char *const roots[] = {(char *)folder, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    size_t front = strlen(folder) + 1;
    FTSENT *entry;
    int result = 0;

    if (!tree)
        return err_errno(err, "reading %s", folder);
    while (result == 0 && (entry = fts_read(tree))) {
        if (entry->fts_level == 0 && entry->fts_info == FTS_NS)
            break; /* no such folder */
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
            errno = entry->fts_errno;
            result = err_errno(err, "reading %s", entry->fts_path);
        } else if (entry->fts_info == FTS_DP && leave) {
            leave(entry->fts_path); /* fails for a folder that is not empty */
        } else if (is_stray(outputs, entry, front)) {
            result = fn(entry->fts_path, arg, err);
        }
    }
    fts_close(tree);
    return result;
}

int result_files_each_stray(struct store *store,
                            uint64_t run_id,
                            const char *folder,
                            result_files_fn *fn,
                            void *arg,
                            struct err *err)
{
    struct map *outputs;

    if (read_outputs(&outputs, store, run_id, err) < 0)
        return -1;
    int result = walk(outputs, folder, fn, NULL, arg, err);
    map_destroy(outputs);
    return result;
}

struct task_files {
    bool has_ended;
    uint64_t run_id; /* of the accepted attempt; 0: none */
};

/* Keeps a task by the name of its folder. */
static int keep_task(const struct store_task *task, void *arg, struct err *err)
{
    struct task_files *files = xcalloc(1, sizeof(*files));
    char name[64];

    (void)err;
    *files =
        (struct task_files){task_state_is_final(task->state), task->accepted_run_id};
    snprintf(name, sizeof(name), "p%llu/r%u", (unsigned long long)task->point,
             task->repeat);
    map_put(arg, name, files);
    return 0;
}

static void free_tasks(struct map *tasks)
{
    size_t cursor = 0;
    const char *name;
    void *files;

    while (map_next(tasks, &cursor, &name, &files))
        free(files);
    map_destroy(tasks);
}

/* Walks over the folders p<point>/r<repeat>. Other entries of a job's folder belong to
 * its report. */
static int walk_job(struct store *store,
                    const struct map *tasks,
                    const char *folder,
                    result_files_fn *fn,
                    void *arg,
                    struct err *err)
{
    char *const roots[] = {(char *)folder, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    size_t front = strlen(folder) + 1;
    FTSENT *entry;
    int result = 0;

    if (!tree)
        return err_errno(err, "reading %s", folder);
    while (result == 0 && (entry = fts_read(tree))) {
        bool is_point = entry->fts_name[0] == 'p' && isdigit(entry->fts_name[1]);

        if (entry->fts_level == 1 && !is_point)
            fts_set(tree, entry, FTS_SKIP);
        if (entry->fts_level != 2 || entry->fts_info == FTS_DP)
            continue;
        const struct task_files *files = map_get(tasks, entry->fts_path + front);
        fts_set(tree, entry, FTS_SKIP);
        if (entry->fts_info != FTS_D)
            result = fn(entry->fts_path, arg, err);
        else if (!files || files->has_ended)
            result = result_files_each_stray(store, files ? files->run_id : 0,
                                             entry->fts_path, fn, arg, err);
    }
    fts_close(tree);
    return result;
}

int result_files_each_stray_of_job(struct store *store,
                                   uint64_t job_id,
                                   const char *folder,
                                   result_files_fn *fn,
                                   void *arg,
                                   struct err *err)
{
    struct map *tasks = map_create();
    int result = store_each_task(store, job_id, keep_task, tasks, err);

    if (result == 0)
        result = walk_job(store, tasks, folder, fn, arg, err);
    free_tasks(tasks);
    return result;
}

static int remove_file(const char *path, void *arg, struct err *err)
{
    (void)arg;
    return unlink(path) == 0 || errno == ENOENT ? 0
                                                : err_errno(err, "removing %s", path);
}

int result_files_remove_strays(struct store *store,
                               uint64_t run_id,
                               const char *folder,
                               struct err *err)
{
    struct map *outputs;

    if (read_outputs(&outputs, store, run_id, err) < 0)
        return -1;
    int result = walk(outputs, folder, remove_file, rmdir, NULL, err);
    map_destroy(outputs);
    return result;
}
