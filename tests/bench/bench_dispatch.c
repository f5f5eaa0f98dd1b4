/* bench_dispatch.c - a task through coordinator, worker, process and store, against the
 * least that any runner must do: posix_spawn, setsid, an output file of its own */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/client.h"
#include "cli/fleet.h"
#include "cli/follow.h"
#include "cli/progress.h"
#include "tests/bench/ratio.h"

enum { TASKS = 400, AT_ONCE = 2 };

struct ground {
    char folder[64];
    struct fleet *fleet;
    struct client *client;
};

static void die(const struct err *err)
{
    fprintf(stderr, "bench_dispatch: %s\n", err->text);
    exit(1);
}

static void spawn_one(const char *folder, int number)
{
    char path[PATH_MAX];
    char *argv[] = {"/bin/true", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid;

    snprintf(path, sizeof(path), "%s/floor-%d", folder, number);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT, 0640);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    if (posix_spawn(&pid, argv[0], &actions, &attributes, argv, NULL) != 0)
        exit(1);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
}

static double floor_us(void *arg)
{
    struct ground *ground = arg;
    uint64_t start = clock_mono_ns();

    /* the fleet's processes are our children too, but do not end meanwhile */
    for (int i = 0; i < TASKS + AT_ONCE; i++) {
        if (i >= AT_ONCE)
            waitpid(-1, NULL, 0);
        if (i < TASKS)
            spawn_one(ground->folder, i);
    }
    return (double)(clock_mono_ns() - start) / 1000;
}

static double muster_us(void *arg)
{
    struct ground *ground = arg;
    char yaml[400];
    struct err err;
    const union any_message *answer;
    struct msg_submit question = {
        .yaml = yaml, .file_name = "bench", .folder = "/tmp", .user = "bench"};
    struct follow_options options = {.timeout_ms = 120000};
    struct follow_result result;

    snprintf(yaml, sizeof(yaml),
             "version: 1\nname: bench\noperator: {command: [/bin/true]}\n"
             "sweep: {repeat: %d}\nprofile: {metrics: []}\ncards: {ids: [0, 1]}\n",
             TASKS / 2);
    options.progress = progress_create(true);
    uint64_t start = clock_mono_ns();
    if (client_ask(ground->client, MSG_SUBMIT, &question, MSG_SUBMITTED, &answer,
                   &err) < 0)
        die(&err);
    options.job_id = answer->submitted.job_id;
    if (follow(ground->client, &options, &result, &err) < 0)
        die(&err);
    if (!result.final || result.exit_code != 0) {
        fprintf(stderr, "bench_dispatch: the job ended as %s\n", result.state);
        exit(1);
    }
    progress_destroy(options.progress);
    return (double)(clock_mono_ns() - start) / 1000;
}

int main(int argc, char **argv)
{
    struct ground ground = {.folder = "/tmp/muster-bench-XXXXXX"};
    struct fleet_wish wish = {
        .card_count = 2, .model = "Ascend910B2", .simulated = true};
    struct client_options where;
    struct err err;

    char programs[PATH_MAX];

    (void)argc;
    signal(SIGPIPE, SIG_IGN);
    snprintf(programs, sizeof(programs), "%s",
             argv[0]); /* BUILD/bench/bench_dispatch */
    for (int levels = 0; levels < 2 && strrchr(programs, '/'); levels++)
        *strrchr(programs, '/') = '\0';
    strncat(programs, "/bin", sizeof(programs) - strlen(programs) - 1);
    wish.programs = programs;
    if (!mkdtemp(ground.folder))
        return 1;
    wish.out = ground.folder;
    if (fleet_start(&ground.fleet, &wish, &err) < 0)
        die(&err);
    where = (struct client_options){.endpoint = fleet_endpoint(ground.fleet)};
    if (client_open(&ground.client, &where, &err) < 0)
        die(&err);
    muster_us(&ground); /* the first one warms up */
    double ratio = ratio_median(muster_us, floor_us, &ground);
    client_close(ground.client);
    fleet_stop(&ground.fleet);
    folder_remove(ground.folder, &err);
    ratio_print("dispatch, process a task, durable", ratio,
                "posix_spawn + setsid + own output file", "<= 1.5", ratio <= 1.5);
    return 0;
}
