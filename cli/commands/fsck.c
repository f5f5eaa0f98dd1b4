/* fsck.c - is all that a store says true: databases, captures, and the files made
 */
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

/* One job at a time: its captures, then what was parsed from them. */
struct look {
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
    struct map *folders; /* of its attempts */
    uint64_t groups, missing, made;
    char first_missing[512];
};

const struct command command_fsck;

static void
tell(struct look *look, const char *what, const char *state, const char *text)
{
    bool good = strcmp(state, "good") == 0 || strcmp(state, "mended") == 0;

    look->whole &= good;
    row_output_row(look->output,
                   (struct cell[]){{.kind = CELL_TEXT, .text = what},
                                   {.kind = CELL_TEXT, .text = state},
                                   {.kind = CELL_TEXT, .none = !*text, .text = text}});
}

/* Captures */

static int mend(const char *path, struct err *err)
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

static void look_at_captures(struct look *look, uint64_t job_id)
{
    char *folder = xasprintf("%s/store", look->out), path[4096], what[64];
    struct err err;

    captures_path(path, sizeof(path), folder, job_id);
    snprintf(what, sizeof(what), "captures/%llu.db", (unsigned long long)job_id);
    if (!file_exists(path)) {
        if (look->groups > 0)
            tell(look, what, "missing", "the job has results of it");
    } else if (check_captures(path, &err) == 0) {
        tell(look, what, "good", "");
    } else {
        char *found = xstrdup(err.text);

        if (look->repair && mend(path, &err) == 0)
            tell(look, what, "mended", found);
        else
            tell(look, what, "damaged", found);
        free(found);
    }
    free(folder);
}

static bool is_job(const struct look *look, uint64_t job_id)
{
    for (size_t i = 0; i < look->job_count; i++)
        if (look->jobs[i].job_id == job_id)
            return true;
    return false;
}

/* Files that no job in the store belongs to. */
static void look_for_strangers(struct look *look)
{
    char *folder = xasprintf("%s/store/captures", look->out);
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
        if (num_parse_u64(number, &job_id) && is_job(look, job_id))
            continue;
        snprintf(what, sizeof(what), "captures/%s", entry->d_name);
        tell(look, what, "stray", "no job of the store has it");
    }
    if (dir)
        closedir(dir);
    free(folder);
}

/* Files */

static const char *key_of(char key[24], uint64_t run_id)
{
    snprintf(key, 24, "%llx", (unsigned long long)run_id);
    return key;
}

/* What an attempt captured, and where its files are. */
static int add_rank(const struct store_rank *rank, void *arg, struct err *err)
{
    struct look *look = arg;
    char key[24];

    (void)err;
    look->groups += rank->groups;
    if (!map_get(look->folders, key_of(key, rank->run_id)))
        map_put(look->folders, key,
                xasprintf("%s/%s/p%llu/r%u", look->out, look->job_key,
                          (unsigned long long)rank->point, rank->repeat));
    return 0;
}

static int look_at_output(uint64_t run_id,
                          uint32_t rank,
                          const char *path,
                          void *arg,
                          struct err *err)
{
    struct look *look = arg;
    char key[24], *full;
    const char *folder = map_get(look->folders, key_of(key, run_id));

    (void)err;
    (void)rank;
    if (!folder)
        return 0;
    full = xasprintf("%s/%s", folder, path);
    look->made++;
    if (!file_exists(full) && look->missing++ == 0)
        snprintf(look->first_missing, sizeof(look->first_missing), "%s", full);
    free(full);
    return 0;
}

static int add_job(const struct store_job *job, void *arg, struct err *err)
{
    struct look *look = arg;

    if (look->job_count == JOBS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d jobs", JOBS_MAX);
    if (look->job_count == look->job_room) {
        look->job_room = look->job_room ? look->job_room * 2 : 64;
        look->jobs = xreallocarray(look->jobs, look->job_room, sizeof(*look->jobs));
    }
    look->jobs[look->job_count++] = (struct job){job->job_id, xstrdup(job->key)};
    return 0;
}

static int look_at_job(struct look *look, const struct job *job, struct err *err)
{
    char what[160], words[640];
    const char *key;
    size_t cursor = 0;
    void *folder;

    look->groups = look->missing = look->made = 0;
    look->job_key = job->key;
    look->folders = map_create();
    int result = store_each_rank(look->store, job->job_id, add_rank, look, err);
    if (result == 0)
        result = store_each_output(look->store, job->job_id, look_at_output, look, err);
    while (map_next(look->folders, &cursor, &key, &folder))
        free(folder);
    map_destroy(look->folders);
    if (result < 0)
        return -1;
    look_at_captures(look, job->job_id);
    if (!look->missing)
        return 0;
    snprintf(what, sizeof(what), "files of %s", job->key);
    snprintf(words, sizeof(words), "%llu of %llu files are not there: %s",
             (unsigned long long)look->missing, (unsigned long long)look->made,
             look->first_missing);
    tell(look, what, "missing", words);
    return 0;
}

static int look_at_all(struct look *look, struct err *err)
{
    struct err found;

    if (store_check(look->store, &found) < 0) {
        tell(look, "muster.db", "damaged", found.text);
        return 0; /* nothing that it says can be relied on */
    }
    tell(look, "muster.db", "good", "");
    if (store_each_job(look->store, 0, add_job, look, err) < 0)
        return -1;
    for (size_t i = 0; i < look->job_count; i++)
        if (look_at_job(look, &look->jobs[i], err) < 0)
            return -1;
    look_for_strangers(look);
    return 0;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    struct look look = {.whole = true};
    char **args;
    const struct option_row rows[] = {
        {"repair", 0, OPTION_FLAG, &look.repair, NULL,
         "make the index of a capture again from its groups", NULL},
        {"out", 0, OPTION_TEXT, &options.out, "DIR",
         "the folder of results; its store is looked at (out)", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed =
        command_options_parse(&command_fsck, rows, &options, argc, argv, &args, 0, 0, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    look.out = options.out;
    int result = row_source_open_store(&look.store, options.out, err);
    if (result < 0)
        return -1;
    look.output = row_output_create((enum row_output_format)options.format,
                                    "muster.fsck.v1", columns, COUNT(columns), stdout);
    result = look_at_all(&look, err);
    if (result < 0)
        row_output_drop(&look.output);
    else
        result = row_output_finish(&look.output, err);
    store_close(look.store);
    while (look.job_count)
        free(look.jobs[--look.job_count].key);
    free(look.jobs);
    return result < 0 ? -1 : look.whole ? EXIT_GOOD : EXIT_SOME_FAILED;
}

const struct command command_fsck = {
    .name = "fsck",
    .args = "[--repair] [--out DIR]",
    .summary = "see whether a store, its captures and the files made are whole",
    .details =
        "Reads all of it: the database and its references, every checksum of every\n"
        "capture, and whether the files of accepted results are there. Ends with 1\n"
        "when something is not. A coordinator may go on meanwhile; not with --repair.",
    .run = run,
};
