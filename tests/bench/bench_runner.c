/* bench_runner.c - time of a small point in a resident runner, with coordinator and
 * store
 *
 * Compared with the same sweep and one process per point. A second figure compares with
 * the exchange of two packets and has no budget; bench_resident.c has the budget of the
 * runner alone. */
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

enum { RESIDENT_POINTS = 1000, PROCESS_POINTS = 200 }; /* the times are per point */

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

static double resident_us(void *arg)
{
    return sweep_us(arg, RESIDENT_POINTS, 100000);
}

static double process_us(void *arg)
{
    return sweep_us(arg, PROCESS_POINTS, 0);
}

static double bare_us(void *arg)
{
    struct ground *ground = arg;

    return exchange_us(&ground->exchange);
}

int main(int argc, char **argv)
{
    struct ground ground = {.folder = "/tmp/muster-bench-XXXXXX", .metrics = ""};
    struct private_fleet_options options = {
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
    options.programs = programs;
    if (!mkdtemp(ground.folder))
        return 1;
    exchange_open(&ground.exchange);
    options.out = ground.folder;
    if (private_fleet_start(&ground.fleet, &options, &err) < 0)
        job_die(&err);
    where = private_fleet_client(ground.fleet);
    if (client_open(&ground.client, &where, &err) < 0)
        job_die(&err);
    resident_us(&ground); /* warm-up */
    double ratio = ratio_median(process_us, resident_us, &ground);
    double bare = ratio_median(bare_us, resident_us, &ground);
    exchange_close(&ground.exchange);
    client_close(ground.client);
    private_fleet_stop(&ground.fleet);
    folder_remove(ground.folder, &err);
    ratio_print("point in a resident runner, stored", ratio,
                "the same sweep, one process per point", ">= 30", ratio >= 30);
    ratio_print("point in a resident runner, packets", bare,
                "128 B out, 64 B back, SEQPACKET, 16 in flight", "none", true);
    return 0;
}
