/* bench_timeline.c - speed of writing two million events of eight ranks as one timeline
 *
 * Two figures are compared with fixed limits, in processor time of one core. A third
 * compares with writing the same number of bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "parsers/timeline/timeline.h"
#include "tests/bench/ratio.h"

enum { RANKS = 8, STEPS = 125000, KHZ = 50000, STREAMS = 40 };
static const double PROMISED_SECONDS = 3, PROMISED_MB_A_SECOND = 300;

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Adds the events of one rank. Each step is one communication task and one stream task.
 */
static void make_rank(struct findings *findings, struct source_launch *launch)
{
    struct ai_cpu *ai_cpu = &findings->ai_cpu;
    struct scheduler_tasks *tasks = &findings->tasks;

    launch->info = (struct op_info){.chip = CHIP_A2, .is_mc2 = true, .ticks_khz = KHZ};
    findings->launch = launch;
    findings->pmu = pmu_create(CHIP_A2);
    tasks->rows = xcalloc(STEPS, sizeof(*tasks->rows));
    ai_cpu->tasks = xcalloc(STEPS, sizeof(*ai_cpu->tasks));
    tasks->count = tasks->room = ai_cpu->task_count = ai_cpu->task_room = STEPS;
    for (unsigned i = 0; i < STEPS; i++) {
        uint16_t stream = (uint16_t)(i / (STEPS / STREAMS));

        tasks->rows[i] = (struct scheduler_task){
            .stream = stream,
            .task = (uint16_t)(i % (STEPS / STREAMS)),
            .type = 11,
            .start_ticks = 1000 + 40 * (uint64_t)i,
            .end_ticks = 1031 + 40 * (uint64_t)i,
        };
        ai_cpu->tasks[i] = (struct hccl_task){
            .item = report_name_hash("Memcpy"),
            .stream = stream,
            .task = tasks->rows[i].task,
            .plane = stream,
            .bytes = 1 << 20,
            .estimated_us = 12.5,
        };
    }
}

struct scene {
    struct findings findings;
    struct source_launch launch;
    int fd;
    uint64_t events;
    off_t bytes;
};

static double write_timeline(void *arg)
{
    struct scene *scene = arg;
    struct json_write json;
    struct trace_writer trace;
    struct err err;
    double start = now_s();

    if (ftruncate(scene->fd, 0) < 0 || lseek(scene->fd, 0, SEEK_SET) < 0)
        abort();
    json_write_to_fd(&json, scene->fd);
    trace_writer_open(&trace, &json, true);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        char label[32];

        snprintf(label, sizeof(label), "rank %u ", rank);
        timeline_add(&trace, &scene->findings,
                     &(struct timeline_view){
                         .clock = {500, 1000 * rank, KHZ},
                         .label = label,
                         .place = rank,
                     });
    }
    trace_writer_close(&trace);
    if (json_write_finish(&json, &err) < 0)
        abort();
    scene->events = trace.events;
    scene->bytes = lseek(scene->fd, 0, SEEK_CUR);
    return now_s() - start;
}

/* The floor: writes the same number of bytes in pieces of the same size. */
static double write_bytes(void *arg)
{
    struct scene *scene = arg;
    char *piece = xcalloc(64 * 1024, 1);
    double start = now_s();

    if (ftruncate(scene->fd, 0) < 0 || lseek(scene->fd, 0, SEEK_SET) < 0)
        abort();
    for (off_t left = scene->bytes; left > 0; left -= 64 * 1024)
        if (write(scene->fd, piece, 64 * 1024) < 0)
            abort();
    double seconds = now_s() - start;

    free(piece);
    return seconds;
}

int main(void)
{
    char path[] = "/tmp/muster-bench-timeline-XXXXXX", of[80];
    struct scene *scene = xcalloc(1, sizeof(*scene));
    struct rusage usage;
    double best = 1e9;

    scene->fd = mkstemp(path);
    if (scene->fd < 0)
        return 1;
    unlink(path);
    make_rank(&scene->findings, &scene->launch);
    for (int i = 0; i < RATIO_PAIRS; i++) {
        double seconds = write_timeline(scene);

        best = seconds < best ? seconds : best;
    }
    double speed = (double)scene->bytes / 1e6 / best;

    snprintf(of, sizeof(of), "3 s (%.2f s, %llu events, 8 ranks)", best,
             (unsigned long long)scene->events);
    ratio_print("timeline.2m_events", best / PROMISED_SECONDS, of, "<= 1",
                best <= PROMISED_SECONDS);
    snprintf(of, sizeof(of), "300 MB/s on one core (%.0f MB/s)", speed);
    ratio_print("timeline.speed", speed / PROMISED_MB_A_SECOND, of, ">= 1",
                speed >= PROMISED_MB_A_SECOND);
    double over = ratio_median(write_timeline, write_bytes, scene);

    ratio_print("timeline.over_bytes", over, "writing as many zeros", "none", true);
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "timeline: peak memory %ld KiB\n", usage.ru_maxrss);
    findings_clear(&scene->findings);
    free(scene);
    return 0;
}
