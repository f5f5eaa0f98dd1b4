/* bench_dispatch.c - time of one task that does nothing, from submission to the store
 *
 * The floor is the least that a runner must do for a process: posix_spawn(), setsid()
 * and an output file. Other figures compare with programs that start processes. */
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

#include "cli/fleet/private_fleet.h"
#include "cli/query/client.h"
#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/bench/job.h"
#include "tests/bench/ratio.h"

enum { TASKS = 400, AT_ONCE = 2 };

extern char **environ;

struct ground {
    char folder[64];
    struct private_fleet *fleet;
    struct client *client;
};

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

    /* waitpid(-1) is safe: the processes of the fleet are children, too, but run on. */
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

    snprintf(yaml, sizeof(yaml),
             "version: 1\nname: bench\noperator: {command: [/bin/true]}\n"
             "sweep: {repeat: %d}\nprofile: {metrics: []}\ncards: {ids: [0, 1]}\n",
             TASKS / 2);
    return job_us(ground->client, yaml);
}

/* Other programs with the same tasks and the same number at once. xargs and make store
 * neither outputs nor states and so do less. */
static const struct peer_runner {
    const char *name, *program, *command; /* $TASKS is the number of tasks */
    double at_least; /* least ratio of its time to ours; 0: no budget */
} peers[] = {
    {"GNU parallel -j2", "parallel",
     "seq $TASKS | parallel --will-cite -n1 -j2 /bin/true >/dev/null", 3},
    {"xargs -P2 -n1", "xargs", "seq $TASKS | xargs -P2 -n1 /bin/true", 0},
    {"make -j2", "make",
     "seq -f t%.0f -s ' ' $TASKS | sed 's/.*/all: &\\n&: ; @\\/bin\\/true/' |"
     " make -s -j2 -f - all",
     1},
};

/* Job steps of Slurm, four at a time in one allocation. The script slurm_steps.sh runs
 * the cluster; for each line that it reads it measures one round. */
struct slurm {
    pid_t pid;
    FILE *output, *input;
};

static void slurm_start(struct slurm *slurm)
{
    char *argv[] = {SLURM_STEPS, NULL};
    posix_spawn_file_actions_t actions;
    int to[2], from[2];

    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
        exit(1);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    if (posix_spawn(&slurm->pid, argv[0], &actions, NULL, argv, environ) != 0)
        exit(1);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    slurm->output = fdopen(from[0], "r");
    slurm->input = fdopen(to[1], "w");
    if (!slurm->output || !slurm->input)
        exit(1);
}

static void slurm_end(struct slurm *slurm)
{
    fclose(slurm->input);
    fclose(slurm->output);
    waitpid(slurm->pid, NULL, 0);
}

/* Returns the time of one step in microseconds; or -1, and line has the reason. */
static double slurm_step_us(struct slurm *slurm, char *line, int size)
{
    fputs("go\n", slurm->input);
    fflush(slurm->input);
    if (!fgets(line, size, slurm->output))
        snprintf(line, (size_t)size, "slurm_steps.sh ended early");
    line[strcspn(line, "\n")] = '\0';
    return *line >= '0' && *line <= '9' ? strtod(line, NULL) : -1;
}

static void compare_slurm(struct ground *ground)
{
    static const char name[] = "dispatch, Slurm job steps";
    double ratios[RATIO_PAIRS];
    struct slurm slurm;
    char line[200];

    slurm_start(&slurm);
    for (int i = 0; i < RATIO_PAIRS; i++) {
        double step = slurm_step_us(&slurm, line, sizeof(line));

        if (step < 0) {
            ratio_skip(name, line);
            slurm_end(&slurm);
            return;
        }
        ratios[i] = step / (muster_us(ground) / TASKS);
    }
    slurm_end(&slurm);
    qsort(ratios, RATIO_PAIRS, sizeof(ratios[0]), ratio_order);
    double ratio = ratios[RATIO_PAIRS / 2];
    ratio_print(name, ratio, "tasks per second of muster over its", ">= 20",
                ratio >= 20);
}

struct against {
    struct ground *ground;
    const struct peer_runner *peer;
};

static double peer_us(void *arg)
{
    const struct against *against = arg;
    uint64_t start = clock_mono_ns();
    if (system(against->peer->command) != 0) {
        fprintf(stderr, "bench_dispatch: %s failed\n", against->peer->name);
        exit(1);
    }
    return (double)(clock_mono_ns() - start) / 1000;
}

static double ours_us(void *arg)
{
    const struct against *against = arg;

    return muster_us(against->ground);
}

static void compare(struct ground *ground, const struct peer_runner *peer)
{
    struct against against = {.ground = ground, .peer = peer};
    char look[128], name[64], budget[32] = "none";

    snprintf(look, sizeof(look), "command -v %s >/dev/null", peer->program);
    snprintf(name, sizeof(name), "dispatch, %s", peer->name);
    if (system(look) != 0) {
        ratio_skip(name, "not installed");
        return;
    }
    double ratio = ratio_median(peer_us, ours_us, &against);
    if (peer->at_least > 0)
        snprintf(budget, sizeof(budget), ">= %.0f", peer->at_least);
    ratio_print(name, ratio, "tasks per second of muster over its", budget,
                ratio >= peer->at_least);
}

int main(int argc, char **argv)
{
    struct ground ground = {.folder = "/tmp/muster-bench-XXXXXX"};
    struct private_fleet_options options = {
        .card_count = 2, .model = "Ascend910B2", .simulated = true};
    struct client_options where;
    struct err err;

    char programs[PATH_MAX], tasks[16];

    (void)argc;
    signal(SIGPIPE, SIG_IGN);
    snprintf(programs, sizeof(programs), "%s",
             argv[0]); /* BUILD/bench/bench_dispatch */
    for (int levels = 0; levels < 2 && strrchr(programs, '/'); levels++)
        *strrchr(programs, '/') = '\0';
    strncat(programs, "/bin", sizeof(programs) - strlen(programs) - 1);
    options.programs = programs;
    if (!mkdtemp(ground.folder))
        return 1;
    options.out = ground.folder;
    if (private_fleet_start(&ground.fleet, &options, &err) < 0)
        job_die(&err);
    where = private_fleet_client(ground.fleet);
    if (client_open(&ground.client, &where, &err) < 0)
        job_die(&err);
    muster_us(&ground); /* warm-up */
    double ratio = ratio_median(muster_us, floor_us, &ground);
    ratio_print("dispatch, process a task, durable", ratio,
                "posix_spawn, setsid, an output file", "<= 1.5", ratio <= 1.5);
    snprintf(tasks, sizeof(tasks), "%d", TASKS);
    setenv("TASKS", tasks, 1);
    for (size_t i = 0; i < COUNT(peers); i++)
        compare(&ground, &peers[i]);
    compare_slurm(&ground);
    client_close(ground.client);
    private_fleet_stop(&ground.fleet);
    folder_remove(ground.folder, &err);
    return 0;
}
