/* bench_runner.c - a sweep of small points in runners that stay alive, against the same
 * sweep with a process a point: through coordinator, worker and store in both cases;
 * and against packets that are only sent there and back, which is told: what the runner
 * owes of that is in bench_resident.c */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fleet/private_fleet.h"
#include "cli/query/client.h"
#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "tests/bench/exchange.h"
#include "tests/bench/job.h"
#include "tests/bench/ratio.h"

enum { STAYS = 1000, EACH = 200 }; /* points; what is compared is one of them */

struct ground {
    char folder[64];
    struct private_fleet *fleet;
    struct client *client;
    const char *metrics;
    struct exchange exchange;
};

static double sweep_us(struct ground *ground, int points, int renew)
{
    char yaml[600];

    snprintf(
        yaml, sizeof(yaml),
        "version: 1\nname: bench\n"
        "operator:\n  kernel: sim/kernels/add_custom.o\n  blocks: 8\n"
        "  args: ['in fp32 ${n}', 'in fp32 ${n}', 'out fp32 ${n}', 'data u32 ${n}']\n"
        "  renew: %d\n"
        "sweep: {matrix: {n: {from: 1024, to: %d}}}\n"
        "profile: {metrics: [%s], warmup: 0}\n",
        renew, 1024 + points - 1, ground->metrics);
    return job_us(ground->client, yaml) / points;
}

static double stays_us(void *arg)
{
    return sweep_us(arg, STAYS, 100000);
}

static double each_us(void *arg)
{
    return sweep_us(arg, EACH, 0);
}

static double bare_us(void *arg)
{
    struct ground *ground = arg;

    return exchange_us(&ground->exchange);
}

int main(int argc, char **argv)
{
    struct ground ground = {.folder = "/tmp/muster-bench-XXXXXX", .metrics = ""};
    struct private_fleet_options wish = {
        .card_count = 2, .model = "Ascend910B2", .simulated = true};
    struct client_options where;
    struct err err;
    char programs[PATH_MAX];

    (void)argc;
    signal(SIGPIPE, SIG_IGN);
    snprintf(programs, sizeof(programs), "%s", argv[0]); /* BUILD/bench/bench_runner */
    for (int levels = 0; levels < 2 && strrchr(programs, '/'); levels++)
        *strrchr(programs, '/') = '\0';
    strncat(programs, "/bin", sizeof(programs) - strlen(programs) - 1);
    wish.programs = programs;
    if (!mkdtemp(ground.folder))
        return 1;
    exchange_open(&ground.exchange);
    wish.out = ground.folder;
    if (private_fleet_start(&ground.fleet, &wish, &err) < 0)
        job_die(&err);
    where = private_fleet_client(ground.fleet);
    if (client_open(&ground.client, &where, &err) < 0)
        job_die(&err);
    stays_us(&ground); /* the first one warms up */
    double ratio = ratio_median(each_us, stays_us, &ground);
    double bare = ratio_median(bare_us, stays_us, &ground);
    exchange_close(&ground.exchange);
    client_close(ground.client);
    private_fleet_stop(&ground.fleet);
    folder_remove(ground.folder, &err);
    ratio_print("point in a runner that stays, durable", ratio,
                "the same sweep, a process a point", ">= 30", ratio >= 30);
    ratio_print("point in a runner that stays, bare", bare,
                "128 B there, 64 B back, SEQPACKET, 16 in flight", "told", true);
    return 0;
}
