/* usage.h - the use of the cards by this process, published in shared memory
 *
 * The page is a memory file without a name in the file system. Other processes of the
 * user find it among the open files of this process; the kernel frees it when the
 * process ends. The page has one slot per card; unused slots take no memory. Each
 * number is written with one store, so a reader can see numbers of slightly different
 * times. */
#ifndef SIM_CARD_USAGE_H
#define SIM_CARD_USAGE_H

#include <stdint.h>

#include "sim/card/heat.h"
#include "sim/fleet/fleet.h"

#define USAGE_FILE  "npu-sim-usage"
#define USAGE_MAGIC 0x3165676173756e73ull

struct usage_slot {
    uint64_t memory_bytes;
    uint64_t launches;
    struct heat heat;
    uint32_t ecc_single, ecc_multi;
};

struct usage_head {
    uint64_t magic;
    uint32_t pid; /* owner; a forked child has its parent's page open, too */
    uint32_t slot_size;
    uint64_t fleet; /* struct config, fleet_id */
    char host[HOST_NAME_MAX];
    uint64_t used[CARDS_MAX / 64]; /* one bit per card */
};

struct usage_page {
    struct usage_head head;
    struct usage_slot slot[CARDS_MAX];
};

/* These functions may be called from any thread. */
void usage_memory(uint32_t card, int64_t bytes);
void usage_launch(uint32_t card, uint64_t busy_ns);
void usage_ecc(uint32_t card, int multi_bit);
/* Returns the current values of this process's slot. */
struct usage_slot usage_of(uint32_t card);

#endif
