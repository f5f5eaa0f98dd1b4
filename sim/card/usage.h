/* usage.h - what this process does to its cards, where other processes can see it
 *
 * A page of shared memory without a name in the file system: a memory file that others
 * of the user find among this process's open files. It is gone with the process,
 * however that ends. One slot a card; a slot that was never used takes no memory. Each
 * number is written with one store; a reader may see some of them a moment older. */
#ifndef SIM_CARD_USAGE_H
#define SIM_CARD_USAGE_H

#include <stdint.h>

#include "sim/card/fleet.h"
#include "sim/card/heat.h"

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
    uint32_t pid; /* a child that was forked still has its parent's page open */
    uint32_t slot_size;
    uint64_t fleet; /* which fleet file its cards are of */
    char host[HOST_NAME_MAX];
    uint64_t used[CARDS_MAX / 64]; /* a bit a card */
};

struct usage_page {
    struct usage_head head;
    struct usage_slot slot[CARDS_MAX];
};

/* All may be called by any thread. */
void usage_memory(uint32_t card, int64_t bytes);
void usage_launch(uint32_t card, uint64_t busy_ns);
void usage_ecc(uint32_t card, int multi_bit);
/* This process's own slot, as it is now. */
struct usage_slot usage_of(uint32_t card);

#endif
