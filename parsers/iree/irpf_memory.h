/* irpf_memory.h - memory of the devices of a profile
 *
 * A profile has an event for each step in the life of an allocation. They are counted
 * by device and by kind of memory. A release without a length frees what its allocation
 * had. */
#ifndef PARSERS_IREE_IRPF_MEMORY_H
#define PARSERS_IREE_IRPF_MEMORY_H

#include "parsers/iree/irpf_profile.h"
#include "parsers/iree/key_table.h"

enum irpf_memory_kind {
    IRPF_SLAB,   /* from the allocator of the platform */
    IRPF_POOL,   /* from a pool */
    IRPF_QUEUE,  /* by operations of a queue */
    IRPF_BUFFER, /* at once */
    IRPF_IMPORT, /* of others */
    IRPF_MEMORY_KINDS,
};

struct irpf_memory {
    uint32_t device;
    enum irpf_memory_kind kind;
    uint64_t acquired, released; /* events */
    uint64_t acquired_bytes;
    uint64_t live_bytes; /* at the end of the profile */
    uint64_t peak_bytes;
};

/* The caller clears the table of struct irpf_memory. */
void irpf_memory_read(struct key_table *out, const struct irpf_profile *profile);
const char *irpf_memory_kind_name(enum irpf_memory_kind kind);
/* Returns the name of the type of a memory event; "other" if unknown. */
const char *irpf_memory_event_name(uint32_t type);

#endif
