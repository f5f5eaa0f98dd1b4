/* iree_sample.c - writes the files of a compiled program of IREE, with known figures
 *
 *   iree_sample dump FILE RING_KIB ITERATIONS   an instrument dump (IDB0)
 *   iree_sample profile FILE EVENTS             a profile (IRPF)
 *
 * The dump has the functions `mul` and `add`. Each iteration runs 4 workgroups of
 * `mul`, each with a load of 64 bytes, and one workgroup of `add` with a store of 16
 * bytes. The workgroups of `mul` run on processors 0 to 3. The profile has EVENTS
 * dispatches of `mul`, of 1 us, 2 us ... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "lib/capture/format/test_captures.h"

enum { METADATA_BYTES = 192, PADDING = 4096, GRID = 4 };

static void write_all(FILE *file, const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, file) != size) {
        perror("iree_sample");
        exit(1);
    }
}

struct ring {
    uint8_t *bytes;
    uint64_t size, head;
};

/* Stores a record as IREE does: it may run on behind the end of the ring. */
static uint64_t put(struct ring *ring, const void *record, size_t size)
{
    uint64_t offset = ring->head & (ring->size - 1);

    memcpy(ring->bytes + offset, record, size);
    ring->head += size;
    return offset;
}

static uint64_t
put_workgroup(struct ring *ring, uint32_t site, uint32_t id, uint32_t count)
{
    uint8_t record[32] = {0};

    store_u32(record, site << 8);
    store_u32(record + 4, id);
    store_u32(record + 16, count);
    store_u32(record + 20, 1);
    store_u32(record + 24, 1);
    store_u32(record + 28, id);
    return put(ring, record, sizeof(record));
}

static void
put_access(struct ring *ring, unsigned tag, uint64_t owner, unsigned bytes, uint64_t at)
{
    uint8_t record[16];

    store_u64(record, tag | (uint64_t)bytes << 8 | owner << 24);
    store_u64(record + 8, at);
    put(ring, record, sizeof(record));
}

static void write_dump(FILE *file, uint64_t ring_kib, uint64_t iterations)
{
    struct ring ring = {.size = ring_kib << 10};
    uint8_t *metadata = oracle_foreign_bytes(), head[CAPTURE_CHUNK_HEAD] = "0IDB\1";

    ring.bytes = xcalloc(1, ring.size + PADDING);
    for (uint64_t i = 0; i < iterations; i++) {
        for (uint32_t id = 0; id < GRID; id++)
            put_access(&ring, 4, put_workgroup(&ring, 0, id, GRID), 64,
                       0x1000 + 64 * id);
        put_access(&ring, 5, put_workgroup(&ring, 1, 0, 1), 16, 0x2000);
    }
    store_u64(ring.bytes + ring.size + PADDING - 8, ring.head);
    store_u64(head + 8, ring.size + PADDING);
    write_all(file, metadata, METADATA_BYTES);
    write_all(file, head, sizeof(head));
    write_all(file, ring.bytes, ring.size + PADDING);
    free(ring.bytes);
    free(metadata);
}

static void write_record(FILE *file,
                         const char *content,
                         unsigned kind,
                         const void *item,
                         size_t size)
{
    uint8_t head[104] = {0};
    char type[80];

    snprintf(type, sizeof(type), "application/vnd.iree.hal.profile.%s", content);
    store_u64(head, sizeof(head) + strlen(type) + size);
    store_u64(head + 8, size);
    store_u32(head + 56, sizeof(head));
    store_u32(head + 60, (uint32_t)strlen(type));
    store_u16(head + 100, (uint16_t)kind);
    write_all(file, head, sizeof(head));
    write_all(file, type, strlen(type));
    write_all(file, item, size);
}

static void write_profile(FILE *file, uint64_t events)
{
    uint8_t head[24] = "IRPF\1\0\6\0\x18", function[67] = {67}, event[152] = {152};

    write_all(file, head, sizeof(head));
    write_record(file, "session", 1, "", 0);
    store_u64(function + 8, 1);
    store_u32(function + 44, 3);
    memcpy(function + 64, "mul", 3);
    write_record(file, "executable-functions", 2, function, sizeof(function));
    store_u32(event + 4, 2); /* a dispatch */
    store_u64(event + 40, 1);
    for (uint64_t i = 1; i <= events; i++) {
        store_u64(event + 16, i);
        store_u64(event + 104, 1000000 * i);
        store_u64(event + 112, 1000000 * i + 1000 * i);
        write_record(file, "host-execution-events", 2, event, sizeof(event));
    }
    write_record(file, "session", 3, "", 0);
}

int main(int argc, char **argv)
{
    bool is_dump = argc == 5 && strcmp(argv[1], "dump") == 0;
    FILE *file;

    if (!is_dump && (argc != 4 || strcmp(argv[1], "profile") != 0)) {
        fprintf(stderr, "usage: iree_sample dump FILE RING_KIB ITERATIONS\n"
                        "       iree_sample profile FILE EVENTS\n");
        return 2;
    }
    file = fopen(argv[2], "wb");
    if (!file) {
        perror(argv[2]);
        return 1;
    }
    if (is_dump)
        write_dump(file, strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
    else
        write_profile(file, strtoull(argv[3], NULL, 10));
    return fclose(file) == 0 ? 0 : 1;
}
