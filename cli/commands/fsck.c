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
#include "lib/store/store.h"

static const struct row_output_column columns[] = {
    {"what", CELL_TEXT},
    {"state", CELL_TEXT},
    {"text", CELL_TEXT},
};

enum { JOBS_MAX = 1 << 20 };

/* The state of a check. The counts and `folders` are of the current job. */
struct check {
    struct store *store;
    struct row_output *output;
    const char *out;
    bool repair, whole;
    struct job {
        uint64_t job_id;
        char *key;
    } * jobs;
    size_t job_count, job_room;
    const char *job_key;
    struct map *folders; /* attempt number in hex -> folder of its files */
    uint64_t groups, missing, outputs;
    char first_missing[512];
};

const struct command command_fsck;

static void
add_row(struct check *check, const char *what, const char *state, const char *text)
{
    bool good = strcmp(state, "good") == 0 || strcmp(state, "mended") == 0;

    check->whole &= good;
    row_output_row(check->output,
                   (struct cell[]){{.kind = CELL_TEXT, .text = what},
                                   {.kind = CELL_TEXT, .text = state},
                                   {.kind = CELL_TEXT, .none = !*text, .text = text}});
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
        if (check->groups > 0)
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

static bool is_job(const struct check *check, uint64_t job_id)
{
    for (size_t i = 0; i < check->job_count; i++)
        if (check->jobs[i].job_id == job_id)
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

/* Counts the groups of a rank and keeps the folder of its attempt. */
static int add_rank(const struct store_rank *rank, void *arg, struct err *err)
{
    struct check *check = arg;
    char key[24];

    (void)err;
    check->groups += rank->groups;
    if (!map_get(check->folders, key_of(key, rank->run_id)))
        map_put(check->folders, key,
                xasprintf("%s/%s/p%llu/r%u", check->out, check->job_key,
                          (unsigned long long)rank->point, rank->repeat));
    return 0;
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
    if (!file_exists(full) && check->missing++ == 0)
        snprintf(check->first_missing, sizeof(check->first_missing), "%s", full);
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
    check->jobs[check->job_count++] = (struct job){job->job_id, xstrdup(job->key)};
    return 0;
}

static int check_job(struct check *check, const struct job *job, struct err *err)
{
    char what[160], words[640];
    const char *key;
    size_t cursor = 0;
    void *folder;

    check->groups = check->missing = check->outputs = 0;
    check->job_key = job->key;
    check->folders = map_create();
    int result = store_each_rank(check->store, job->job_id, add_rank, check, err);
    if (result == 0)
        result = store_each_output(check->store, job->job_id, check_output, check, err);
    while (map_next(check->folders, &cursor, &key, &folder))
        free(folder);
    map_destroy(check->folders);
    if (result < 0)
        return -1;
    check_job_captures(check, job->job_id);
    if (!check->missing)
        return 0;
    snprintf(what, sizeof(what), "files of %s", job->key);
    snprintf(words, sizeof(words), "%llu of %llu files are missing, the first is %s",
             (unsigned long long)check->missing, (unsigned long long)check->outputs,
             check->first_missing);
    add_row(check, what, "missing", words);
    return 0;
}

static int check_all(struct check *check, struct err *err)
{
    struct err found;

    if (store_check(check->store, &found) < 0) {
        add_row(check, "muster.db", "damaged", found.text);
        return 0; /* the other checks read this database */
    }
    add_row(check, "muster.db", "good", "");
    if (store_each_job(check->store, 0, add_job, check, err) < 0)
        return -1;
    for (size_t i = 0; i < check->job_count; i++)
        if (check_job(check, &check->jobs[i], err) < 0)
            return -1;
    find_stray_captures(check);
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
    return result < 0 ? -1 : check.whole ? EXIT_GOOD : EXIT_SOME_FAILED;
}

const struct command command_fsck = {
    .name = "fsck",
    .args = "[--repair] [--out DIR]",
    .summary = "Check the database, the captures and the result files of a store",
    .details =
        "Checks the database and its references, every checksum of every capture,\n"
        "and the existence of every file of accepted results. Exits with 1 when\n"
        "something is damaged or missing. A coordinator may use the store\n"
        "meanwhile, but not with --repair.",
    .run = run,
};
