/* irpf.h - the records of an IREE profile (.ireeprof)
 *
 * A profile is a head and records without alignment. A record has a content type, the
 * name of its device, and a payload of items, each of which starts with its own length.
 * Fields are added at the end of items, so a longer item is valid. All pointers point
 * into the bytes that the caller owns. */
#ifndef PARSERS_IREE_IRPF_H
#define PARSERS_IREE_IRPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum { IRPF_NONE = 0xffffffff }; /* device, queue, command or function: none */

enum irpf_content {
    IRPF_SESSION,
    IRPF_DEVICES,
    IRPF_QUEUES,
    IRPF_FUNCTIONS,
    IRPF_CLOCKS,
    IRPF_DISPATCHES,
    IRPF_QUEUE_EVENTS,
    IRPF_QUEUE_DEVICE_EVENTS,
    IRPF_HOST_EXECUTIONS,
    IRPF_MEMORY_EVENTS,
    IRPF_RELATIONSHIPS,
    IRPF_OTHER, /* counted and skipped */
    IRPF_CONTENTS,
};

enum irpf_record_kind { IRPF_BEGIN = 1, IRPF_CHUNK, IRPF_END };

struct irpf_record {
    uint64_t offset, bytes; /* of the whole record */
    enum irpf_content content;
    const char
        *type; /* of the content, without its common prefix; not NUL-terminated */
    uint32_t type_bytes;
    const char *name; /* of the device; not NUL-terminated */
    uint32_t name_bytes;
    const uint8_t *payload;
    uint64_t payload_bytes;
    uint64_t session, dropped;
    uint32_t device, queue, status;
    unsigned kind; /* enum irpf_record_kind */
    bool is_truncated;
};

/* One typed item. Members that its content does not have are 0, or IRPF_NONE for
 * device, queue, command and function. */
struct irpf_item {
    enum irpf_content content;
    uint32_t type, flags, status;
    uint32_t device, queue, command, function;
    uint64_t event, submission, command_buffer, executable, allocation, stream;
    uint32_t count[3], size[3]; /* workgroups, and threads of a workgroup */
    uint64_t start, end;        /* ticks of the device, or ns of the host */
    uint64_t payload, operations;
    uint64_t pool, backing, offset; /* of memory; `payload` has its length */
    uint64_t ready_ns;              /* of a queue event: its operation may start */
    uint32_t waits, signals, barriers, strategy, queue_count;
    uint64_t tick, driver_ns, bracket_first_ns, bracket_last_ns; /* of a clock */
    uint64_t source_id, target_id;                               /* of a relationship */
    uint32_t source_type, target_type;
    const uint8_t *uuid; /* 16 bytes; NULL: none */
    const char *name;    /* of a function; not NUL-terminated */
    uint32_t name_bytes;
};

/* All members are for reading only. */
struct irpf {
    const uint8_t *bytes;
    uint64_t size; /* bytes that are present */
    uint16_t major, minor;
    uint64_t stated;  /* length in the head; 0: the writer did not end */
    uint64_t at;      /* of the next record; at the end: behind the last whole record */
    uint64_t missing; /* bytes that the head announces and that are not present */
    char
        problem[200]; /* why the records end before the profile does; "": they do not */
};

/* Returns true when the bytes start with the head of a profile. */
bool irpf_is_head(const uint8_t *bytes, uint64_t size);
/* Opens the profile at the start of `bytes`; other data may follow it. */
int irpf_open(struct irpf *irpf, const uint8_t *bytes, uint64_t size, struct err *err);
/* Reads the next whole record. Returns false at the end; then see `problem`. */
bool irpf_next(struct irpf *irpf, struct irpf_record *record);

/* Reads the next item of a record. Start with *at = 0. Returns 1, 0 after the last
 * item, and -1 for an item that is too short or too long. */
int irpf_next_item(const struct irpf_record *record,
                   uint64_t *at,
                   struct irpf_item *item,
                   struct err *err);

const char *irpf_content_name(enum irpf_content content);
/* Returns the name of a queue operation: "dispatch", "copy" ...; "other" if unknown. */
const char *irpf_operation_name(uint32_t type);

#endif
