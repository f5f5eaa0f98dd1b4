/* fetch.c - copies the result files of a job from a coordinator or a store */
#include "cli/fetch/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "cli/fetch/file_kinds.h"
#include "cli/query/row_source.h"
#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/file_below.h"
#include "lib/base/mem.h"

enum { PROGRESS_MS = 200 };

struct found_job {
    uint64_t job_id;
    char *key, *state;
};

static volatile sig_atomic_t stopped;

const struct command command_fetch;

/* The second signal ends the process. */
static void on_signal(int signum)
{
    stopped = signum;
}

static void watch_signals(void)
{
    const struct sigaction action = {.sa_handler = on_signal,
                                     .sa_flags = (int)SA_RESETHAND | SA_RESTART};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond `ulimit -f` then fails with a reason */
}

static double mib(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static void show_progress(const struct fetch_counts *counts)
{
    static uint64_t shown_ms;
    uint64_t now_ms = clock_mono_ms();

    if (now_ms - shown_ms < PROGRESS_MS)
        return;
    shown_ms = now_ms;
    fprintf(stderr, "\r%" PRIu64 " files, %.1f MiB fetched", counts->files,
            mib(counts->fetched_bytes));
}

static void end_progress(void)
{
    fprintf(stderr, "\r%60s\r", "");
}

static void keep_job(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct found_job *found = arg;

    if (job->job_id != found->job_id || found->key)
        return;
    found->key = xstrdup(job->job_key);
    found->state = xstrdup(job->state);
}

static int find_job(struct found_job *job,
                    struct row_source *rows,
                    const char *arg,
                    struct err *err)
{
    if (row_source_find_job(rows, arg, &job->job_id, err) < 0 ||
        row_source_uncounted_jobs(rows, keep_job, job, err) < 0)
        return -1;
    if (!job->key || strchr(job->key, '/') || !file_below_is_valid(job->key))
        return err_set(err, ERR_INPUT, "the key of job %s is no name of a folder", arg);
    return 0;
}

static bool has_ended(const struct found_job *job)
{
    static const char *const states[] = {"done", "failed", "cancelled"};

    for (size_t i = 0; i < COUNT(states); i++)
        if (strcmp(job->state, states[i]) == 0)
            return true;
    return false;
}

/* Returns true when `folder` is the folder that the store's files are in. */
static bool is_same_folder(int folder, const char *out, const char *key)
{
    char *path = xasprintf("%s/%s", out, key);
    struct stat a, b;
    bool same = stat(path, &a) == 0 && fstat(folder, &b) == 0 && a.st_dev == b.st_dev &&
                a.st_ino == b.st_ino;

    free(path);
    return same;
}

static int open_target(int *top, const char *folder, struct err *err)
{
    if (folder_create(folder, err) < 0)
        return -1;
    *top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*top < 0)
        return err_errno(err, "%s", folder);
    /* some file systems cannot lock folders; then nothing excludes a second run */
    if (flock(*top, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        close(*top);
        return err_set(err, ERR_CONFLICT,
                       "another 'muster fetch' writes to %s; wait for its end", folder);
    }
    return 0;
}

/* Prints what was done, and returns the exit code. */
static int print_counts(const struct fetch_counts *counts,
                        const struct found_job *job,
                        const char *folder)
{
    uint64_t whole = counts->files - counts->missing - counts->changed;
    int code = EXIT_GOOD;

    if (counts->interrupted) {
        fprintf(stderr,
                "muster fetch: interrupted after %" PRIu64
                " files (%.1f MiB); the same "
                "command continues\n",
                counts->written, mib(counts->fetched_bytes));
        return EXIT_INTERRUPTED;
    }
    printf("%s: %" PRIu64 " file%s, %.1f MiB; %" PRIu64 " fetched, %" PRIu64
           " were there\n",
           folder, whole, whole == 1 ? "" : "s", mib(counts->bytes), counts->written,
           whole - counts->written);
    if (!has_ended(job)) {
        fprintf(stderr,
                "muster fetch: the job is %s; repeat the command for the rest of its "
                "files\n",
                job->state);
        code = EXIT_UNDECIDED;
    }
    if (counts->changed) {
        fprintf(stderr,
                "muster fetch: %" PRIu64 " file%s changed meanwhile; repeat the "
                "command\n",
                counts->changed, counts->changed == 1 ? "" : "s");
        code = EXIT_UNDECIDED;
    }
    if (counts->missing) {
        fprintf(stderr,
                "muster fetch: %" PRIu64 " file%s of the job %s not on the disk of the "
                "coordinator; 'muster fsck' there lists them\n",
                counts->missing, counts->missing == 1 ? "" : "s",
                counts->missing == 1 ? "is" : "are");
        code = EXIT_SOME_FAILED;
    }
    return code;
}

static int fail_without_files(const struct found_job *job, int kinds, struct err *err)
{
    if (kinds != FILE_KINDS_ALL)
        return err_set(err, ERR_NOT_FOUND,
                       "job %s has no files of these kinds; without --only all are "
                       "fetched",
                       job->key);
    return err_set(err, ERR_NOT_FOUND, "job %s has no result files; it is %s", job->key,
                   job->state);
}

static int copy_files(struct row_source *rows,
                      const struct found_job *job,
                      const char *out,
                      const char *to,
                      int kinds,
                      struct err *err)
{
    struct fetch_request request = {
        .job_id = job->job_id,
        .kinds = kinds,
        .stop = &stopped,
        .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
    };
    struct fetch_source *source = NULL;
    struct fetch_counts counts = {0};
    char *folder = xasprintf("%s/%s", to, job->key);
    int result = open_target(&request.top, folder, err);

    if (result == 0 && row_source_store(rows) &&
        is_same_folder(request.top, out, job->key))
        result = err_set(err, ERR_INPUT,
                         "the files of %s are in %s already; choose another folder "
                         "with --to",
                         job->key, folder);
    if (result == 0) {
        watch_signals();
        source = fetch_source_create(rows, out);
        result = fetch_files(&counts, source, &request, err);
        if (request.progress)
            end_progress();
    }
    if (result == 0 && counts.files == 0 && !counts.interrupted)
        result = fail_without_files(job, kinds, err);
    if (result == 0)
        result = print_counts(&counts, job, folder);
    if (source && counts.files == 0)
        rmdir(folder); /* fails when the folder has files */
    fetch_source_destroy(source);
    if (request.top > 0)
        close(request.top);
    free(folder);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    const char *to = ".", *only = NULL;
    struct row_source *rows = NULL;
    struct found_job job = {0};
    int kinds = FILE_KINDS_ALL;
    char **args;
    const struct option_row table[] = {
        {"to", 0, OPTION_TEXT, &to, "DIR",
         "Folder that gets a folder with the name of the job (default: .)", NULL},
        {"only", 0, OPTION_TEXT, &only, "KINDS",
         "Only files of these kinds, divided by commas: bin, csv, trace, report "
         "(default: all files)",
         NULL},
        COMMAND_OPTIONS_OUT_ROW(options),
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int result = command_options_parse(&command_fetch, table, &options, argc, argv,
                                       &args, 1, 1, err);
    if (result)
        return result < 0 ? -1 : EXIT_GOOD;
    if (only && file_kinds_parse(&kinds, only, err) < 0)
        return -1;
    result = row_source_open(&rows, &options.client, options.out, err);
    if (result == 0)
        result = find_job(&job, rows, args[0], err);
    if (result == 0)
        result = copy_files(rows, &job, options.out, to, kinds, err);
    row_source_close(rows);
    free(job.key);
    free(job.state);
    return result;
}

const struct command command_fetch = {
    .name = "fetch",
    .args = "JOB [--to DIR] [--only KINDS]",
    .summary = "Copy the result files of a job to this host",
    .details =
        "Copies the files of all tasks that have ended, and the reports of the job,\n"
        "to DIR/JOB/. The same command continues a run that was interrupted:\n"
        "existing files are compared by checksum, and only what differs is\n"
        "transferred. The role read is enough. Kinds: bin (visualize_data.bin), csv\n"
        "(tables), trace (timelines) and report (report.html and the other files of\n"
        "the whole job).\n"
        "Exit code 5: the job has not ended. 1: files are "
        "missing.\n" COMMAND_JOB_DETAILS,
    .examples = "  muster fetch sweep-7 --to results\n"
                "  muster fetch sweep-7 --only csv,report",
    .run = run,
};
