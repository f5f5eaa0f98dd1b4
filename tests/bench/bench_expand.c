/* bench_expand.c - time and memory to expand a job file of a million points */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "tests/bench/ratio.h"

/* Builds the command of each point of the sweep in turn. Returns the time in seconds.
 */
static double expand(int side)
{
    static struct problems problems;
    uint64_t start = clock_mono_ns(), count = 0;
    char *yaml =
        xasprintf("version: 1\nname: b\n"
                  "operator: {command: [op, --m, \"${m}\", \"--n=${n}-${k}\"]}\n"
                  "sweep: {matrix: {m: {from: 1, to: %d}, n: {from: 1, to: %d},"
                  " k: {from: 1, to: %d}}, exclude: [\"m == 7 && n == 9\"]}\n"
                  "overrides: [{when: n > 50, limits: {time: 1m}}]\n",
                  side, side, side);
    struct job *job;
    struct job_point point;

    if (job_parse(&job, yaml, strlen(yaml), &problems) < 0)
        exit(1);
    struct job_points *points = job_points_create(job);
    while (job_points_next(points, &point))
        count += point.command.count > 0;
    if (count != job_point_count(job))
        exit(1);
    job_points_destroy(points);
    job_destroy(job);
    free(yaml);
    return (double)(clock_mono_ns() - start) / 1e9;
}

/* Returns the peak memory of a process that only expands the sweep, in KiB. */
static double peak_of(int side)
{
    struct rusage usage;
    int status;
    pid_t child = fork();

    if (child == 0) {
        expand(side);
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0)
        exit(1);
    return (double)usage.ru_maxrss;
}

int main(void)
{
    double growth = peak_of(100) / peak_of(10), best = expand(100);

    /* The best of several runs: other programs of the machine only add time. */
    for (int i = 1; i < RATIO_PAIRS; i++) {
        double seconds = expand(100);

        best = seconds < best ? seconds : best;
    }
    ratio_print("a million points, peak of memory", growth, "a thousand points",
                "<= 1.1", growth <= 1.1);
    ratio_print("a million points", best, "a second", "<= 1", best <= 1);
    return 0;
}
