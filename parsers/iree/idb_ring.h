/* idb_ring.h - the records in the ring of an instrumented IREE module
 *
 * The ring is a power of two of bytes, then 4096 bytes into which the last record of a
 * lap may run on. A record starts at a multiple of 16. The write head counts all bytes
 * ever reserved; position P of the head is byte P modulo the size of the ring.
 *
 * A ring whose head is beyond its size has lost its oldest bytes. The reader then
 * starts at the first position from which the records lead exactly to the head, and
 * marks the first record as doubtful. Reserved space that was never written is a hole.
 * Other bytes that are no record are counted and skipped; the record after them is
 * doubtful too. */
#ifndef PARSERS_IREE_IDB_RING_H
#define PARSERS_IREE_IDB_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

/* The number is the tag of the record. */
enum idb_kind {
    IDB_WORKGROUP = 0,
    IDB_PRINT = 1,
    IDB_VALUE = 2,
    IDB_LOAD = 4,
    IDB_STORE = 5,
    IDB_KINDS = 6,
};

struct idb_record {
    enum idb_kind kind;
    uint64_t position; /* of the write head */
    uint64_t offset;   /* in the ring */
    uint64_t owner;    /* offset of its workgroup; of a workgroup: its own */
    uint32_t site;     /* of its workgroup; not valid with is_lost */
    bool is_lost;      /* the workgroup was overwritten */
    bool is_doubtful;  /* lost bytes precede it: it may be a rest of another record */

    /* of a workgroup */
    uint32_t id[3], count[3], processor;
    /* of a value: number in its workgroup, enum idb_value_type, and bits */
    uint8_t ordinal, type;
    uint64_t bits;
    /* of a load or a store; `bytes` is also the length of a print */
    uint64_t address;
    uint32_t bytes;
    const char *text; /* of a print; not NUL-terminated */
};

struct idb_ring_totals {
    uint64_t records[IDB_KINDS];
    uint64_t holes, hole_bytes; /* adjacent ones are one hole */
    uint64_t lost_bytes;        /* overwritten */
    uint64_t cut_bytes;         /* rest of a record whose start was overwritten */
    uint64_t bad_bytes;         /* neither record nor hole */
    uint64_t lost_owners;       /* records whose workgroup was overwritten */
    uint64_t doubtful;          /* records */
    uint64_t bad_at;            /* offset of the first bad bytes in the ring */
    const char *bad_field;      /* the wrong field there; NULL: no bad bytes */
    bool is_start_unknown;      /* no start leads to the head exactly */
};

/* All members are private, except `size`, `head` and `totals`. */
struct idb_ring {
    const uint8_t *bytes;
    uint64_t size; /* of the ring, without its padding */
    uint64_t room; /* bytes that a record may use */
    uint64_t head;
    uint64_t start, at;
    uint32_t site_count; /* UINT32_MAX: unknown */
    bool in_hole, next_is_doubtful;
    struct idb_ring_totals totals;
};

/* Opens the content of a ring chunk, which the caller owns. `site_count` is that of the
 * metadata, or UINT32_MAX without metadata. A content whose last 8 bytes are zero has
 * no records, whatever its size. */
int idb_ring_open(struct idb_ring *ring,
                  const uint8_t *content,
                  uint64_t content_bytes,
                  uint32_t site_count,
                  struct err *err);
/* Reads the next record. Returns false at the head; then the totals are complete. */
bool idb_ring_next(struct idb_ring *ring, struct idb_record *record);

#endif
