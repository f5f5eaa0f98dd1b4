/* bench_iree.c - speed of decoding the ring of an IREE dump on one core
 *
 * The floor is a pass over the same memory that only adds its words. The ring has
 * wrapped, so the time includes the search of the first record and the tables of all
 * sites: counts, cache lines, strides and conflicts. The second figure is the decoded
 * rate itself, for the budget in bytes. */
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/iree/idb_ring.h"
#include "parsers/iree/idb_sites.h"
#include "tests/bench/ratio.h"

enum { RING_BYTES = 64 << 20, PADDING = 4096, ACCESSES = 6, GRID = 64, SITES = 16 };

struct ring_bytes {
    uint8_t *content;
    double rate; /* of the latest decoding, MB/s */
};

static uint64_t put(uint8_t *content, uint64_t *head, const void *record, size_t size)
{
    uint64_t offset = *head & (RING_BYTES - 1);

    memcpy(content + offset, record, size);
    *head += size;
    return offset;
}

/* Fills one and a half laps with workgroups of six loads and stores each. */
static uint8_t *make_ring(void)
{
    uint8_t *content = xcalloc(1, RING_BYTES + PADDING), record[32] = {0};
    uint64_t head = 0;

    for (uint64_t i = 0; head < RING_BYTES / 2 * 3; i++) {
        store_u32(record, (uint32_t)(i % SITES) << 8);
        store_u32(record + 4, (uint32_t)(i % GRID));
        store_u32(record + 16, GRID);
        store_u32(record + 20, 1);
        store_u32(record + 24, 1);
        store_u32(record + 28, (uint32_t)(i % 8));
        uint64_t owner = put(content, &head, record, sizeof(record));

        for (unsigned k = 0; k < ACCESSES; k++) {
            uint8_t access[16];

            store_u64(access, (4 + k % 2) | 64 << 8 | owner << 24);
            store_u64(access + 8, 64 * i);
            put(content, &head, access, sizeof(access));
        }
    }
    store_u64(content + RING_BYTES + PADDING - 8, head);
    return content;
}

/* Returns the processor time of this thread: the machine may be busy. */
static uint64_t busy_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static double decode(void *arg)
{
    struct ring_bytes *is = arg;
    uint64_t start = busy_ns(), took;
    struct idb_record record;
    struct idb_sites sites;
    struct idb_ring ring;
    struct err err;

    if (idb_ring_open(&ring, is->content, RING_BYTES + PADDING, SITES, &err) < 0)
        exit(1);
    idb_sites_init(&sites);
    while (idb_ring_next(&ring, &record))
        idb_sites_add(&sites, &record);
    idb_sites_finish(&sites);
    if (sites.sites.count != SITES || ring.totals.bad_bytes ||
        ring.totals.lost_owners > ACCESSES)
        exit(1);
    idb_sites_clear(&sites);
    took = busy_ns() - start;
    is->rate = (double)RING_BYTES / (double)took * 1000;
    return (double)took;
}

static double add_words(void *arg)
{
    const struct ring_bytes *is = arg;
    uint64_t start = busy_ns(), sum = 0;

    for (size_t at = 0; at < RING_BYTES; at += 8)
        sum += load_u64(is->content + at);
    *(volatile uint64_t *)&(uint64_t){0} = sum;
    return (double)(busy_ns() - start);
}

int main(void)
{
    struct ring_bytes is = {.content = make_ring()};
    double ratio = 1 / ratio_median(decode, add_words, &is);

    ratio_print("iree: ring decoded, speed", ratio, "a pass over the same memory",
                ">= 0.006", ratio >= 0.006);
    ratio_print("iree: ring decoded, MB/s", is.rate, "one core", ">= 300",
                is.rate >= 300);
    free(is.content);
    return 0;
}
