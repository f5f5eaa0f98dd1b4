#include "coordinator/sessions/lease_message.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"

static bool
is_below(char *out, size_t size, const char *folder, const char *path, int access_mode)
{
    return snprintf(out, size, "%s/%s", folder, path) < (int)size &&
           access(out, access_mode) == 0;
}

static bool
find(char *out, size_t size, const char *path, const char *folder, int access_mode)
{
    char ranks[PATH_MAX];
    struct err ignored;

    return *path != '/' && (is_below(out, size, folder, path, access_mode) ||
                            (file_parts_folder(ranks, sizeof(ranks), &ignored) == 0 &&
                             is_below(out, size, ranks, path, access_mode)));
}

void lease_message_find_program(char *out,
                                size_t size,
                                const char *path,
                                const char *folder)
{
    if (!strchr(path, '/') || !find(out, size, path, folder, X_OK))
        snprintf(out, size, "%s", path);
}

/* Finds a file. One that this host does not have may exist on the worker's host, below
 * the folder of the job. */
static void find_file(char *out, size_t size, const char *path, const char *folder)
{
    if (!find(out, size, path, folder, R_OK))
        snprintf(out, size, "%s%s%s", *path == '/' ? "" : folder,
                 *path == '/' ? "" : "/", path);
}

enum { CACHE_MS = 1000 };

/* The program that was found last: the points of a job mostly share one program. */
struct lease_message_program {
    uint64_t until_ms; /* after this time a new build may lie elsewhere */
    char path[PATH_MAX], found[PATH_MAX];
};

/* Finds a program, kernel file or library. A version with a path has it there and
 * nowhere else: another place has another version. */
static void find_version(char *out,
                         size_t size,
                         const char *path,
                         const char *version_path,
                         const char *folder,
                         bool runner)
{
    bool below_job = *path != '/' && *version_path != '/';

    if (!*version_path)
        (runner ? find_file : lease_message_find_program)(out, size, path, folder);
    else
        snprintf(out, size, "%s%s%s%s%s", below_job ? folder : "", below_job ? "/" : "",
                 *path == '/' ? "" : version_path, *path == '/' ? "" : "/", path);
}

int lease_message_program_word(const struct job_point *point)
{
    if (point->command.count == 0)
        return -1;
    if (point->settings->runner)
        return JOB_RUNNER_FILE;
    /* without a version's path, a path in a container is that of its file system */
    return point->program > 0 && !*point->path ? -1 : (int)point->program;
}

void lease_message_program(char *out,
                           size_t size,
                           const struct job_point *point,
                           const char *folder)
{
    const char *path = point->command.items[lease_message_program_word(point)];

    find_version(out, size, path, point->path, folder, point->settings->runner);
}

void lease_message_cwd(char *out,
                       size_t size,
                       const struct job_point *point,
                       const char *folder)
{
    bool is_folder = strcmp(point->cwd, ".") == 0;

    if (is_folder || (point->settings->runner && !*point->cwd)) /* with input files */
        snprintf(out, size, "%s", folder);
    else if (*point->cwd && *point->cwd != '/')
        snprintf(out, size, "%s/%s", folder, point->cwd);
    else
        snprintf(out, size, "%s", point->cwd);
}

/* As lease_message_program(), with the cache of the job. */
static void find_for_job(char *out,
                         size_t size,
                         const struct job_point *point,
                         struct ledger_job *job)
{
    const char *path = point->command.items[lease_message_program_word(point)];
    uint64_t now_ms = clock_mono_ms();

    if (*point->path) {
        lease_message_program(out, size, point, job->folder);
        return;
    }
    if (!job->program)
        job->program = xcalloc(1, sizeof(*job->program));
    if (now_ms >= job->program->until_ms || strcmp(job->program->path, path) != 0) {
        lease_message_program(job->program->found, PATH_MAX, point, job->folder);
        snprintf(job->program->path, PATH_MAX, "%s", path);
        job->program->until_ms = now_ms + CACHE_MS;
    }
    snprintf(out, size, "%s", job->program->found);
}

void lease_message_fill(struct msg_lease *lease,
                        const struct attempt_rank *rank,
                        char *program,
                        size_t program_size,
                        char *cwd,
                        size_t cwd_size)
{
    const struct attempt *attempt = rank->attempt;
    const struct task *task = attempt->task;
    size_t ranks = attempt->hosts ? attempt->rank_count : 0;
    struct job_point point;

    job_points_at(task->job->points, task->point, &point);
    const struct job_settings *settings = point.settings;
    int which = lease_message_program_word(&point);
    if (which >= 0) {
        find_for_job(program, program_size, &point, task->job);
        point.command.items[which] = program;
    }
    lease_message_cwd(cwd, cwd_size, &point, task->job->folder);
    *lease = (struct msg_lease){
        .run_id = attempt->run_id,
        .job_id = task->job->job_id,
        .job_name = settings->name,
        .point = task->point,
        .repeat = task->repeat,
        .attempt = task->attempts,
        .rank = rank->number,
        .world_size = attempt->rank_count,
        .time_limit_ms = settings->time_ms,
        .command = {point.command.items, point.command.count},
        .env = {point.env.items, point.env.count},
        .cwd = cwd,
        .metrics = {settings->metrics.items, settings->metrics.count},
        .kernel = point.kernel,
        .launch_count = settings->launch_count,
        .launch_skip = settings->launch_skip,
        .launch_range = settings->launch_range,
        .warmup = settings->warmup,
        .card = (uint64_t)rank->card,
        .point_text = point.text,
        .user = task->job->user,
        .hosts = {attempt->hosts, ranks},
        .addresses = {attempt->addresses, ranks},
        .card_addresses = {attempt->card_addresses, ranks},
        .cards = {attempt->cards, ranks},
        .threads = attempt->threads,
        .gang = attempt->gang,
        .replay = job_replay_word(settings->replay),
        .barrier_ms = settings->barrier_ms,
        .share_permille = (uint64_t)(settings->distribute * 1000 + 0.5),
        .kill = settings->kill,
        .stubs = settings->stubs,
        .streams = settings->streams,
        .filter = settings->filter,
        .simulation = settings->simulation,
        .cores = settings->cores,
        .elf = point.elf,
        .runner = settings->runner,
        .renew = settings->renew,
        .tool = job_tool_word(settings->tool),
        .dump = point.dump,
    };
}
