/* bench_json_in.c - speed and memory of json_read for a file of trace events
 *
 * The speed is compared with jansson, when its library is installed; the peak memory
 * with that for a file a tenth as large. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/json_read.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/bench/ratio.h"

enum { FEW = 40000, MANY = 10 * FEW, PIECE = 1 << 20 };

/* Functions of jansson, found by name, because muster is not built with jansson. */
struct jansson {
    void *(*load)(const char *bytes, size_t size, size_t flags, void *error);
    void (*destroy)(void *root);
};

struct input {
    const char *bytes;
    size_t size;
    struct jansson jansson;
};

static void add_event(struct text *out, uint64_t i)
{
    uint64_t hash = i * 6364136223846793005u;

    text_printf(out,
                "%s{\"name\":\"MatmulAllReduce_%u\",\"ph\":\"X\",\"ts\":%" PRIu64
                ".%03u,\"dur\":%u.%03u,\"pid\":%u,\"tid\":%u,\"args\":{\"Task Type\":"
                "\"AI_CORE\",\"Stream Id\":%u,\"Task Id\":%" PRIu64
                ",\"Connection Id\":%u,\"aic_mac_ratio\":0.%03u,"
                "\"Input Shapes\":\"1024,1024;1024,512\"}}",
                i ? ",\n" : "[", (unsigned)(hash >> 54), 1732166400000000 + i * 3,
                (unsigned)(i % 1000), (unsigned)(hash >> 52), (unsigned)(i % 1000),
                (unsigned)(hash >> 60), (unsigned)(hash >> 56), (unsigned)(i % 33), i,
                (unsigned)(hash >> 40), (unsigned)(i % 1000));
}

static void flush(int fd, struct text *piece)
{
    if (write(fd, piece->bytes, piece->length) != (ssize_t)piece->length)
        exit(1);
    text_reset(piece);
}

/* Writes in pieces, because the children whose peak is measured inherit this memory. */
static int make_file(uint64_t events)
{
    int fd = memfd_create("trace", MFD_CLOEXEC);
    struct text piece = {0};

    for (uint64_t i = 0; i < events; i++) {
        add_event(&piece, i);
        if (piece.length >= PIECE)
            flush(fd, &piece);
    }
    text_add(&piece, "]\n");
    flush(fd, &piece);
    text_clear(&piece);
    return fd;
}

/* Reads all values: texts in place, numbers converted. */
static void read_all(struct json_read *read)
{
    struct json_token token;
    double sum = 0, number;
    struct err err;

    do {
        if (json_read_next(read, &token, &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            exit(1);
        }
        if (json_token_double(&token, &number))
            sum += number;
    } while (token.kind != JSON_END);
    __asm__ volatile("" : : "r"(&sum) : "memory");
    json_read_destroy(read);
}

static double ours(void *arg)
{
    const struct input *input = arg;
    uint64_t start = clock_mono_ns();

    read_all(
        json_read_create_memory("trace.json", input->bytes, input->size, JSON_LIMITS));
    return (double)(clock_mono_ns() - start);
}

static double by_jansson(void *arg)
{
    const struct input *input = arg;
    char error[512]; /* json_error_t of jansson has less than 300 bytes */
    uint64_t start = clock_mono_ns();
    void *root = input->jansson.load(input->bytes, input->size, 0, error);

    if (!root)
        exit(1);
    input->jansson.destroy(root);
    return (double)(clock_mono_ns() - start);
}

static bool find_jansson(struct jansson *jansson)
{
    void *library = dlopen("libjansson.so.4", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return false;
    *(void **)&jansson->load = dlsym(library, "json_loadb");
    *(void **)&jansson->destroy = dlsym(library, "json_delete");
    return jansson->load && jansson->destroy;
}

/* Returns the peak memory of a process that only reads the file, in KiB. */
static double peak_of(int fd)
{
    struct rusage usage;
    int status;
    pid_t child = fork();

    if (child == 0) {
        lseek(fd, 0, SEEK_SET);
        read_all(json_read_create_fd("trace.json", fd, JSON_LIMITS));
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0)
        exit(1);
    return (double)usage.ru_maxrss;
}

int main(void)
{
    struct input input = {0};
    int few = make_file(FEW), many = make_file(MANY);
    double growth = peak_of(many) / peak_of(few);

    ratio_print("trace JSON in, peak of memory", growth, "a file a tenth as large",
                "<= 1.1", growth <= 1.1);
    close(many);
    input.size = (size_t)lseek(few, 0, SEEK_END);
    input.bytes = mmap(NULL, input.size, PROT_READ, MAP_PRIVATE, few, 0);
    if (find_jansson(&input.jansson)) {
        double ratio = ratio_median(by_jansson, ours, &input);

        ratio_print("trace JSON in", ratio, "jansson", ">= 10", ratio >= 10);
    } else {
        ratio_skip("trace JSON in", "libjansson.so.4 is not installed");
    }
    close(few);
    return 0;
}
