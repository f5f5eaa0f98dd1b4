#include "parsers/iree/idb_ring.h"

#include <inttypes.h>
#include <string.h>

#include "lib/capture/format/format.h"
#include "parsers/iree/idb_value.h"

enum {
    PADDING = 4096, /* bytes behind the ring, for a record that starts just below R */
    HEAD = 8,       /* bytes of the write head, the last of the padding */
    STEP = 16,      /* alignment of records, and size of the smallest */
    WORKGROUP_BYTES = 32,
    AHEAD = 8, /* records that must follow where two readings of bytes are possible */
};

static uint64_t offset_of(const struct idb_ring *ring, uint64_t position)
{
    return position & (ring->size - 1);
}

static bool is_zero(const uint8_t *bytes)
{
    return (load_u64(bytes) | load_u64(bytes + 8)) == 0;
}

/* Returns NULL, or the field of the workgroup record that is wrong. */
static const char *workgroup_problem(const struct idb_ring *ring, const uint8_t *bytes)
{
    if (load_u32(bytes) >> 8 >= ring->site_count)
        return "site";
    for (int i = 0; i < 3; i++) {
        uint32_t count = load_u32(bytes + 16 + 4 * i);

        if (count == 0)
            return "workgroup count";
        if (load_u32(bytes + 4 + 4 * i) >= count)
            return "workgroup id";
    }
    return NULL;
}

/* Returns the size of the record at `position`, or 0 with the wrong field in *problem.
 * A hole has the size of 16 bytes and sets *is_hole. */
static uint64_t measure(const struct idb_ring *ring,
                        uint64_t position,
                        bool *is_hole,
                        const char **problem)
{
    uint64_t offset = offset_of(ring, position), left = ring->room - offset;
    const uint8_t *bytes = ring->bytes + offset;
    uint64_t word, size = STEP;

    *is_hole = false;
    *problem = NULL;
    if (ring->head - position < left)
        left = ring->head - position;
    if (left < STEP) {
        *problem = "length";
        return 0;
    }
    word = load_u64(bytes);
    switch (word & 0xff) {
    case IDB_WORKGROUP:
        *is_hole = is_zero(bytes);
        if (left < WORKGROUP_BYTES)
            return *is_hole ? STEP : (*problem = "length", 0);
        *problem = workgroup_problem(ring, bytes);
        if (*problem && *is_hole)
            *problem = NULL;
        else
            *is_hole = false, size = WORKGROUP_BYTES;
        break;
    case IDB_PRINT:
        size = (8 + (word >> 8 & 0xffff) + STEP - 1) / STEP * STEP;
        break;
    case IDB_VALUE:
        if ((word >> 8 & 0xff) >= IDB_VALUE_TYPES)
            *problem = "value type";
        break;
    case IDB_LOAD:
    case IDB_STORE:
        if ((word >> 8 & 0xffff) == 0)
            *problem = "length";
        break;
    default:
        *problem = "tag";
    }
    if (!*problem && (word & 0xff) != IDB_WORKGROUP &&
        (word >> 24 >= ring->size || (word >> 24) % STEP != 0))
        *problem = "workgroup offset";
    if (!*problem && size > left)
        *problem = "length";
    return *problem ? 0 : size;
}

/* Returns true when `count` records follow from `position` on, or fewer that end at the
 * head. */
static bool leads_on(const struct idb_ring *ring, uint64_t position, unsigned count)
{
    const char *problem;
    bool is_hole;

    while (count-- && position < ring->head) {
        uint64_t size = measure(ring, position, &is_hole, &problem);

        if (!size)
            return false;
        position += size;
    }
    return true;
}

/* Returns the first start from which the records lead to the head, or the oldest byte
 * with is_start_unknown. Chains meet after a few records: a chain that reaches an
 * earlier, failed chain fails like it, and a chain that is valid for SEEN_BYTES is the
 * right one. Later damage is found when the records are read. */
static void find_start(struct idb_ring *ring)
{
    enum { SEEN_BYTES = 1 << 20 };
    uint8_t seen[SEEN_BYTES / STEP / 8] = {0};
    uint64_t oldest = ring->head - ring->size;
    const char *problem;
    bool is_hole;

    for (ring->start = oldest;
         ring->start < ring->head && ring->start - oldest < SEEN_BYTES;
         ring->start += STEP) {
        uint64_t position = ring->start;

        while (position < ring->head && position - oldest < SEEN_BYTES) {
            uint64_t bit = (position - oldest) / STEP, size;

            if (seen[bit / 8] >> bit % 8 & 1)
                break;
            seen[bit / 8] |= (uint8_t)(1 << bit % 8);
            size = measure(ring, position, &is_hole, &problem);
            if (!size)
                break;
            position += size;
        }
        if (position == ring->head || position - oldest >= SEEN_BYTES)
            return;
    }
    ring->start = oldest;
    ring->totals.is_start_unknown = true;
}

int idb_ring_open(struct idb_ring *ring,
                  const uint8_t *content,
                  uint64_t content_bytes,
                  uint32_t site_count,
                  struct err *err)
{
    *ring = (struct idb_ring){.bytes = content, .site_count = site_count};
    if (content_bytes < HEAD)
        return err_set(err, ERR_INPUT,
                       "a ring of %" PRIu64 " bytes has no write head of 8 bytes",
                       content_bytes);
    ring->head = load_u64(content + content_bytes - HEAD);
    if (ring->head == 0)
        return 0;
    ring->size = content_bytes < PADDING ? 0 : content_bytes - PADDING;
    if (ring->size == 0 || (ring->size & (ring->size - 1)) != 0)
        return err_set(err, ERR_INPUT,
                       "content length: %" PRIu64
                       " is not a power of two and 4096 bytes of padding",
                       content_bytes);
    if (ring->head % STEP != 0)
        return err_set(err, ERR_INPUT,
                       "write head: %" PRIu64 " is not a multiple of 16", ring->head);
    ring->room = content_bytes - HEAD;
    if (ring->head > ring->size) {
        ring->totals.lost_bytes = ring->head - ring->size;
        ring->next_is_doubtful = true;
        find_start(ring);
        ring->totals.cut_bytes = ring->start - ring->totals.lost_bytes;
    }
    ring->at = ring->start;
    return 0;
}

/* Finds the site of an entry's workgroup, which lies before the entry. */
static bool find_owner(const struct idb_ring *ring, struct idb_record *record)
{
    const uint8_t *bytes = ring->bytes + record->owner;
    uint64_t distance = offset_of(ring, record->position - record->owner);

    if (distance == 0 || distance > record->position - ring->start)
        return false;
    record->site = load_u32(bytes) >> 8;
    return bytes[0] == IDB_WORKGROUP && !workgroup_problem(ring, bytes);
}

static void fill(struct idb_ring *ring, struct idb_record *record)
{
    const uint8_t *bytes = ring->bytes + record->offset;
    uint64_t word = load_u64(bytes);

    record->kind = word & 0xff;
    if (record->kind == IDB_WORKGROUP) {
        record->owner = record->offset;
        record->site = (uint32_t)word >> 8;
        for (int i = 0; i < 3; i++) {
            record->id[i] = load_u32(bytes + 4 + 4 * i);
            record->count[i] = load_u32(bytes + 16 + 4 * i);
        }
        record->processor = load_u32(bytes + 28);
        return;
    }
    record->owner = word >> 24;
    record->is_lost = !find_owner(ring, record);
    ring->totals.lost_owners += record->is_lost;
    record->bytes = word >> 8 & 0xffff;
    if (record->kind == IDB_PRINT) {
        record->text = (const char *)bytes + 8;
    } else if (record->kind == IDB_VALUE) {
        record->type = word >> 8 & 0xff;
        record->ordinal = word >> 16 & 0xff;
        record->bits = load_u64(bytes + 8);
    } else {
        record->address = load_u64(bytes + 8);
    }
}

/* Returns true when the record is rather 16 bytes of a hole and the first half of the
 * next workgroup: after a hole both readings can look valid. */
static bool is_rest_of_hole(const struct idb_ring *ring, uint64_t size)
{
    return ring->in_hole && size == WORKGROUP_BYTES &&
           is_zero(ring->bytes + offset_of(ring, ring->at)) &&
           !leads_on(ring, ring->at + size, AHEAD) &&
           leads_on(ring, ring->at + STEP, AHEAD);
}

static void skip_hole(struct idb_ring *ring)
{
    ring->totals.holes += !ring->in_hole;
    ring->totals.hole_bytes += STEP;
    ring->in_hole = true;
    ring->at += STEP;
}

/* Skips to the next position from which several records follow. */
static void skip_bad(struct idb_ring *ring, const char *problem)
{
    if (!ring->totals.bad_field) {
        ring->totals.bad_field = problem;
        ring->totals.bad_at = offset_of(ring, ring->at);
    }
    do {
        uint64_t left = ring->head - ring->at, step = left < STEP ? left : STEP;

        ring->at += step;
        ring->totals.bad_bytes += step;
    } while (ring->at < ring->head && !leads_on(ring, ring->at, AHEAD));
    ring->next_is_doubtful = true;
    ring->in_hole = false;
}

bool idb_ring_next(struct idb_ring *ring, struct idb_record *record)
{
    while (ring->at < ring->head) {
        const char *problem;
        bool is_hole;
        uint64_t size = measure(ring, ring->at, &is_hole, &problem);

        if (!size) {
            skip_bad(ring, problem);
            continue;
        }
        if (is_hole || is_rest_of_hole(ring, size)) {
            skip_hole(ring);
            continue;
        }
        *record = (struct idb_record){.position = ring->at,
                                      .offset = offset_of(ring, ring->at),
                                      .is_doubtful = ring->next_is_doubtful};
        fill(ring, record);
        ring->totals.records[record->kind]++;
        ring->totals.doubtful += record->is_doubtful;
        ring->in_hole = ring->next_is_doubtful = false;
        ring->at += size;
        return true;
    }
    return false;
}
