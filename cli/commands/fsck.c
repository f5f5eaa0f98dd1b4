/* fsck.c - checks the database, the captures and the result files of a store */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/query/row_source.h"
#include "lib/base/file.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/store/captures.h"
#include "lib/store/files/result_files.h"
#include "lib/store/store.h"

static const struct row_output_column columns[] = {
    {"what", CELL_TEXT},
    {"state", CELL_TEXT},
    {"text", CELL_TEXT},
};

enum { JOBS_MAX = 1 << 20 };

/* Results of one kind of damage in a job. */
struct finding {
    uint64_t count;
    char first[512];
};

/* The state of a check. The counts and `folders` are of the current job. */
struct check {
    struct store *store;
    struct row_output *output;
    const char *out;
    bool repair, whole;
    struct job {
        uint64_t job_id;
        char *key;
        uint64_t tasks_total, tasks; /* number in the job, and rows */
    } * jobs;
    size_t job_count, job_room;
    struct left { /* jobs whose files a killed prune has left */
        uint64_t job_id;
        char *key;
    } * left;
    size_t left_count;
    const char *job_key;
    bool pruned;         /* its capture and files were removed, or are to be removed */
    struct map *folders; /* attempt number in hex -> folder of its files */
    uint64_t groups, outputs, ranks, unchecked;
    struct finding missing, strays, changed;
};

const struct command command_fsck;

static void
add_row(struct check *check, const char *what, const char *state, const char *text)
{
    bool good = strcmp(state, "good") == 0 || strcmp(state, "mended") == 0 ||
                strcmp(state, "unchecked") == 0 || strcmp(state, "unfinished") == 0;

    check->whole &= good;
    row_output_row(check->output,
                   (struct cell[]){{.kind = CELL_TEXT, .text = what},
                                   {.kind = CELL_TEXT, .text = state},
                                   {.kind = CELL_TEXT, .none = !*text, .text = text}});
}

static bool is_first(struct finding *finding)
{
    return finding->count++ == 0;
}

/* Captures */

static int repair_index(const char *path, struct err *err)
{
    struct captures *captures;

    if (captures_open(&captures, path, STORE_WRITE, err) < 0)
        return -1;
    int result = captures_reindex(captures, err);
    if (result == 0)
        result = captures_commit(captures, err);
    if (result == 0)
        result = captures_check(captures, err);
    captures_close(captures);
    return result;
}

static int check_captures(const char *path, struct err *err)
{
    struct captures *captures;

    if (captures_open(&captures, path, STORE_READ, err) < 0)
        return -1;
    int result = captures_check(captures, err);
    captures_close(captures);
    return result;
}

static void check_job_captures(struct check *check, uint64_t job_id)
{
    char *folder = xasprintf("%s/store", check->out), path[4096], what[64];
    struct err err;

    captures_path(path, sizeof(path), folder, job_id);
    snprintf(what, sizeof(what), "captures/%llu.db", (unsigned long long)job_id);
    if (!file_exists(path)) {
        if (check->groups > 0 && !check->pruned)
            add_row(check, what, "missing",
                    "the job has results from this capture; restore it from a backup");
    } else if (check_captures(path, &err) == 0) {
        add_row(check, what, "good", "");
    } else {
        char *found = xstrdup(err.text);

        if (check->repair && repair_index(path, &err) == 0)
            add_row(check, what, "mended", found);
        else
            add_row(check, what, "damaged", found);
        free(found);
    }
    free(folder);
}

static bool is_left(const struct check *check, uint64_t job_id)
{
    for (size_t i = 0; i < check->left_count; i++)
        if (check->left[i].job_id == job_id)
            return true;
    return false;
}

/* Files of these jobs are no damage: the next prune removes them. */
static int add_left(const struct store_pruned *pruned, void *arg, struct err *err)
{
    struct check *check = arg;
    char *what, *text;

    (void)err;
    if (pruned->files_removed)
        return 0;
    check->left =
        xreallocarray(check->left, check->left_count + 1, sizeof(*check->left));
    check->left[check->left_count++] =
        (struct left){pruned->job_id, xstrdup(pruned->key)};
    what = xasprintf("prune of %s", pruned->key);
    text = xasprintf("files of the job are left; the next 'muster prune --yes' "
                     "removes them");
    add_row(check, what, "unfinished", text);
    free(what);
    free(text);
    return 0;
}

static bool is_job(const struct check *check, uint64_t job_id)
{
    for (size_t i = 0; i < check->job_count; i++)
        if (check->jobs[i].job_id == job_id)
            return true;
    return is_left(check, job_id);
}

static bool find_job(const struct check *check, const char *key)
{
    for (size_t i = 0; i < check->left_count; i++)
        if (strcmp(check->left[i].key, key) == 0)
            return true;
    for (size_t i = 0; i < check->job_count; i++)
        if (strcmp(check->jobs[i].key, key) == 0)
            return true;
    return false;
}

/* Reports capture files that belong to no job of the store. */
static void find_stray_captures(struct check *check)
{
    char *folder = xasprintf("%s/store/captures", check->out);
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char number[24], what[300];
        const char *dot = strchr(entry->d_name, '.');
        uint64_t job_id;

        if (!dot || strcmp(dot, ".db") != 0 ||
            (size_t)(dot - entry->d_name) >= sizeof(number))
            continue;
        snprintf(number, sizeof(number), "%.*s", (int)(dot - entry->d_name),
                 entry->d_name);
        if (num_parse_u64(number, &job_id) && is_job(check, job_id))
            continue;
        snprintf(what, sizeof(what), "captures/%s", entry->d_name);
        add_row(check, what, "stray", "no job of the store uses this file");
    }
    if (dir)
        closedir(dir);
    free(folder);
}

/* Files */

static const char *key_of(char key[24], uint64_t run_id)
{
    snprintf(key, 24, "%llu", (unsigned long long)run_id);
    return key;
}

/* Compares the figures of a rank with the checksum from the time of their parse. */
static int
check_figures(struct check *check, const struct store_rank *rank, struct err *err)
{
    uint32_t crc;

    if (rank->parse_state != PARSE_DONE && rank->parse_state != PARSE_FAILED)
        return 0;
    check->ranks++;
    check->unchecked += !rank->has_figures_crc;
    if (!rank->has_figures_crc)
        return 0;
    if (store_figures_crc(&crc, check->store, rank->run_id, rank->rank, err) < 0)
        return -1;
    if (crc != rank->figures_crc && is_first(&check->changed))
        snprintf(check->changed.first, sizeof(check->changed.first),
                 "point %llu repeat %u attempt %u rank %u",
                 (unsigned long long)rank->point, rank->repeat, rank->attempt,
                 rank->rank);
    return 0;
}

/* Counts the groups of a rank, keeps the folder of its attempt and checks its figures.
 */
static int add_rank(const struct store_rank *rank, void *arg, struct err *err)
{
    struct check *check = arg;
    char key[24];

    check->groups += rank->groups;
    if (!map_get(check->folders, key_of(key, rank->run_id)))
        map_put(check->folders, key,
                xasprintf("%s/%s/p%llu/r%u", check->out, check->job_key,
                          (unsigned long long)rank->point, rank->repeat));
    return check_figures(check, rank, err);
}

static int check_output(uint64_t run_id,
                        uint32_t rank,
                        const char *path,
                        void *arg,
                        struct err *err)
{
    struct check *check = arg;
    char key[24], *full;
    const char *folder = map_get(check->folders, key_of(key, run_id));

    (void)err;
    (void)rank;
    if (!folder)
        return 0;
    full = xasprintf("%s/%s", folder, path);
    check->outputs++;
    if (!file_exists(full) && is_first(&check->missing))
        snprintf(check->missing.first, sizeof(check->missing.first), "%s", full);
    free(full);
    return 0;
}

static int add_job(const struct store_job *job, void *arg, struct err *err)
{
    struct check *check = arg;

    if (check->job_count == JOBS_MAX)
        return err_set(err, ERR_LIMIT, "the store has more than %d jobs", JOBS_MAX);
    if (check->job_count == check->job_room) {
        check->job_room = check->job_room ? check->job_room * 2 : 64;
        check->jobs = xreallocarray(check->jobs, check->job_room, sizeof(*check->jobs));
    }
    check->jobs[check->job_count++] =
        (struct job){job->job_id, xstrdup(job->key), job->tasks_total,
                     job->tasks_waiting + job->tasks_leased + job->tasks_parsing +
                         job->tasks_done + job->tasks_failed + job->tasks_cancelled};
    return 0;
}

static int count_stray(const char *path, void *arg, struct err *err)
{
    struct check *check = arg;

    (void)err;
    if (is_first(&check->strays))
        snprintf(check->strays.first, sizeof(check->strays.first), "%s", path);
    return 0;
}

static void add_rows_of_job(struct check *check, const struct job *job)
{
    char what[160], words[800];

    if (job->tasks != job->tasks_total) {
        snprintf(what, sizeof(what), "tasks of %s", job->key);
        snprintf(words, sizeof(words),
                 "the job has %llu tasks, and the store %llu rows; restore a backup",
                 (unsigned long long)job->tasks_total, (unsigned long long)job->tasks);
        add_row(check, what, "damaged", words);
    }
    snprintf(what, sizeof(what), "figures of %s", job->key);
    if (check->changed.count) {
        snprintf(words, sizeof(words),
                 "figures of %llu of %llu ranks have changed, the first are of %s; "
                 "'muster reparse --all %s' reads them from the captures again",
                 (unsigned long long)check->changed.count,
                 (unsigned long long)check->ranks, check->changed.first, job->key);
        add_row(check, what, "damaged", words);
    }
    if (check->unchecked) {
        snprintf(words, sizeof(words),
                 "%llu of %llu ranks have no checksum, because an older version parsed "
                 "them",
                 (unsigned long long)check->unchecked,
                 (unsigned long long)check->ranks);
        add_row(check, what, "unchecked", words);
    }
    snprintf(what, sizeof(what), "files of %s", job->key);
    if (check->missing.count) {
        snprintf(words, sizeof(words),
                 "%llu of %llu files are missing, the first is %s",
                 (unsigned long long)check->missing.count,
                 (unsigned long long)check->outputs, check->missing.first);
        add_row(check, what, "missing", words);
    }
    if (check->strays.count) {
        snprintf(words, sizeof(words),
                 "%llu files belong to no result, the first is %s; remove them",
                 (unsigned long long)check->strays.count, check->strays.first);
        add_row(check, what, "stray", words);
    }
}

static int check_job(struct check *check, const struct job *job, struct err *err)
{
    char *out = xasprintf("%s/%s", check->out, job->key);
    const char *key;
    size_t cursor = 0;
    void *folder;

    check->groups = check->outputs = check->ranks = check->unchecked = 0;
    check->missing = check->strays = check->changed = (struct finding){0};
    check->job_key = job->key;
    check->folders = map_create();
    int result = store_each_rank(check->store, job->job_id, add_rank, check, err);
    if (result == 0)
        result = store_each_output(check->store, job->job_id, check_output, check, err);
    if (result == 0)
        result = store_is_pruned(&check->pruned, check->store, job->job_id, err);
    if (result == 0 && !is_left(check, job->job_id))
        result = result_files_each_stray_of_job(check->store, job->job_id, out,
                                                count_stray, check, err);
    while (map_next(check->folders, &cursor, &key, &folder))
        free(folder);
    map_destroy(check->folders);
    free(out);
    if (result < 0)
        return -1;
    check_job_captures(check, job->job_id);
    add_rows_of_job(check, job);
    return 0;
}

/* Reports folders of jobs that the store does not have, as after the loss of a store.
 */
static void find_stray_folders(struct check *check)
{
    DIR *dir = opendir(check->out);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        const char *dash = strrchr(entry->d_name, '-');
        char *report = xasprintf("%s/%s/report.json", check->out, entry->d_name);
        uint64_t job_id;

        if (dash && num_parse_u64(dash + 1, &job_id) && file_exists(report) &&
            !find_job(check, entry->d_name))
            add_row(check, entry->d_name, "stray",
                    "no job of the store has this folder; remove it, or restore the "
                    "store");
        free(report);
    }
    if (dir)
        closedir(dir);
}

static int check_all(struct check *check, struct err *err)
{
    struct err found;

    if (store_check(check->store, &found) < 0) {
        add_row(check, "muster.db", "damaged", found.text);
        return 0; /* the other checks read this database */
    }
    add_row(check, "muster.db", "good", "");
    if (store_each_pruned(check->store, add_left, check, err) < 0 ||
        store_each_job(check->store, 0, add_job, check, err) < 0)
        return -1;
    for (size_t i = 0; i < check->job_count; i++)
        if (check_job(check, &check->jobs[i], err) < 0)
            return -1;
    find_stray_captures(check);
    find_stray_folders(check);
    return 0;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    struct check check = {.whole = true};
    char **args;
    const struct option_row rows[] = {
        {"repair", 0, OPTION_FLAG, &check.repair, NULL,
         "Rebuild the index of a damaged capture from its groups", NULL},
        {"out", 0, OPTION_TEXT, &options.out, "DIR",
         "Folder of results whose store is checked (default: out)", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_fsck, rows, &options, argc, argv, &args,
                                       0, 0, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    check.out = options.out;
    int result = row_source_open_store(&check.store, options.out, err);
    if (result < 0)
        return -1;
    check.output = row_output_create((enum row_output_format)options.format,
                                     "muster.fsck.v1", columns, COUNT(columns), stdout);
    result = check_all(&check, err);
    if (result < 0)
        row_output_destroy(&check.output);
    else
        result = row_output_finish(&check.output, err);
    store_close(check.store);
    while (check.job_count)
        free(check.jobs[--check.job_count].key);
    free(check.jobs);
    while (check.left_count)
        free(check.left[--check.left_count].key);
    free(check.left);
    return result < 0 ? -1 : check.whole ? EXIT_GOOD : EXIT_SOME_FAILED;
}

const struct command command_fsck = {
    .name = "fsck",
    .args = "[--repair] [--out DIR]",
    .summary = "Check the database, the captures and the result files of a store",
    .details =
        "Checks the database and its references, the checksums of all figures and\n"
        "captures, and the existence of every file of accepted results. Reports files\n"
        "and folders of results that the store does not have. Exits with 1 when\n"
        "something is damaged, missing or unknown. A coordinator may use the store\n"
        "meanwhile, but not with --repair.",
    .examples = "  muster fsck\n"
                "  muster fsck --repair --out results",
    .run = run,
};
