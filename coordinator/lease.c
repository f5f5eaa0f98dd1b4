#include "coordinator/lease.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "job/job.h"

static bool
is_below(char *out, size_t size, const char *folder, const char *path, int access_mode)
{
    return snprintf(out, size, "%s/%s", folder, path) < (int)size &&
           access(out, access_mode) == 0;
}

static bool
find(char *out, size_t size, const char *path, const char *folder, int access_mode)
{
    char parts[PATH_MAX];
    struct err ignored;

    return *path != '/' && (is_below(out, size, folder, path, access_mode) ||
                            (file_parts_folder(parts, sizeof(parts), &ignored) == 0 &&
                             is_below(out, size, parts, path, access_mode)));
}

void lease_find_program(char *out, size_t size, const char *path, const char *folder)
{
    if (!strchr(path, '/') || !find(out, size, path, folder, X_OK))
        snprintf(out, size, "%s", path);
}

/* What is not found here may be there, where the worker is: below the job's folder. */
static void find_file(char *out, size_t size, const char *path, const char *folder)
{
    if (!find(out, size, path, folder, R_OK))
        snprintf(out, size, "%s%s%s", *path == '/' ? "" : folder,
                 *path == '/' ? "" : "/", path);
}

void lease_fill(struct msg_lease *lease,
                const struct part *part,
                char *program,
                size_t program_size,
                char *cwd,
                size_t cwd_size)
{
    const struct run *run = part->run;
    const struct task *task = run->task;
    size_t ranks = run->hosts ? run->part_count : 0;
    struct job_point point;

    job_points_at(task->job->points, task->point, &point);
    const struct job_settings *settings = point.settings;
    if (settings->runner) {
        find_file(program, program_size, point.command.items[JOB_RUNNER_FILE],
                  task->job->folder);
        point.command.items[JOB_RUNNER_FILE] = program;
    } else if (point.command.count > 0) {
        lease_find_program(program, program_size, point.command.items[0],
                           task->job->folder);
        point.command.items[0] = program;
    }
    if (settings->runner && !*point.cwd) /* where its files of values are */
        snprintf(cwd, cwd_size, "%s", task->job->folder);
    else if (*point.cwd && *point.cwd != '/')
        snprintf(cwd, cwd_size, "%s/%s", task->job->folder, point.cwd);
    else
        snprintf(cwd, cwd_size, "%s", point.cwd);
    *lease = (struct msg_lease){
        .run_id = run->run_id,
        .job_id = task->job->job_id,
        .job_name = settings->name,
        .point = task->point,
        .repeat = task->repeat,
        .attempt = task->attempts,
        .rank = part->rank,
        .world_size = run->part_count,
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
        .card = (uint64_t)part->card,
        .point_text = point.text,
        .user = task->job->user,
        .hosts = {run->hosts, ranks},
        .addresses = {run->addresses, ranks},
        .card_addresses = {run->card_addresses, ranks},
        .cards = {run->cards, ranks},
        .threads = run->threads,
        .gang = run->gang,
        .replay = job_replay_word(settings->replay),
        .barrier_ms = settings->barrier_ms,
        .share_permille = (uint64_t)(settings->distribute * 1000 + 0.5),
        .kill = settings->kill,
        .stubs = settings->stubs,
        .runner = settings->runner,
        .renew = settings->renew,
    };
}
