#include "lib/wire/frame.h"

#include <assert.h>
#include <stdint.h>

const struct frame_limits frame_limits_default = {
    .bytes = 4 << 20, /* a group has at most 1 MiB, a job file is smaller */
    .depth = 6,
    .items = 1 << 17,
};

struct scan {
    const uint8_t *at;
    const uint8_t *end;
    size_t items_left;
    size_t depth;
    size_t max_depth;
    /* missing items of each level; a map's entry is two, the packet is one item */
    uint64_t open[FRAME_MAX_DEPTH + 1];
};

/* The bytes that follow a first byte. Sizes are in bytes. */
enum shape {
    SHAPE_FIXED, /* a value of `a` + `b` bytes */
    SHAPE_BYTES, /* a length of `a` bytes, then length + `b` bytes */
    SHAPE_ARRAY, /* a count of `a` bytes, then the items */
    SHAPE_MAP,   /* a count of `a` bytes, then keys and values */
    SHAPE_NONE,  /* not a first byte */
};

static const struct head {
    uint8_t shape, a, b;
} heads[] = {
    /* from 0xc0: nil, never used, false, true */
    {SHAPE_FIXED, 0, 0},
    {SHAPE_NONE, 0, 0},
    {SHAPE_FIXED, 0, 0},
    {SHAPE_FIXED, 0, 0},
    /* 0xc4: bin 8, 16, 32; ext 8, 16, 32 with a byte of type */
    {SHAPE_BYTES, 1, 0},
    {SHAPE_BYTES, 2, 0},
    {SHAPE_BYTES, 4, 0},
    {SHAPE_BYTES, 1, 1},
    {SHAPE_BYTES, 2, 1},
    {SHAPE_BYTES, 4, 1},
    /* 0xca: float 32, 64; uint 8 to 64; int 8 to 64 */
    {SHAPE_FIXED, 4, 0},
    {SHAPE_FIXED, 8, 0},
    {SHAPE_FIXED, 1, 0},
    {SHAPE_FIXED, 2, 0},
    {SHAPE_FIXED, 4, 0},
    {SHAPE_FIXED, 8, 0},
    {SHAPE_FIXED, 1, 0},
    {SHAPE_FIXED, 2, 0},
    {SHAPE_FIXED, 4, 0},
    {SHAPE_FIXED, 8, 0},
    /* 0xd4: fixext 1 to 16 with a byte of type */
    {SHAPE_FIXED, 1, 1},
    {SHAPE_FIXED, 2, 1},
    {SHAPE_FIXED, 4, 1},
    {SHAPE_FIXED, 8, 1},
    {SHAPE_FIXED, 16, 1},
    /* 0xd9: str 8, 16, 32; array 16, 32; map 16, 32 */
    {SHAPE_BYTES, 1, 0},
    {SHAPE_BYTES, 2, 0},
    {SHAPE_BYTES, 4, 0},
    {SHAPE_ARRAY, 2, 0},
    {SHAPE_ARRAY, 4, 0},
    {SHAPE_MAP, 2, 0},
    {SHAPE_MAP, 4, 0},
};

static int set_torn(struct err *err)
{
    return err_set(err, ERR_INPUT, "the packet ends in the middle of a value");
}

static int skip(struct scan *scan, uint64_t size, struct err *err)
{
    if (size > (uint64_t)(scan->end - scan->at))
        return set_torn(err);
    scan->at += size;
    return 0;
}

static int
read_length(struct scan *scan, size_t size, uint64_t *length, struct err *err)
{
    *length = 0;
    if (size > (size_t)(scan->end - scan->at))
        return set_torn(err);
    for (; size > 0; size--)
        *length = *length << 8 | *scan->at++;
    return 0;
}

static int enter(struct scan *scan, uint64_t items, struct err *err)
{
    if (scan->depth > scan->max_depth)
        return err_set(err, ERR_LIMIT, "maps and arrays are nested deeper than %zu",
                       scan->max_depth);
    if (items > scan->items_left)
        return err_set(err, ERR_LIMIT,
                       "maps and arrays have more items than the limit");
    if (items > (uint64_t)(scan->end - scan->at)) /* an item has at least one byte */
        return set_torn(err);
    scan->items_left -= items;
    scan->open[scan->depth++] = items;
    return 0;
}

static int scan_value(struct scan *scan, struct err *err)
{
    uint64_t length;

    if (scan->at == scan->end)
        return set_torn(err);
    uint8_t first = *scan->at++;

    if (first < 0x80 || first >= 0xe0) /* a small integer */
        return 0;
    if (first < 0x90)
        return enter(scan, 2 * (uint64_t)(first & 0x0f), err);
    if (first < 0xa0)
        return enter(scan, first & 0x0f, err);
    if (first < 0xc0)
        return skip(scan, first & 0x1f, err);

    const struct head *head = &heads[first - 0xc0];
    switch ((enum shape)head->shape) {
    case SHAPE_FIXED:
        return skip(scan, (uint64_t)head->a + head->b, err);
    case SHAPE_BYTES:
        if (read_length(scan, head->a, &length, err) < 0)
            return -1;
        return skip(scan, length + head->b, err);
    case SHAPE_ARRAY:
    case SHAPE_MAP:
        if (read_length(scan, head->a, &length, err) < 0)
            return -1;
        return enter(scan, head->shape == SHAPE_MAP ? 2 * length : length, err);
    case SHAPE_NONE:
        break;
    }
    return err_set(err, ERR_INPUT, "byte 0x%02x is not the first byte of a value",
                   first);
}

int frame_check(const void *bytes,
                size_t size,
                const struct frame_limits *limits,
                struct err *err)
{
    struct scan scan = {.at = bytes,
                        .end = (const uint8_t *)bytes + size,
                        .items_left = limits->items,
                        .depth = 1,
                        .max_depth = limits->depth,
                        .open = {1}};

    assert(limits->depth <= FRAME_MAX_DEPTH);
    if (size > limits->bytes)
        return err_set(err, ERR_LIMIT, "the packet has %zu bytes, the limit is %zu",
                       size, limits->bytes);
    while (scan.depth > 0) {
        if (scan.open[scan.depth - 1] == 0) {
            scan.depth--;
            continue;
        }
        scan.open[scan.depth - 1]--;
        if (scan_value(&scan, err) < 0)
            return -1;
    }
    if (scan.at != scan.end)
        return err_set(err, ERR_INPUT, "bytes follow after the message");
    return 0;
}
