#include "parsers/iree/iree_dump.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/iree/iree_kind.h"

enum { CHUNK_METADATA = 0, CHUNK_RING = 1 };
enum { RESIDENT_BYTES = 32 << 20 }; /* of a mapped ring */
enum { NAME_SHOWN = 80 }; /* last bytes of the name of the file in a problem */

/* The bytes that are being read, and their place in the file. */
struct reading {
    struct iree_dump *dump;
    const uint8_t *bytes;
    uint64_t size, at, base;
    bool is_reported; /* the bad bytes at `at` have a problem already */
    bool has_module;  /* a metadata chunk was read; it is the last module, if valid: */
    size_t module;
};

void iree_dump_problem(struct iree_dump *dump, uint64_t offset, const char *fmt, ...)
{
    size_t length = strlen(dump->name);
    struct iree_problem *problem;
    va_list args;
    int used;

    if (dump->problem_count++ >= IREE_PROBLEMS_MAX)
        return;
    problem = &dump->problems[dump->problem_count - 1];
    problem->offset = offset;
    used =
        snprintf(problem->text, sizeof(problem->text), "%s%s: offset %" PRIu64 ": ",
                 length > NAME_SHOWN ? "..." : "",
                 dump->name + (length > NAME_SHOWN ? length - NAME_SHOWN : 0), offset);
    va_start(args, fmt);
    vsnprintf(problem->text + used, sizeof(problem->text) - (size_t)used, fmt, args);
    va_end(args);
}

static void add_part(struct reading *reading,
                     enum iree_part_kind kind,
                     uint64_t end,
                     uint32_t type,
                     size_t index)
{
    struct iree_dump *dump = reading->dump;
    struct iree_part *last =
        dump->part_count ? &dump->parts[dump->part_count - 1] : NULL;

    if (kind == IREE_PART_CAPTURE && last && last->kind == kind) {
        last->bytes += end - reading->at;
        return;
    }
    if (dump->part_count == IREE_PARTS_MAX) {
        dump->parts_left_out++;
        return;
    }
    if (dump->part_count == dump->part_room) {
        dump->part_room = dump->part_room ? 2 * dump->part_room : 16;
        dump->parts = xreallocarray(dump->parts, dump->part_room, sizeof(*dump->parts));
    }
    dump->parts[dump->part_count++] = (struct iree_part){
        kind, reading->base + reading->at, end - reading->at, type, index};
}

/* Grows an array that has `count` elements, at each power of two. */
static void *grow(void *array, size_t count, size_t size)
{
    return count & (count - 1) ? array
                               : xreallocarray(array, count ? 2 * count : 1, size);
}

static bool is_full(struct iree_dump *dump, size_t count, uint64_t offset)
{
    if (count < IREE_RINGS_MAX)
        return false;
    if (dump->unread++ == 0)
        iree_dump_problem(dump, offset,
                          "the file has more than %d parts of one kind; "
                          "the others are not read",
                          IREE_RINGS_MAX);
    return true;
}

static void
take_metadata(struct reading *reading, const uint8_t *content, uint64_t size)
{
    struct iree_dump *dump = reading->dump;
    uint64_t offset = reading->base + reading->at;
    struct iree_module module = {.offset = offset};
    struct err err;

    reading->has_module = true;
    reading->module = IREE_NO_MODULE;
    if (is_full(dump, dump->module_count, offset))
        return;
    if (idb_metadata_read(&module.metadata, content, size, &err) < 0) {
        iree_dump_problem(dump, offset, "metadata: %s", err.text);
        return;
    }
    dump->modules = grow(dump->modules, dump->module_count, sizeof(*dump->modules));
    reading->module = dump->module_count;
    dump->modules[dump->module_count++] = module;
}

const struct idb_metadata *iree_ring_metadata(const struct iree_dump *dump,
                                              const struct iree_ring *ring)
{
    static const struct idb_metadata none;

    return ring->module == IREE_NO_MODULE ? &none
                                          : &dump->modules[ring->module].metadata;
}

static uint32_t count_sites(const struct iree_dump *dump, const struct iree_ring *ring)
{
    return ring->module == IREE_NO_MODULE
               ? UINT32_MAX
               : dump->modules[ring->module].metadata.site_count;
}

void iree_ring_records(const struct iree_dump *dump,
                       const struct iree_ring *ring,
                       struct idb_ring *out)
{
    struct err ignored; /* iree_dump_add() opened it without an error */

    idb_ring_open(out, ring->content, ring->content_bytes, count_sites(dump, ring),
                  &ignored);
}

bool iree_ring_next(const struct iree_dump *dump,
                    struct idb_ring *records,
                    struct idb_record *record)
{
    uint64_t before = records->at;
    bool found = idb_ring_next(records, record);

    if (dump->mapped && before / RESIDENT_BYTES != records->at / RESIDENT_BYTES)
        madvise(dump->mapped, (size_t)dump->size, MADV_DONTNEED);
    return found;
}

static void note_ring(struct iree_dump *dump, const struct iree_ring *ring)
{
    const struct idb_ring_totals *totals = &ring->totals;

    if (totals->is_start_unknown)
        iree_dump_problem(dump, ring->offset,
                          "ring: no start leads to the write head %" PRIu64
                          "; the records may be wrong",
                          ring->head);
    if (totals->bad_bytes)
        iree_dump_problem(dump, ring->offset,
                          "ring: %" PRIu64 " bytes are no record, the first at ring "
                          "offset %" PRIu64 ": wrong %s",
                          totals->bad_bytes, totals->bad_at, totals->bad_field);
    if (ring->sites.uncounted)
        iree_dump_problem(dump, ring->offset,
                          "ring: %" PRIu64 " records belong to more sites, processors "
                          "or values than the tables hold",
                          ring->sites.uncounted);
}

static void take_ring(struct reading *reading, const uint8_t *content, uint64_t size)
{
    struct iree_dump *dump = reading->dump;
    struct iree_ring ring = {.offset = reading->base + reading->at,
                             .module =
                                 reading->has_module ? reading->module : IREE_NO_MODULE,
                             .content = content,
                             .content_bytes = size};
    struct idb_record record;
    struct idb_ring records;
    struct err err;

    if (is_full(dump, dump->ring_count, ring.offset))
        return;
    if (idb_ring_open(&records, content, size, count_sites(dump, &ring), &err) < 0) {
        iree_dump_problem(dump, ring.offset, "ring: %s", err.text);
        return;
    }
    if (!reading->has_module && records.head)
        iree_dump_problem(dump, ring.offset,
                          "ring: no metadata chunk before it, so its sites have no "
                          "names");
    ring.bytes = records.size;
    ring.head = records.head;
    idb_sites_init(&ring.sites);
    while (iree_ring_next(dump, &records, &record))
        idb_sites_add(&ring.sites, &record);
    idb_sites_finish(&ring.sites);
    ring.totals = records.totals;
    dump->rings = grow(dump->rings, dump->ring_count, sizeof(*dump->rings));
    dump->rings[dump->ring_count++] = ring;
    note_ring(dump, &ring);
}

/* Reads the chunk at reading->at, whose head is present. Returns its end, or 0 when its
 * content runs past the end. */
static uint64_t take_chunk(struct reading *reading)
{
    const uint8_t *head = reading->bytes + reading->at;
    uint64_t left = reading->size - reading->at - CAPTURE_CHUNK_HEAD;
    uint64_t content = load_u64(head + 8), end;
    uint16_t type = load_u16(head + 4);
    bool is_idb = head[0] == '0';
    struct iree_dump *dump = reading->dump;

    if (content > left) {
        iree_dump_problem(dump, reading->base + reading->at,
                          "chunk of type %u: content length: %" PRIu64
                          " bytes are announced, %" PRIu64 " are present",
                          type, content, left);
        reading->is_reported = true;
        return 0;
    }
    end = reading->at + capture_padded(CAPTURE_CHUNK_HEAD + content);
    if (end > reading->size)
        end = reading->size;
    head += CAPTURE_CHUNK_HEAD;
    if (is_idb && type == CHUNK_METADATA) {
        take_metadata(reading, head, content);
        add_part(reading, IREE_PART_METADATA, end, type, reading->module);
    } else if (is_idb && type == CHUNK_RING) {
        size_t before = dump->ring_count;

        take_ring(reading, head, content);
        add_part(reading, IREE_PART_RING, end, type,
                 dump->ring_count > before ? before : SIZE_MAX);
    } else {
        add_part(reading, is_idb ? IREE_PART_UNKNOWN : IREE_PART_CAPTURE, end, type,
                 SIZE_MAX);
    }
    return end;
}

/* Returns true where a chunk or a profile may start. */
static bool is_start(const struct reading *reading, uint64_t at)
{
    uint64_t left = reading->size - at;
    const uint8_t *bytes = reading->bytes + at;

    switch (iree_kind_of(bytes, left)) {
    case IREE_PROFILE:
        return irpf_is_head(bytes, left);
    case IREE_DUMP:
    case IREE_CAPTURE:
        return left >= CAPTURE_CHUNK_HEAD &&
               load_u64(bytes + 8) <= left - CAPTURE_CHUNK_HEAD;
    default:
        return false;
    }
}

static uint64_t find_start(const struct reading *reading, uint64_t at)
{
    for (; at < reading->size; at++) {
        const uint8_t *next =
            memchr(reading->bytes + at, 'I', (size_t)(reading->size - at));

        if (!next)
            break;
        at = (uint64_t)(next - reading->bytes);
        if (at && reading->bytes[at - 1] == '0' && is_start(reading, at - 1))
            return at - 1;
        if (is_start(reading, at))
            return at;
    }
    return reading->size;
}

/* Returns the end of the profile with what is behind its last record, if that is no new
 * chunk; 0: no profile. */
static uint64_t take_profile(struct reading *reading)
{
    struct iree_dump *dump = reading->dump;
    uint64_t offset = reading->base + reading->at, end;
    struct irpf_profile profile;
    struct err err;

    if (irpf_profile_read(&profile, reading->bytes + reading->at,
                          reading->size - reading->at, offset, &err) < 0) {
        iree_dump_problem(dump, offset, "profile: %s", err.text);
        reading->is_reported = true;
        return 0;
    }
    end = reading->at + profile.bytes;
    add_part(reading, IREE_PART_PROFILE, end, 0, dump->profile_count);
    if (profile.missing)
        iree_dump_problem(dump, offset,
                          "profile: file length: %" PRIu64 " of its %" PRIu64
                          " bytes are missing",
                          profile.missing, profile.stated);
    if (profile.problem[0])
        iree_dump_problem(dump, offset, "%s", profile.problem);
    if (!profile.has_end && !profile.missing)
        iree_dump_problem(dump, offset,
                          "profile: the session has no end; its program was ended "
                          "early or still runs");
    if (profile.dropped || profile.truncated)
        iree_dump_problem(dump, offset,
                          "profile: the program dropped %" PRIu64
                          " records and cut %" PRIu64 " chunks",
                          profile.dropped, profile.truncated);
    if (profile.uncounted)
        iree_dump_problem(dump, offset,
                          "profile: %" PRIu64
                          " items belong to more devices, functions "
                          "or operations than the tables hold",
                          profile.uncounted);
    if (is_full(dump, dump->profile_count, offset)) {
        irpf_profile_clear(&profile);
        return end;
    }
    dump->profiles = grow(dump->profiles, dump->profile_count, sizeof(*dump->profiles));
    dump->profiles[dump->profile_count++] = profile;
    return end;
}

static bool is_all_zero(const uint8_t *bytes, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

/* Skips to the next chunk. Up to 15 zeros are padding before it. */
static void skip_bad(struct reading *reading)
{
    uint64_t end = find_start(reading, reading->at + 1), size = end - reading->at;

    if (size >= 16 || !is_all_zero(reading->bytes + reading->at, size)) {
        add_part(reading, IREE_PART_BAD, end, 0, SIZE_MAX);
        if (!reading->is_reported)
            iree_dump_problem(reading->dump, reading->base + reading->at,
                              "%" PRIu64 " bytes belong to no chunk and no profile",
                              size);
    }
    reading->is_reported = false;
    reading->at = end;
}

struct iree_dump *iree_dump_create(const char *name, uint64_t size)
{
    struct iree_dump *dump = xcalloc(1, sizeof(*dump));

    dump->name = xstrdup(name);
    dump->size = size;
    return dump;
}

void iree_dump_add(struct iree_dump *dump,
                   const void *bytes,
                   uint64_t size,
                   uint64_t offset)
{
    struct reading reading = {
        .dump = dump, .bytes = bytes, .size = size, .base = offset};

    while (reading.at < size) {
        uint64_t left = size - reading.at, end = 0;
        enum iree_kind kind = iree_kind_of(reading.bytes + reading.at, left);

        if (kind == IREE_PROFILE)
            end = take_profile(&reading);
        else if ((kind == IREE_DUMP || kind == IREE_CAPTURE) &&
                 left >= CAPTURE_CHUNK_HEAD)
            end = take_chunk(&reading);
        if (end)
            reading.at = end;
        else
            skip_bad(&reading);
    }
}

struct iree_dump *iree_dump_read(const char *name, const void *bytes, uint64_t size)
{
    struct iree_dump *dump = iree_dump_create(name, size);

    iree_dump_add(dump, bytes, size, 0);
    return dump;
}

static int
check_kind(const char *path, const void *bytes, uint64_t size, struct err *err)
{
    switch (iree_kind_of(bytes, size)) {
    case IREE_REPLAY:
        return err_set(
            err, ERR_INPUT,
            "%s is a replay file of IREE (IRRP), which has no measured data; "
            "use iree-run-replay",
            path);
    case IREE_PARAMETERS:
        return err_set(
            err, ERR_INPUT,
            "%s is a parameter archive of IREE (IRPA), which has no measured "
            "data; use iree-dump-parameters",
            path);
    case IREE_NONE:
        return err_set(err, ERR_INPUT,
                       "%s is neither an IREE dump (IDB0) nor an IREE profile (IRPF)",
                       path);
    default:
        return 0;
    }
}

int iree_dump_open(struct iree_dump **out, const char *path, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result = -1;
    struct stat is;
    void *mapped = NULL;

    if (fd < 0)
        return err_errno(err, "opening %s", path);
    if (fstat(fd, &is) < 0)
        err_errno(err, "%s", path);
    else if (!S_ISREG(is.st_mode))
        err_set(err, ERR_INPUT, "%s is not a regular file", path);
    else if (is.st_size == 0)
        err_set(err, ERR_INPUT,
                "%s is empty: IREE writes an empty file when no module was compiled "
                "with instruments, or when a profiled program was killed",
                path);
    else if ((mapped = mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) ==
             MAP_FAILED)
        err_errno(err, "mapping %s", path);
    else
        result = check_kind(path, mapped, (uint64_t)is.st_size, err);
    close(fd);
    if (result < 0) {
        if (mapped && mapped != MAP_FAILED)
            munmap(mapped, (size_t)is.st_size);
        return -1;
    }
    madvise(mapped, (size_t)is.st_size, MADV_SEQUENTIAL);
    *out = iree_dump_create(path, (uint64_t)is.st_size);
    (*out)->mapped = mapped;
    iree_dump_add(*out, mapped, (uint64_t)is.st_size, 0);
    return 0;
}

void iree_dump_close(struct iree_dump *dump)
{
    if (!dump)
        return;
    for (size_t i = 0; i < dump->module_count; i++)
        idb_metadata_clear(&dump->modules[i].metadata);
    for (size_t i = 0; i < dump->ring_count; i++)
        idb_sites_clear(&dump->rings[i].sites);
    for (size_t i = 0; i < dump->profile_count; i++)
        irpf_profile_clear(&dump->profiles[i]);
    if (dump->mapped)
        munmap(dump->mapped, (size_t)dump->size);
    free(dump->modules);
    free(dump->rings);
    free(dump->profiles);
    free(dump->parts);
    free(dump->name);
    free(dump);
}
