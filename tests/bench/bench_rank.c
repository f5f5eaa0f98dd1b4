/* bench_rank.c - speed and memory of parsing 1 GiB of raw data of one rank
 *
 * Reads the raw files and writes all tables, timelines and visualize_data.bin, in one
 * child process and in two. The files are those of an operator with lightweight
 * collectives, which also contain its warm-up launches. All files are in memory (or in
 * /tmp, when /dev/shm is not writable), so that no disk is measured. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/capture/counter_schedule.h"
#include "parsers/records/sample_records.h"
#include "parsers/run/parse_rank.h"
#include "tests/bench/ratio.h"
#include "tests/bench/two.h"

enum {
    KINDS = 8, /* launches with different bytes; the others are links to these */
    BLOCKS = 48,
    WARM_UPS = 5,
    STEPS = 12, /* pairs of time stamps per core */
    PAIRS = 3,
    RUNS = 3,
};
static const uint64_t TOTAL_BYTES = (uint64_t)1 << 30;
static const double PROMISED_MB_A_SECOND = 400;

struct scene {
    char top[64], out[96];
    uint64_t bytes, largest;
    size_t launches;
};

static void fail(const char *what)
{
    fprintf(stderr, "bench_rank: %s\n", what);
    exit(1);
}

static void put_counters(struct text *out, uint64_t seed)
{
    for (uint16_t launch = 0; launch <= WARM_UPS; launch++)
        for (uint16_t block = 0; block < BLOCKS; block++)
            for (uint16_t i = 0; i < 3; i++) {
                struct sample_block from = {
                    .task = (uint16_t)(4 + launch),
                    .block = block,
                    .sub_block = i == 2,
                    .is_aiv = i > 0,
                    .cycles = 9000 + seed * 7 + block,
                    .start = 10000u * launch + 1000 + block,
                    .end = 10000u * launch + 9000 + block,
                };

                for (size_t slot = 0; slot < 8; slot++)
                    from.slots[slot] = (seed * 31 + slot * 977 + block * 13) % 8000;
                sample_a2(out, &from);
            }
}

static void put_stamps(struct text *out)
{
    for (uint64_t launch = 0; launch <= WARM_UPS; launch++)
        for (uint32_t core = 0; core < BLOCKS * 3; core++)
            for (uint32_t step = 0; step < 2 * STEPS; step++) {
                uint32_t block =
                    core < BLOCKS ? 1u << 16 | core : 30u << 16 | (core - BLOCKS);

                sample_stamp(out, block, 0x1000 + 0x10 * (step / 2 % 7) + step % 2,
                             10000 * launch + 1100 + block % 99 + 300 * step, 0x40);
            }
}

static uint64_t
put_file(struct scene *scene, const char *folder, const char *name, struct text *bytes)
{
    char path[256];
    struct err err;
    uint64_t size = bytes->length;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (file_write(path, text_get(bytes), bytes->length, &err) < 0)
        fail(err.text);
    text_reset(bytes);
    if (size > scene->largest)
        scene->largest = size;
    return size;
}

static uint64_t make_launch(struct scene *scene, const char *folder, uint64_t seed)
{
    struct counter_schedule plan;
    struct text bytes = {0};
    struct err err;
    uint64_t size;

    if (folder_create(folder, &err) < 0 ||
        counter_schedule_full(CHIP_A2, &plan, &err) < 0)
        fail(err.text);
    text_printf(&bytes,
                "Op Name=all_reduce\nBlock Dim=%d\nRun Soc Version=Ascend910B2\n"
                "Device Id=0\nCurrent Freq=1800\nRated Freq=1800\nIs MC2=1\n",
                BLOCKS);
    size = put_file(scene, folder, "op_basic_info.txt", &bytes);
    for (size_t i = 0; i < plan.pass_count; i++) {
        char name[40];

        put_counters(&bytes, seed + i);
        snprintf(name, sizeof(name), "DeviceProf%zu.bin", i + 1);
        size += put_file(scene, folder, name, &bytes);
    }
    put_stamps(&bytes);
    size += put_file(scene, folder, "aic_timestamp.bin", &bytes);
    sample_task(&bytes, 64, 0, 0, 10000u * WARM_UPS + 1000);
    sample_task(&bytes, 64, 0, 1, 10000u * WARM_UPS + 9900);
    size += put_file(scene, folder, "duration.bin", &bytes);
    text_clear(&bytes);
    return size;
}

static void link_launch(const struct scene *scene, size_t from, const char *folder)
{
    static const char *const names[] = {"op_basic_info.txt", "aic_timestamp.bin",
                                        "duration.bin"};
    char old[256], new[256], name[40];
    struct err err;

    if (folder_create(folder, &err) < 0)
        fail(err.text);
    for (size_t i = 0; i < 10 + COUNT(names); i++) {
        if (i < 10)
            snprintf(name, sizeof(name), "DeviceProf%zu.bin", i + 1);
        else
            snprintf(name, sizeof(name), "%s", names[i - 10]);
        snprintf(old, sizeof(old), "%s/in/%zu/dump/%s", scene->top, from, name);
        snprintf(new, sizeof(new), "%s/%s", folder, name);
        if (link(old, new) < 0)
            fail("a link");
    }
}

static void make_launches(struct scene *scene)
{
    uint64_t one = 0;

    for (size_t i = 0; scene->bytes < TOTAL_BYTES; i++) {
        char folder[128];

        snprintf(folder, sizeof(folder), "%s/in/%zu/dump", scene->top, i);
        if (i < KINDS)
            one = make_launch(scene, folder, i);
        else
            link_launch(scene, i % KINDS, folder);
        scene->bytes += one;
        scene->launches++;
    }
}

static double in_children(struct scene *scene, size_t parallel)
{
    uint64_t start = clock_mono_ns();
    struct json_write lines;
    struct source *source;
    struct text output = {0};
    struct parse_rank_work work = {
        .folder = scene->out, .lines = &lines, .parallel = parallel};
    char in[96];
    struct err err;

    snprintf(in, sizeof(in), "%s/in", scene->top);
    if (source_open_folder(&source, in, &err) < 0)
        fail(err.text);
    json_write_to_text(&lines, &output);
    if (parse_rank(source, &work, &err) < 0)
        fail(err.text);
    if (work.bad || source->count != scene->launches)
        fail("not all launches were read");
    json_write_finish(&lines, &err);
    text_clear(&output);
    source_destroy(source);
    return (double)(clock_mono_ns() - start);
}

static double one(void *arg)
{
    return in_children(arg, 1);
}

static double two(void *arg)
{
    return in_children(arg, 2);
}

/* Returns user and system time of this process and its children, in seconds. */
static double cpu_s(void)
{
    double seconds = 0;

    for (int i = 0; i < 2; i++) {
        struct rusage usage;

        getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage);
        seconds += (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    }
    return seconds;
}

/* Returns the speed on one core in MB/s: the best of RUNS runs, because other load of
 * the machine only slows them. */
static double speed_of_one(struct scene *scene)
{
    double best = 0;

    for (int i = 0; i < RUNS; i++) {
        double start = cpu_s(), speed;

        one(scene);
        speed = (double)scene->bytes / 1e6 / (cpu_s() - start);
        if (speed > best)
            best = speed;
    }
    return best;
}

int main(void)
{
    struct scene *scene = xcalloc(1, sizeof(*scene));
    struct rusage mine, theirs;
    double ratios[PAIRS], speed, memory;
    long most;
    char of[96];
    struct err err;

    log_open("bench_rank", LOG_WARNING);
    snprintf(scene->top, sizeof(scene->top), "%s/muster-bench-rank-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(scene->top))
        fail("mkdtemp");
    snprintf(scene->out, sizeof(scene->out), "%s/out", scene->top);
    make_launches(scene);

    speed = speed_of_one(scene);
    snprintf(of, sizeof(of), "400 MB/s on one core (%.0f MB/s, %zu launches)", speed,
             scene->launches);
    ratio_print("rank.end_to_end", speed / PROMISED_MB_A_SECOND, of, ">= 1",
                speed >= PROMISED_MB_A_SECOND);
    for (int i = 0; i < PAIRS; i++) {
        double alone = one(scene);

        ratios[i] = alone / two(scene);
    }
    qsort(ratios, PAIRS, sizeof(ratios[0]), ratio_order);
    ratio_print("rank.two_cores", ratios[PAIRS / 2], "one child process", ">= 1.7",
                ratios[PAIRS / 2] >= 1.7);
    two_print("rank.two_cores: this machine");
    getrusage(RUSAGE_SELF, &mine);
    getrusage(RUSAGE_CHILDREN, &theirs);
    most = mine.ru_maxrss > theirs.ru_maxrss ? mine.ru_maxrss : theirs.ru_maxrss;
    memory = (double)most / 1024 / (256 + 2.0 * (double)scene->largest / (1 << 20));
    snprintf(of, sizeof(of), "256 MiB and twice the largest file (%ld MiB)",
             most >> 10);
    ratio_print("rank.memory", memory, of, "<= 1", memory <= 1);
    fprintf(stderr, "rank: peak memory %ld MiB, of a child %ld MiB, for %llu MiB in\n",
            mine.ru_maxrss >> 10, theirs.ru_maxrss >> 10,
            (unsigned long long)scene->bytes >> 20);
    if (folder_remove(scene->top, &err) < 0)
        fail(err.text);
    free(scene);
    return 0;
}
