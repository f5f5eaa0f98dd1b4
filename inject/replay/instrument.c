#include "inject/replay/instrument.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/device/driver.h"
#include "inject/program/kernel_images.h"
#include "inject/replay/launch_call.h"
#include "inject/session/record_output.h"
#include "lib/capture/format/records.h"

enum {
    NAME_BYTES = 1024,
    WRITTEN_MAX = 256,
    PART_HEAD = 176, /* then records, and 64 unused bytes */
    PARTS_MAX = 108,
    COUNTS_BYTES = 1 << 20, /* for the counts of basic blocks */
    MAP_BYTES = 4 << 20, /* for the map of marks: the sizes of two texts, the texts */
    TO_DEVICE = 1,       /* aclrtMemcpyKind */
    TO_HOST = 2,
};
static const uint64_t part_full = 1ull << 63;
static const uint64_t parts_bytes = 64ull << 20; /* of all parts together */
static const uint64_t part_least = 64ull << 10;
static const uint64_t code_limit = 64ull << 20;

/* Trailer of an instrumented binary for the simulator. */
struct trailer {
    uint32_t flags; /* bits of the profiler's configuration */
    uint32_t parts;
    uint64_t part_bytes;
    uint64_t buffer;
    char magic[16];
};

static const struct {
    const char *metric;
    uint32_t flag;
    const char *file;
} kinds[INSTRUMENT_KINDS] = {
    [INSTRUMENT_MEMORY] = {"MemoryDetail", 1u << 2, "dbi"},
    [INSTRUMENT_BLOCKS] = {"Source", 1u << 6, "bbcount"},
    [INSTRUMENT_MARKS] = {"InstrTimeline", 1u << 5, "dfx_region_map.txt"},
};

bool instrument_has_metric(const char *metrics, const char *name)
{
    size_t length = strlen(name);

    while (*metrics) {
        metrics += strspn(metrics, ", ");
        size_t word = strcspn(metrics, ", ");

        if (word == length && strncasecmp(metrics, name, length) == 0)
            return true;
        metrics += word;
    }
    return false;
}

bool instrument_is_wanted(const char *metrics, enum instrument_kind kind)
{
    return instrument_has_metric(metrics, kinds[kind].metric) ||
           (kind == INSTRUMENT_BLOCKS && instrument_has_metric(metrics, "PcSampling"));
}

static void write_bytes(uint64_t hash, const uint8_t *bytes, uint64_t total)
{
    for (uint64_t at = 0; at < total; at += RECORD_PIECE_MAX) {
        uint64_t left = total - at;
        struct record_kernel_binary piece = {
            .bytes = (uint32_t)(left < RECORD_PIECE_MAX ? left : RECORD_PIECE_MAX),
            .hash = hash,
            .offset = at,
            .total = total,
        };

        record_output_with_bytes(RECORD_KERNEL_BINARY, &piece, sizeof(piece),
                                 bytes + at, piece.bytes);
    }
}

static uint64_t written[WRITTEN_MAX]; /* hashes of binaries that the worker has */
static size_t written_count;

void instrument_forget_sent_code(void)
{
    __atomic_store_n(&written_count, 0, __ATOMIC_RELEASE);
}

void instrument_write_code(const struct instrument_job *job)
{
    struct kernel_image image;

    if (!kernel_image_get(job->launch->func, &image) || image.size > code_limit)
        return;
    struct record_launch_code code = {
        .launch = job->number,
        .hash = image.hash,
        .bytes = image.size,
    };
    size_t at = 0, known = __atomic_load_n(&written_count, __ATOMIC_ACQUIRE);

    while (at < known && written[at] != image.hash)
        at++;
    /* Two threads may both write a binary; the reader accepts duplicates. */
    if (at == known) {
        write_bytes(image.hash, image.bytes, image.size);
        if (known < WRITTEN_MAX) {
            written[known] = image.hash;
            __atomic_store_n(&written_count, known + 1, __ATOMIC_RELEASE);
        }
    }
    record_output_record(RECORD_LAUNCH_CODE, &code, sizeof(code));
}

static void write_file(const struct instrument_job *job,
                       const char *name,
                       uint32_t part,
                       const uint8_t *bytes,
                       uint64_t total)
{
    for (uint64_t at = 0; at < total; at += RECORD_PIECE_MAX) {
        uint64_t left = total - at;
        struct record_file_piece piece = {
            .device = job->device,
            .launch = job->number,
            .offset = at,
            .total = total,
            .bytes = (uint32_t)(left < RECORD_PIECE_MAX ? left : RECORD_PIECE_MAX),
            .part = part,
        };

        snprintf(piece.name, sizeof(piece.name), "%s", name);
        record_output_with_bytes(RECORD_FILE_PIECE, &piece, sizeof(piece), bytes + at,
                                 piece.bytes);
    }
}

static void *map(uint64_t bytes)
{
    void *at =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

/* Sets the heads of all parts, or all counts, to zero. */
static int clear(const struct instrument *buffer)
{
    enum instrument_kind kind = buffer->kind;
    uint64_t step = kind == INSTRUMENT_MEMORY ? buffer->part_bytes : buffer->bytes;
    uint64_t size = kind == INSTRUMENT_MEMORY ? PART_HEAD : buffer->bytes;
    void *zeros = map(size);
    int result = zeros ? 0 : -1;

    for (uint64_t at = 0; result == 0 && at < buffer->bytes; at += step)
        result = runtime_copy((uint8_t *)buffer->buffer + at, zeros, size, TO_DEVICE);
    if (zeros)
        munmap(zeros, size);
    return result;
}

/* Allocates one part per block of the launch; on a 950, one per core. */
static int allocate_buffer(struct instrument *buffer, const struct instrument_job *job)
{
    uint32_t blocks = job->launch->blocks;

    buffer->bytes = buffer->kind == INSTRUMENT_MARKS ? MAP_BYTES : COUNTS_BYTES;
    if (buffer->kind == INSTRUMENT_MEMORY) {
        uint64_t each;

        buffer->parts =
            job->chip != ABI_CHIP_A5 && blocks < PARTS_MAX ? blocks : PARTS_MAX;
        if (buffer->parts == 0)
            return -1;
        each = parts_bytes / buffer->parts & ~63ull;
        buffer->part_bytes = each > part_least ? each : part_least;
        buffer->bytes = buffer->parts * buffer->part_bytes;
    }
    if (runtime_malloc(&buffer->buffer, buffer->bytes) != 0)
        return -1;
    if (clear(buffer) == 0)
        return 0;
    runtime_free(buffer->buffer);
    return -1;
}

/* Loads the binary with the trailer. Returns NULL when the runtime refuses it. */
static void *load(const struct kernel_image *image, const struct instrument *buffer)
{
    struct trailer trailer = {
        .flags = kinds[buffer->kind].flag,
        .parts = buffer->parts,
        .part_bytes = buffer->part_bytes,
        .buffer = (uint64_t)(uintptr_t)buffer->buffer,
        .magic = "NPU_SIM instr 2",
    };
    uint64_t size = image->size + sizeof(trailer);
    uint8_t *bytes = map(size);
    void *binary = NULL;

    if (!bytes)
        return NULL;
    memcpy(bytes, image->bytes, image->size);
    memcpy(bytes + image->size, &trailer, sizeof(trailer));
    if (runtime_load(bytes, size, &binary) != 0)
        binary = NULL;
    munmap(bytes, size);
    return binary;
}

static void write_parts(const struct instrument_job *job,
                        const struct instrument *buffer)
{
    uint8_t *bytes = map(buffer->part_bytes);

    for (uint32_t i = 0; bytes && i < buffer->parts; i++) {
        const uint8_t *part = (const uint8_t *)buffer->buffer + i * buffer->part_bytes;
        uint64_t length, room = buffer->part_bytes - PART_HEAD;

        if (runtime_copy(bytes, part, PART_HEAD, TO_HOST) != 0)
            break;
        memcpy(&length, bytes + 8, sizeof(length));
        if (length & part_full || length > room)
            length = room;
        if (length > 0 &&
            runtime_copy(bytes + PART_HEAD, part + PART_HEAD, length, TO_HOST) != 0)
            break;
        write_file(job, kinds[INSTRUMENT_MEMORY].file, i, bytes, PART_HEAD + length);
    }
    if (bytes)
        munmap(bytes, buffer->part_bytes);
}

/* Writes the counts up to the last one that is not zero. */
static void write_counts(const struct instrument_job *job,
                         const struct instrument *buffer)
{
    uint8_t *bytes = map(buffer->bytes);
    uint64_t size = buffer->bytes;

    if (!bytes)
        return;
    if (runtime_copy(bytes, buffer->buffer, buffer->bytes, TO_HOST) == 0) {
        while (size > 4 && !memcmp(bytes + size - 4, "\0\0\0", 4))
            size -= 4;
        write_file(job, kinds[INSTRUMENT_BLOCKS].file, 0, bytes, size);
    }
    munmap(bytes, buffer->bytes);
}

/* Writes the map of marks and the log about pipes with too many instructions. */
static void write_map(const struct instrument_job *job, const struct instrument *buffer)
{
    uint8_t *bytes = map(buffer->bytes);
    uint64_t sizes[2];

    if (!bytes)
        return;
    if (runtime_copy(bytes, buffer->buffer, buffer->bytes, TO_HOST) == 0) {
        uint64_t room = buffer->bytes - sizeof(sizes);

        memcpy(sizes, bytes, sizeof(sizes));
        if (sizes[0] <= room && sizes[1] <= room - sizes[0]) {
            write_file(job, kinds[INSTRUMENT_MARKS].file, 0, bytes + sizeof(sizes),
                       sizes[0]);
            write_file(job, "dfx_tune.log", 0, bytes + sizeof(sizes) + sizes[0],
                       sizes[1]);
        }
    }
    munmap(bytes, buffer->bytes);
}

int instrument_start(struct instrument *instrument,
                     const struct instrument_job *job,
                     enum instrument_kind kind)
{
    const struct launch *launch = job->launch;
    char name[NAME_BYTES];
    void *function = NULL;
    struct kernel_image image;

    *instrument = (struct instrument){.kind = kind};
    if (!driver_is_simulated() || !launch->handle ||
        !kernel_image_get(launch->func, &image) ||
        runtime_function_name((void *)launch->func, name, sizeof(name)) != 0 ||
        allocate_buffer(instrument, job) < 0)
        return -1;
    instrument->binary = load(&image, instrument);
    if (instrument->binary &&
        runtime_get_function(instrument->binary, name, &function) == 0) {
        instrument->own = *launch->handle;
        *launch->handle = function;
        return 0;
    }
    if (instrument->binary)
        runtime_unload(instrument->binary);
    runtime_free(instrument->buffer);
    return -1;
}

void instrument_end(struct instrument *instrument,
                    const struct instrument_job *job,
                    bool ran)
{
    *job->launch->handle = instrument->own;
    if (ran && instrument->kind == INSTRUMENT_MEMORY)
        write_parts(job, instrument);
    else if (ran && instrument->kind == INSTRUMENT_MARKS)
        write_map(job, instrument);
    else if (ran)
        write_counts(job, instrument);
    runtime_unload(instrument->binary);
    runtime_free(instrument->buffer);
}
