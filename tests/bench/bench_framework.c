/* bench_framework.c - speed of muster analyze, on generated captures of the genuine
 * shape
 *
 * Figures: rows of kernels against a pass that only finds commas, the trace in MB/s of
 * processor time with the growth of memory, the analysis of a rank against python3's
 * csv and json modules, and 64 ranks on two processes against one. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/framework/kernel_csv.h"
#include "parsers/host_trace/trace_view.h"
#include "tests/bench/ratio.h"
#include "tests/bench/two.h"

enum {
    ROWS = 100000,     /* kernels of a rank */
    TRACE_ROWS = 4000, /* kernels in a block of the trace */
    RANKS = 64,
    LAYER = 31, /* kernels of a layer */
    STEP_ROWS = 2500,
    KERNEL_NS = 20000,
    GAP_EVERY = 12, /* a gap of 60 us behind each twelfth kernel */
    GAP_NS = 60000,
    MIB = 1 << 20,
    MEMORY_MIB = 256,
    KERNEL_BYTES = 100,
};

static const int64_t origin_ns = 1764246877073569640;
static char folder[] = "/tmp/muster-bench-framework-XXXXXX";

static int64_t start_of(int64_t kernel)
{
    return origin_ns + kernel * (KERNEL_NS + 1000) + kernel / GAP_EVERY * GAP_NS;
}

static const char header[] =
    "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
    "Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,"
    "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data "
    "Types,Output Formats,Context ID,aicore_time(us),aic_total_cycles,aic_mac_time(us),"
    "aic_mac_ratio,aic_scalar_time(us),aic_scalar_ratio,aic_mte1_time(us),"
    "aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aic_fixpipe_time(us),"
    "aic_fixpipe_ratio,aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,"
    "aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,"
    "aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),aiv_mte3_ratio,"
    "aiv_icache_miss_rate,cube_utilization(%)\n";

static void add_row(struct text *csv, int64_t i)
{
    static const char *const types[] = {"MatMulV3", "Muls", "Add", "Cast", "RmsNorm"};
    const char *type = i % LAYER == 0 ? "FlashAttentionScore" : types[i % 5];
    int64_t start = start_of(i), wait = i > 0 ? start - start_of(i - 1) - KERNEL_NS : 0;

    text_printf(
        csv,
        "%lld,0,4294967295,%lld,2,aclnn%s_%sAiCore_%s,%s,dynamic,AI_VECTOR_CORE,"
        "%lld.%03lld\t,20.000,%lld.%03lld,40,0,NO,\"\"\"%lld,1024;1,4096;1\"\"\","
        "DT_BF16;INT64;INT64,ND;ND;ND,\"\"\"1,4096,1024\"\"\",DT_BF16,ND,N/A,0.0,0,0.0,"
        "0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,40.296,2659547,0.139,0.003,1.948,0."
        "048,"
        "31.87,0.791,4.633,0.115,0.056,0.000\n",
        (long long)(i / STEP_ROWS), (long long)i, type, type, type, type,
        (long long)(start / 1000), (long long)(start % 1000), (long long)(wait / 1000),
        (long long)(wait % 1000), (long long)(i % 7 * 1024));
}

static void save(const char *path, const struct text *text)
{
    struct err err;

    if (file_write(path, text_get(text), text->length, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

static void make_kernels(const char *path)
{
    struct text csv = {0};

    text_add(&csv, header);
    for (int64_t i = 0; i < ROWS; i++)
        add_row(&csv, i);
    save(path, &csv);
    text_clear(&csv);
}

/* Adds what the framework, the driver and the device did for one kernel. */
static void add_events(struct text *json, int64_t i)
{
    int64_t start = start_of(i), host = start - 300000;

#define US(ns) (long long)((ns) / 1000), (long long)((ns) % 1000)
    if (i % STEP_ROWS == 0)
        text_printf(json,
                    "{\"ph\": \"X\", \"name\": \"ProfilerStep#%lld\", \"pid\": 1, "
                    "\"tid\": 1, \"ts\": \"%lld.%03lld\", \"dur\": %lld, \"cat\": "
                    "\"cpu_op\", \"args\": {}},\n",
                    (long long)(i / STEP_ROWS), US(host - 1000),
                    (long long)(start_of(i + STEP_ROWS) - start) / 1000);
    text_printf(
        json,
        "{\"ph\": \"X\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 1, \"ts\": "
        "\"%lld.%03lld\", \"dur\": 12.8, \"cat\": \"cpu_op\", \"args\": {\"Sequence "
        "number\": %lld, \"Fwd thread id\": 0, \"Input Dims\": \"4096,1024;\\r\\n1024,"
        "4096\", \"Input type\": \"float;\\r\\nfloat\", \"Call stack\": \"/opt/python/"
        "site-packages/torch/nn/modules/linear.py(114): forward;\\r\\n/opt/python/"
        "site-packages/torch/nn/modules/module.py(1501): _call_impl\"}},\n"
        "{\"ph\": \"X\", \"name\": \"torch/nn/functional.py(%lld): linear\", \"pid\": "
        "1, "
        "\"tid\": 1, \"ts\": \"%lld.%03lld\", \"dur\": 0.4, \"cat\": "
        "\"python_function\", \"args\": {\"Python id\": %lld, \"Python parent id\": "
        "67}},\n",
        US(host), (long long)i, (long long)(i % 400), US(host + 2000), (long long)i);
    text_printf(
        json,
        "{\"name\": \"AscendCL@aclnnMatmul\", \"pid\": 2, \"tid\": 7, \"ts\": "
        "\"%lld.%03lld\", \"dur\": 8.1, \"args\": {\"Thread Id\": 7, \"Mode\": "
        "\"launch\", \"level\": \"acl\", \"id\": \"MatMulV3\", \"item_id\": \"0\", "
        "\"connection_id\": %lld}, \"ph\": \"X\"},\n"
        "{\"name\": \"HostToDevice%lld\", \"ph\": \"s\", \"cat\": \"HostToDevice\", "
        "\"id\": \"%lld\", \"pid\": 2, \"tid\": 7, \"ts\": \"%lld.%03lld\"},\n"
        "{\"name\": \"aclnnMatMul_MatMulAiCore_MatMulV3\", \"pid\": 3, \"tid\": 2, "
        "\"ts\": \"%lld.%03lld\", \"dur\": 20.0, \"args\": {\"Model Id\": 4294967295, "
        "\"Task Type\": \"AI_CORE\", \"Physic Stream Id\": 2, \"Task Id\": %lld, "
        "\"Batch Id\": 0, \"Subtask Id\": 4294967295, \"connection_id\": %lld}, "
        "\"ph\": \"X\"},\n"
        "{\"name\": \"LLC 1 Read/Throughput\", \"ts\": \"%lld.%03lld\", \"pid\": 4, "
        "\"tid\": 0, \"args\": {\"Throughput(MB/s)\": 22606.175}, \"ph\": \"C\"}",
        US(host + 5000), (long long)i, (long long)i, (long long)i, US(host + 5000),
        US(start), (long long)i, (long long)i, US(start));
#undef US
}

static void add_lanes(struct text *json)
{
    static const char *const names[] = {"Python", "CANN", "Ascend Hardware", "LLC"};

    for (size_t i = 0; i < COUNT(names); i++)
        text_printf(
            json,
            "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %zu, \"tid\": 0, "
            "\"args\": {\"name\": \"%s\"}},\n",
            i + 1, names[i]);
}

/* Writes a trace of at least this many bytes. Returns the number of its kernels. */
static int64_t write_trace(int fd, uint64_t bytes)
{
    struct text json = {0};
    uint64_t written = 0;
    int64_t kernel = 0;

    text_add(&json, "[");
    add_lanes(&json);
    while (written < bytes) {
        for (int64_t i = 0; i < TRACE_ROWS; i++, kernel++) {
            text_add(&json, kernel > 0 ? ",\n" : "");
            add_events(&json, kernel);
        }
        if (written + json.length >= bytes)
            text_add(&json, "]\n");
        if (fd_write_all(fd, text_get(&json), json.length) < 0)
            _exit(1); /* the reader ended */
        written += json.length;
        text_reset(&json);
    }
    text_clear(&json);
    return kernel;
}

static double busy_seconds(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static double peak_mib(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss / 1024;
}

struct trace_figures {
    double mb_per_s, mib; /* of processor time; growth of the process */
    double events, kept;
};

/* The gaps of the kernels, as the analysis finds them in the list of kernels. */
static void find_idle(struct intervals *idle, int64_t kernels)
{
    intervals_add(idle, INT64_MIN, start_of(0));
    for (int64_t i = 1; i < kernels; i++)
        if (start_of(i) - start_of(i - 1) - KERNEL_NS >= 10000)
            intervals_add(idle, start_of(i - 1) + KERNEL_NS, start_of(i));
}

/* Reads a trace that another process writes into a pipe, in a process of its own, so
 * that neither a disk nor earlier memory is measured. */
static void read_trace(uint64_t bytes, int out)
{
    struct trace_figures figures;
    struct trace_view trace;
    struct intervals idle = {0};
    struct names *names = names_create();
    struct err err;
    char path[64];
    double busy, before;
    pid_t writer;
    int ends[2];

    if (pipe(ends) < 0)
        _exit(1);
    fcntl(ends[0], F_SETPIPE_SZ, MIB);
    writer = fork();
    if (writer == 0) {
        close(ends[0]);
        write_trace(ends[1], bytes);
        _exit(0);
    }
    close(ends[1]);
    /* 1,470 bytes a kernel */
    find_idle(&idle, (int64_t)(bytes / 1400));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
    before = peak_mib();
    busy = busy_seconds();
    if (trace_view_read(&trace, names, &idle, NULL, path, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        _exit(1);
    }
    figures.mb_per_s = (double)bytes / 1e6 / (busy_seconds() - busy);
    figures.mib = peak_mib() - before;
    figures.events = (double)trace.events_read;
    figures.kept = (double)trace.event_count;
    if (write(out, &figures, sizeof(figures)) != sizeof(figures))
        _exit(1);
    waitpid(writer, NULL, 0);
    _exit(0);
}

static struct trace_figures measure_trace(uint64_t bytes)
{
    struct trace_figures figures;
    int ends[2], status;
    pid_t reader;

    if (pipe(ends) < 0)
        exit(1);
    reader = fork();
    if (reader == 0)
        read_trace(bytes, ends[1]);
    close(ends[1]);
    if (read(ends[0], &figures, sizeof(figures)) != sizeof(figures))
        exit(1);
    waitpid(reader, &status, 0);
    close(ends[0]);
    return figures;
}

/* The whole 2 GB with MUSTER_TEST_TRACE_BYTES=2000000000; a part of it otherwise. */
static void bench_trace(void)
{
    const char *wanted = getenv("MUSTER_TEST_TRACE_BYTES");
    uint64_t bytes = wanted ? strtoull(wanted, NULL, 10) : 400000000;
    struct trace_figures small = measure_trace(bytes / 4), large = measure_trace(bytes);
    double kernels = (double)bytes / 1400;
    double allowed = MEMORY_MIB + kernels * KERNEL_BYTES / MIB;
    char of[64];

    ratio_print("framework: trace_view.json, MB/s", large.mb_per_s, "one core",
                ">= 300", large.mb_per_s >= 300);
    snprintf(of, sizeof(of), "256 MiB and 100 bytes a kernel, %.2f GB",
             (double)bytes / 1e9);
    ratio_print("framework: trace_view.json, memory", large.mib / allowed, of, "<= 1",
                large.mib <= allowed);
    ratio_print("framework: events of the trace kept", large.kept / large.events,
                "events read", "<= 0.3", large.kept <= 0.3 * large.events);
    fprintf(stderr, "trace: %.1f MiB for a quarter, %.1f MiB for all\n", small.mib,
            large.mib);
}

static double read_rows(void *path)
{
    struct names *names = names_create();
    struct kernel_list list;
    uint64_t start = clock_mono_ns();
    struct err err;
    double took;

    kernel_list_init(&list, names);
    if (kernel_csv_read(&list, path, &err) < 0 || list.count != ROWS)
        exit(1);
    took = (double)(clock_mono_ns() - start);
    kernel_list_clear(&list);
    names_destroy(names);
    return took;
}

/* The floor: finds every comma and the end of every row, and converts nothing. */
static double find_commas(void *path)
{
    enum { PIECE = 256 * 1024 };
    uint64_t start = clock_mono_ns(), commas = 0, rows = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = xmalloc(PIECE);
    ssize_t got;

    while ((got = read(fd, bytes, PIECE)) > 0) {
        const char *at = bytes, *end = bytes + got, *comma;

        while ((comma = memchr(at, ',', (size_t)(end - at)))) {
            commas++;
            at = comma + 1;
        }
        for (at = bytes; (at = memchr(at, '\n', (size_t)(end - at))); at++)
            rows++;
    }
    free(bytes);
    close(fd);
    if (rows != ROWS + 1 || commas < (uint64_t)ROWS * 46)
        exit(1);
    return (double)(clock_mono_ns() - start);
}

/* Runs a program and returns its processor time with that of its children, in seconds;
 * with `wall`, the time until it ends. */
static double run(char *const *argv, bool wall)
{
    struct rusage before, after;
    uint64_t start = clock_mono_ns();
    int status;
    pid_t pid;

    getrusage(RUSAGE_CHILDREN, &before);
    pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);

        dup2(null, STDOUT_FILENO);
        execvp(argv[0], argv);
        _exit(127);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0) {
        fprintf(stderr, "%s failed\n", argv[0]);
        exit(1);
    }
    getrusage(RUSAGE_CHILDREN, &after);
    if (wall)
        return (double)(clock_mono_ns() - start) / 1e9;
    return (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec +
                    after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
           (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec +
                    after.ru_stime.tv_usec - before.ru_stime.tv_usec) /
               1e6;
}

static double analyse_rank(void *path)
{
    char *const argv[] = {MUSTER, "analyze", path, NULL};

    return run(argv, false);
}

/* Reads the same files with python3's modules: every row as a dictionary. */
static double read_with_python(void *path)
{
    static char program[] =
        "import csv, json, sys\n"
        "rows = list(csv.DictReader(open(sys.argv[1] + '/kernel_details.csv')))\n"
        "events = json.load(open(sys.argv[1] + '/trace_view.json'))\n"
        "assert len(rows) == 100000 and len(events) > 100000\n";
    char *const argv[] = {"python3", "-c", program, path, NULL};

    return run(argv, false);
}

static double ranks_on(void *path, char *processes)
{
    char *const argv[] = {MUSTER, "analyze", path, "--jobs", processes, NULL};

    return run(argv, true);
}

static double ranks_on_one(void *path)
{
    return ranks_on(path, "1");
}

static double ranks_on_two(void *path)
{
    return ranks_on(path, "2");
}

/* All ranks share the bytes of one file. */
static void make_ranks(const char *from, const char *to)
{
    for (int i = 0; i < RANKS; i++) {
        char *rank = xasprintf("%s/rank_%d", to, i);
        char *path = xasprintf("%s/kernel_details.csv", rank);
        struct err err;

        if (folder_create(rank, &err) < 0 || link(from, path) < 0)
            exit(1);
        free(rank);
        free(path);
    }
}

int main(void)
{
    char *rank, *ranks, *kernels, *trace;
    struct err err;
    double ratio;
    int fd;

    if (!mkdtemp(folder))
        return 1;
    rank = xasprintf("%s/one", folder);
    ranks = xasprintf("%s/all", folder);
    kernels = xasprintf("%s/kernel_details.csv", rank);
    trace = xasprintf("%s/trace_view.json", rank);
    if (folder_create(rank, &err) < 0 || folder_create(ranks, &err) < 0)
        return 1;
    make_kernels(kernels);
    ratio = ratio_median(find_commas, read_rows, kernels);
    ratio_print("framework: kernel_details.csv, speed", ratio,
                "read() and a memchr per comma", ">= 0.8", ratio >= 0.8);
    bench_trace();
    make_ranks(kernels, ranks);
    fd = open(trace, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    write_trace(fd, (uint64_t)ROWS * 1000);
    close(fd);
    ratio = ratio_median(read_with_python, analyse_rank, rank);
    ratio_print("framework: analysis of a rank, speed", ratio,
                "python3: csv and json of the same files", ">= 20", ratio >= 20);
    ratio = ratio_median(ranks_on_one, ranks_on_two, ranks);
    ratio_print("framework: 64 ranks on two processes", ratio, "on one", ">= 1.7",
                ratio >= 1.7);
    two_print("framework: two processes: this machine");
    folder_remove(folder, &err);
    free(rank);
    free(ranks);
    free(kernels);
    free(trace);
    return 0;
}
