#include "cli/prune/prune.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/prune/job_files.h"
#include "cli/query/job_search.h"
#include "cli/query/row_source.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"

static const struct row_output_column columns[] = {
    {"job_key", CELL_TEXT}, {"state", CELL_TEXT}, {"ended", CELL_TEXT},
    {"bytes", CELL_U64},    {"size", CELL_TEXT},  {"action", CELL_TEXT},
};

struct candidate {
    uint64_t job_id;
    char *key;
    enum job_state state;
    uint64_t ended_wall_ms;
    bool left; /* an earlier prune was killed before it removed the files */
    bool keep_figures;
};

struct pruning {
    const struct prune_options *options;
    struct store *store;
    struct candidate *items;
    size_t count, room;
    uint64_t *wanted; /* jobs that the user named */
    size_t wanted_count;
    struct row_output *output;
    uint64_t now_ms, removed, bytes;
};

/* Tests end the process between the steps of a prune. */
#ifdef MUSTER_TEST_SWITCHES
static void test_stop_after(const char *step)
{
    const char *stop = getenv("MUSTER_TEST_STOP_PRUNE");

    if (stop && strcmp(stop, step) == 0)
        _exit(EXIT_FAILURE);
}
#else
static void test_stop_after(const char *step)
{
    (void)step;
}
#endif

static struct candidate *add(struct pruning *pruning)
{
    if (pruning->count == pruning->room) {
        pruning->room = pruning->room ? pruning->room * 2 : 64;
        pruning->items =
            xreallocarray(pruning->items, pruning->room, sizeof(*pruning->items));
    }
    pruning->items[pruning->count] = (struct candidate){0};
    return &pruning->items[pruning->count++];
}

static bool is_wanted(const struct pruning *pruning, uint64_t job_id)
{
    for (size_t i = 0; i < pruning->wanted_count; i++)
        if (pruning->wanted[i] == job_id)
            return true;
    return pruning->wanted_count == 0;
}

static int add_job(const struct store_job *job, void *arg, struct err *err)
{
    struct pruning *pruning = arg;
    uint64_t older_ms = pruning->options->older_ms;

    (void)err;
    if (!is_wanted(pruning, job->job_id) ||
        (older_ms && job_state_is_final(job->state) &&
         job->ended_wall_ms + older_ms > pruning->now_ms))
        return 0;
    *add(pruning) = (struct candidate){
        .job_id = job->job_id,
        .key = xstrdup(job->key),
        .state = job->state,
        .ended_wall_ms = job->ended_wall_ms,
        .keep_figures = pruning->options->keep_figures,
    };
    return 0;
}

/* Each prune removes what an earlier one has left. */
static int add_left(const struct store_pruned *pruned, void *arg, struct err *err)
{
    (void)err;
    if (!pruned->files_removed)
        *add(arg) = (struct candidate){.job_id = pruned->job_id,
                                       .key = xstrdup(pruned->key),
                                       .state = JOB_STATE_END,
                                       .left = true,
                                       .keep_figures = pruned->keep_figures};
    return 0;
}

static int find_wanted(struct pruning *pruning, struct err *err)
{
    char *const *jobs = pruning->options->jobs;

    while (jobs[pruning->wanted_count])
        pruning->wanted_count++;
    pruning->wanted = xcalloc(pruning->wanted_count + 1, sizeof(*pruning->wanted));
    for (size_t i = 0; i < pruning->wanted_count; i++)
        if (job_search_store(pruning->store, jobs[i], JOB_CHOICE_ONLY,
                             &pruning->wanted[i], err) < 0)
            return -1;
    return 0;
}

/* Sets *why to the reason why a job stays, or to NULL. */
static int find_reason(const char **why,
                       struct pruning *pruning,
                       const struct candidate *job,
                       struct err *err)
{
    bool night = false, pruned = false;

    *why = NULL;
    if (job->left)
        return 0;
    if (!job_state_is_final(job->state)) {
        *why = "kept: it has not ended";
        return 0;
    }
    if (store_is_night(&night, pruning->store, job->job_id, err) < 0 ||
        store_is_pruned(&pruned, pruning->store, job->job_id, err) < 0)
        return -1;
    if (job->keep_figures && pruned)
        *why = "kept: its files are removed already";
    else if (!job->keep_figures && night)
        *why = "kept: a night of a baseline; --keep-figures removes its files";
    return 0;
}

/* Removes a job: first its rows, in one transaction, then its files. */
static int
remove_job(struct pruning *pruning, const struct candidate *job, struct err *err)
{
    const struct store_pruned pruned = {.job_id = job->job_id,
                                        .key = job->key,
                                        .keep_figures = job->keep_figures,
                                        .wall_ms = pruning->now_ms};

    if (!job->left && (store_prune_job(pruning->store, &pruned, err) < 0 ||
                       store_commit(pruning->store, err) < 0))
        return err_wrap(err, "removing %s", job->key);
    test_stop_after("rows");
    if (job_files_remove(pruning->options->out, job->job_id, job->key,
                         job->keep_figures, err) < 0)
        return err_wrap(err, "removing the files of %s", job->key);
    test_stop_after("files");
    if (store_prune_finish(pruning->store, &pruned, err) < 0 ||
        store_commit(pruning->store, err) < 0)
        return err_wrap(err, "removing %s", job->key);
    return 0;
}

static void print_job(struct pruning *pruning,
                      const struct candidate *job,
                      uint64_t bytes,
                      const char *action)
{
    char when[32], size[32];

    row_output_row(pruning->output,
                   (struct cell[]){
                       {.kind = CELL_TEXT, .text = job->key},
                       {.kind = CELL_TEXT,
                        .none = job->left,
                        .text = job->left ? "" : job_state_name(job->state)},
                       {.kind = CELL_TEXT,
                        .none = job->ended_wall_ms == 0,
                        .text = clock_format(when, job->ended_wall_ms * 1000000)},
                       {.kind = CELL_U64, .u64 = bytes},
                       {.kind = CELL_TEXT, .text = job_files_format(size, bytes)},
                       {.kind = CELL_TEXT, .text = action},
                   });
}

static int
handle_job(struct pruning *pruning, const struct candidate *job, struct err *err)
{
    bool yes = pruning->options->yes;
    const char *why;
    uint64_t bytes;

    if (find_reason(&why, pruning, job, err) < 0)
        return -1;
    bytes = job_files_bytes(pruning->options->out, job->job_id, job->key,
                            job->keep_figures);
    if (!why && yes && remove_job(pruning, job, err) < 0)
        return -1;
    print_job(pruning, job, bytes,
              why                 ? why
              : job->keep_figures ? (yes ? "files removed" : "would remove its files")
              : yes               ? "removed"
                                  : "would be removed");
    pruning->removed += !why;
    pruning->bytes += why ? 0 : bytes;
    return 0;
}

static int handle_all(struct pruning *pruning, struct err *err)
{
    if (find_wanted(pruning, err) < 0 ||
        store_each_pruned(pruning->store, add_left, pruning, err) < 0 ||
        store_each_uncounted_job(pruning->store, add_job, pruning, err) < 0)
        return -1;
    pruning->output = row_output_create(pruning->options->format, "muster.prune.v1",
                                        columns, COUNT(columns), stdout);
    for (size_t i = 0; i < pruning->count; i++)
        if (handle_job(pruning, &pruning->items[i], err) < 0) {
            struct err ignored;

            row_output_finish(&pruning->output, &ignored); /* prints the removed jobs */
            return -1;
        }
    return row_output_finish(&pruning->output, err);
}

/* Opens the store for writing only when something is removed. */
static int open_store(struct pruning *pruning, struct err *err)
{
    const char *out = pruning->options->out;

    if (row_source_open_store(&pruning->store, out, err) < 0)
        return -1;
    if (!pruning->options->yes)
        return 0;
    store_close(pruning->store);
    pruning->store = NULL;
    char *folder = xasprintf("%s/store", out);
    int result = store_has_writer(folder)
                     ? err_set(err, ERR_CONFLICT,
                               "a coordinator uses the store in %s; stop it, or wait "
                               "until the run in this folder has ended",
                               out)
                     : store_open(&pruning->store, folder, STORE_WRITE, err);
    free(folder);
    return result;
}

int prune(const struct prune_options *options, struct err *err)
{
    struct pruning pruning = {.options = options, .now_ms = clock_wall_ns() / 1000000};
    int result = open_store(&pruning, err);
    char size[32];

    if (result == 0)
        result = handle_all(&pruning, err);
    if (result == 0)
        fprintf(stderr, "%" PRIu64 " job%s, %s%s\n", pruning.removed,
                pruning.removed == 1 ? "" : "s", job_files_format(size, pruning.bytes),
                options->yes      ? " removed"
                : pruning.removed ? "; nothing is removed without --yes"
                                  : "");
    while (pruning.count)
        free(pruning.items[--pruning.count].key);
    free(pruning.items);
    free(pruning.wanted);
    store_close(pruning.store);
    return result;
}
