#include "sim/instrument/block_table.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

/* a scan of the code of one loaded file; it runs twice, to count and to fill */
struct scan {
    uint64_t base;
    uintptr_t callback;
    struct block_table *table; /* NULL: only count */
    size_t count;
};

#if defined(__x86_64__)
#define CALL_BYTES 5
#define CALL_STEP  1

/* call rel32 */
static uintptr_t target_of(const uint8_t *at)
{
    int32_t distance;

    if (at[0] != 0xE8)
        return 0;
    memcpy(&distance, at + 1, sizeof(distance));
    return (uintptr_t)at + CALL_BYTES + (uintptr_t)(intptr_t)distance;
}
#elif defined(__aarch64__)
#define CALL_BYTES 4
#define CALL_STEP  4

/* bl imm26 */
static uintptr_t target_of(const uint8_t *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof(word));
    if (word >> 26 != 0x25)
        return 0;
    return (uintptr_t)at + (uintptr_t)(intptr_t)((int32_t)(word << 6) >> 4);
}
#else
#error "how does this machine call a function?"
#endif

static void scan_code(struct scan *scan, const uint8_t *from, size_t bytes)
{
    for (size_t i = 0; i + CALL_BYTES <= bytes; i += CALL_STEP)
        if (target_of(from + i) == scan->callback) {
            if (scan->table)
                scan->table->address[scan->count] =
                    (uint64_t)(uintptr_t)(from + i + CALL_BYTES) - scan->base;
            scan->count++;
        }
}

static int scan_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct scan *scan = arg;

    (void)size;
    if (info->dlpi_addr != scan->base)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) &&
            scan->callback - scan->base - part->p_vaddr < part->p_memsz)
            scan_code(scan, (const uint8_t *)(uintptr_t)(scan->base + part->p_vaddr),
                      part->p_filesz);
    }
    return 1;
}

struct block_table *npu_sim_block_table_create(uint64_t code_base,
                                               void (*callback)(void))
{
    struct scan scan = {.base = code_base, .callback = (uintptr_t)callback};
    struct block_table *table;

    if (!callback)
        return NULL;
    dl_iterate_phdr(scan_object, &scan);
    if (scan.count == 0)
        return NULL;
    table = calloc(1, sizeof(*table) + scan.count * sizeof(table->address[0]));
    if (!table)
        return NULL;
    table->count = scan.count;
    scan.table = table;
    scan.count = 0;
    dl_iterate_phdr(scan_object, &scan);
    return table;
}

void npu_sim_block_table_destroy(struct block_table *table)
{
    free(table);
}

size_t block_table_find(const struct block_table *table, uint64_t address)
{
    size_t from = 0, to = table->count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (table->address[middle] < address)
            from = middle + 1;
        else
            to = middle;
    }
    return from < table->count && table->address[from] == address ? from : table->count;
}
