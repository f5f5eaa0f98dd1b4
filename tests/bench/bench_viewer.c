/* bench_viewer.c - speed of the viewer with a lane of a million slices
 *
 * The worst answer over all zooms is compared with a fixed limit, in processor time of
 * one core, and with one pass over the slices. The memory is compared with the size of
 * the block plus 64 MiB. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "parsers/container/bin.h"
#include "parsers/trace_index/trace_index.h"
#include "parsers/viewer/viewer.h"
#include "tests/bench/ratio.h"

enum { SLICES = 1000000, STEP_NS = 100, HEAD_BYTES = 12, ZOOMS = 8 };
static const double PROMISED_SECONDS = 0.005;
static const uint64_t MIB = 1 << 20;

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Writes a file with one lane; every tenth slice lasts longer and has a child. */
static uint64_t write_file(int fd)
{
    uint8_t head[HEAD_BYTES] = {[8] = BIN_TRACE, [10] = BIN_MAGIC, [11] = BIN_MAGIC};
    struct json_write json;
    struct err err;
    off_t end;

    if (lseek(fd, HEAD_BYTES, SEEK_SET) < 0)
        abort();
    json_write_to_fd(&json, fd);
    json_write_object(&json);
    json_write_key(&json, "traceEvents");
    json_write_array(&json);
    for (int64_t i = 0; i < SLICES; i++) {
        json_write_object(&json);
        json_write_key(&json, "dur");
        json_write_scaled(&json, i % 10 ? 20 + i % 37 : 95, 3);
        json_write_key(&json, "name");
        json_write_text(&json, i % 3 ? "ADD" : "MOV");
        json_write_key(&json, "ph");
        json_write_text(&json, "X");
        json_write_key(&json, "pid");
        json_write_text(&json, "core0.veccore0");
        json_write_key(&json, "tid");
        json_write_text(&json, "SCALAR");
        json_write_key(&json, "ts");
        json_write_scaled(&json, i / 10 * 10 * STEP_NS + i % 10 * 90, 3);
        json_write_object_end(&json);
    }
    json_write_array_end(&json);
    json_write_object_end(&json);
    if (json_write_finish(&json, &err) < 0 || (end = lseek(fd, 0, SEEK_CUR)) < 0)
        abort();
    uint64_t size = (uint64_t)end - HEAD_BYTES;
    for (int i = 0; i < 8; i++)
        head[i] = (uint8_t)(size >> 8 * i);
    if (pwrite(fd, head, sizeof(head), 0) != sizeof(head))
        abort();
    return size;
}

struct scene {
    struct viewer_session *session;
    size_t answered; /* bytes */
    struct trace_slice *slices;
};

static void count(void *ctx, const char *text, size_t size, bool is_last)
{
    struct scene *scene = ctx;

    (void)is_last;
    if (strstr(text, "\"error\""))
        abort();
    scene->answered += size;
}

static double request(struct scene *scene, const char *command, const char *params)
{
    char *text = xasprintf("{\"id\":1,\"type\":\"request\",\"moduleName\":\"timeline\","
                           "\"command\":\"%s\",\"params\":{%s}}",
                           command, params);
    double start = now_s();

    viewer_answer(scene->session, text, strlen(text), count, scene);
    free(text);
    return now_s() - start;
}

/* Returns the longest time of a request over all zooms. */
static double worst(struct scene *scene, const char *command)
{
    double slowest = 0;

    for (int zoom = 0; zoom < ZOOMS; zoom++) {
        int64_t length = (int64_t)SLICES * STEP_NS >> 3 * zoom;
        int64_t start = zoom ? (int64_t)SLICES * STEP_NS / 3 : 0;
        double fastest = 1e9;

        for (int i = 0; i < 3; i++) { /* the fastest: the machine is shared */
            char *params = xasprintf(
                "\"cardId\":\"/a.bin\",\"processId\":\"core0.veccore0\",\"threadId\":"
                "\"SCALAR\",\"metaType\":\"TEXT\",\"startTime\":%lld,\"endTime\":%lld",
                (long long)start, (long long)(start + length));
            double seconds = request(scene, command, params);

            fastest = seconds < fastest ? seconds : fastest;
            free(params);
        }
        slowest = fastest > slowest ? fastest : slowest;
    }
    return slowest;
}

static double worst_summary(void *arg)
{
    return worst(arg, "unit/threadTracesSummary");
}

static double worst_bars(void *arg)
{
    return worst(arg, "unit/threadTraces");
}

/* The other way: one pass over all slices that keeps the longest. */
static double pass(void *arg)
{
    struct scene *scene = arg;
    volatile uint64_t longest = 0;
    double start = now_s();

    for (size_t i = 0; i < SLICES; i++)
        if (scene->slices[i].duration_ns > longest)
            longest = scene->slices[i].duration_ns;
    return now_s() - start;
}

static void report(const char *name, double (*fn)(void *arg), struct scene *scene)
{
    char limit[40], passes[40], of[80];
    double seconds = fn(scene);

    snprintf(limit, sizeof(limit), "viewer.%s", name);
    snprintf(passes, sizeof(passes), "viewer.%s_passes", name);
    snprintf(of, sizeof(of), "5 ms (%.2f ms at the slowest zoom)", seconds * 1e3);
    ratio_print(limit, seconds / PROMISED_SECONDS, of, "<= 1",
                seconds <= PROMISED_SECONDS);
    ratio_print(passes, ratio_median(fn, pass, scene), "one pass over the slices",
                "none", true);
}

int main(void)
{
    char path[] = "/tmp/muster-bench-viewer-XXXXXX", of[100];
    const struct viewer_file file = {"/a.bin", path};
    struct viewer *viewer = viewer_create();
    struct scene scene = {0};
    int fd = mkstemp(path);
    struct rusage usage;
    struct err err;

    if (fd < 0 || viewer_set_files(viewer, &file, 1, &err) < 0)
        return 1;
    uint64_t size = write_file(fd);
    scene.session = viewer_session_create(viewer);
    double first = request(&scene, "import/action",
                           "\"projectName\":\"/a.bin\",\"path\":[\"/a.bin\"],"
                           "\"projectAction\":1");
    double start = now_s();
    while (viewer_continue(scene.session, count, &scene))
        continue;
    double read = now_s() - start;
    getrusage(RUSAGE_SELF, &usage);
    scene.slices = xcalloc(SLICES, sizeof(*scene.slices));
    for (size_t i = 0; i < SLICES; i++)
        scene.slices[i].duration_ns = i % 1000;
    report("summary", worst_summary, &scene);
    report("bars", worst_bars, &scene);
    double allowed = (double)(size + 64 * MIB), peak = (double)usage.ru_maxrss * 1024;
    snprintf(of, sizeof(of), "the block + 64 MiB (%.0f MiB of %.0f MiB)",
             peak / (double)MIB, allowed / (double)MIB);
    ratio_print("viewer.memory", peak / allowed, of, "<= 1", peak <= allowed);
    fprintf(stderr, "viewer: import %.2f ms, timeline %.2f s, %.0f MB/s\n", first * 1e3,
            read, (double)size / 1e6 / read);
    viewer_session_destroy(scene.session);
    viewer_destroy(viewer);
    free(scene.slices);
    unlink(path);
    return 0;
}
