/* iree_dump.h - everything in a file of IREE dumps and profiles
 *
 * A file is a run of IDB0 chunks and IRPF profiles in any order. A metadata chunk
 * applies to the rings behind it until the next one. Unknown chunks are skipped by
 * their length. After damage the reader searches for the next chunk. What is wrong is a
 * problem with its offset; the rest is read.
 *
 * The bytes are mapped, so memory does not grow with the rings. */
#ifndef PARSERS_IREE_IREE_DUMP_H
#define PARSERS_IREE_IREE_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "parsers/iree/idb_metadata.h"
#include "parsers/iree/idb_ring.h"
#include "parsers/iree/idb_sites.h"
#include "parsers/iree/irpf_profile.h"

enum iree_part_kind {
    IREE_PART_METADATA,
    IREE_PART_RING,
    IREE_PART_PROFILE,
    IREE_PART_CAPTURE, /* chunks of muster's own container, skipped */
    IREE_PART_UNKNOWN, /* a chunk of an unknown type, skipped */
    IREE_PART_BAD,     /* bytes of no chunk */
};

struct iree_part {
    enum iree_part_kind kind;
    uint64_t offset, bytes; /* with head and padding */
    uint32_t type;          /* of a chunk */
    size_t index;           /* in modules, rings or profiles */
};

struct iree_module {
    uint64_t offset; /* of its metadata chunk */
    struct idb_metadata metadata;
};

struct iree_ring {
    uint64_t offset; /* of its chunk */
    uint64_t bytes;  /* of the ring, without padding */
    uint64_t head;   /* bytes ever written */
    size_t module;   /* IREE_NO_MODULE: no valid metadata before it */
    struct idb_ring_totals totals;
    struct idb_sites sites;
    const uint8_t *content;
    uint64_t content_bytes;
};

#define IREE_NO_MODULE SIZE_MAX

struct iree_problem {
    uint64_t offset;
    char text[240];
};

enum { IREE_PARTS_MAX = 65536, IREE_RINGS_MAX = 4096, IREE_PROBLEMS_MAX = 100 };

struct iree_dump {
    char *name; /* of the file */
    uint64_t size;
    struct iree_part *parts;
    size_t part_count, part_room;
    uint64_t parts_left_out;
    struct iree_module *modules;
    size_t module_count;
    struct iree_ring *rings;
    size_t ring_count;
    struct irpf_profile *profiles;
    size_t profile_count;
    uint64_t unread; /* modules, rings or profiles beyond the limits */
    struct iree_problem problems[IREE_PROBLEMS_MAX];
    size_t problem_count; /* all; the first IREE_PROBLEMS_MAX are stored */
    void *mapped;
};

/* Maps and reads a file. Fails when it cannot be read, and when it is no file of IREE;
 * problems inside do not fail. */
int iree_dump_open(struct iree_dump **out, const char *path, struct err *err);
/* The same for bytes in memory, which must stay until iree_dump_close(). */
struct iree_dump *iree_dump_read(const char *name, const void *bytes, uint64_t size);
/* Adds bytes at `offset` of the file: several pieces of one file are one dump. */
struct iree_dump *iree_dump_create(const char *name, uint64_t size);
void iree_dump_add(struct iree_dump *dump,
                   const void *bytes,
                   uint64_t size,
                   uint64_t offset);
void iree_dump_close(struct iree_dump *dump); /* NULL is allowed */

/* Adds a problem; the text begins with the name of the file and the offset. */
void iree_dump_problem(struct iree_dump *dump, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the metadata of a ring; without sites when it has none. */
const struct idb_metadata *iree_ring_metadata(const struct iree_dump *dump,
                                              const struct iree_ring *ring);
/* Reads the next record, as idb_ring_next(). Gives the pages of a mapped file back from
 * time to time, so that a large ring does not fill the memory of this process. */
bool iree_ring_next(const struct iree_dump *dump,
                    struct idb_ring *records,
                    struct idb_record *record);
/* Opens the records of a ring again. */
void iree_ring_records(const struct iree_dump *dump,
                       const struct iree_ring *ring,
                       struct idb_ring *out);

#endif
