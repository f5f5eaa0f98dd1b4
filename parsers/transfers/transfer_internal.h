/* transfer_internal.h - reads the fields of one transfer record, emits its transfers
 *
 * Only the files of transfer_reader include this header. The helpers are inline: they
 * run once or more per transfer, and a launch has up to TRANSFERS_MAX of them. */
#ifndef PARSERS_TRANSFERS_TRANSFER_INTERNAL_H
#define PARSERS_TRANSFERS_TRANSFER_INTERNAL_H

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/transfers/transfer_reader.h"

enum { TRANSFER_RECORD_TYPES = 20 }; /* the types are 1 to 19 */

/* the record that is being expanded */
struct transfer_record {
    struct transfer_reader *reader;
    const uint8_t *bytes; /* after type and magic number */
    struct transfer t;    /* pc, serial and block are equal in all its transfers */
    uint64_t src, dst;    /* base addresses of the record */
};

typedef void transfer_expand_fn(struct transfer_record *record);

struct transfer_record_type {
    uint32_t size;              /* bytes after type and magic number */
    transfer_expand_fn *expand; /* NULL: no such type */
};

extern const struct transfer_record_type transfer_record_types[TRANSFER_RECORD_TYPES];

/* Expand the records of the matrix instructions; defined in transfer_fractals.c. */
transfer_expand_fn transfer_expand_load_2d, transfer_expand_nd2nz,
    transfer_expand_dn2nz_a5, transfer_expand_nd2nz_a5, transfer_expand_mov_fp,
    transfer_expand_load_2d_transpose, transfer_expand_load_2d_v2,
    transfer_expand_load_2d_dec, transfer_expand_load_mx_2d, transfer_expand_set_2d,
    transfer_expand_fix_pipe;

/* Returns a + b, or UINT64_MAX on overflow. */
static inline uint64_t saturating_add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* Returns a * b, or UINT64_MAX on overflow. */
static inline uint64_t saturating_mul(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline uint64_t round_up_32(uint64_t bytes)
{
    return saturating_add(bytes, 31) & ~31ull;
}

/* Returns the bits of one element; 8 for an unknown data type. */
static inline unsigned element_bits(unsigned dtype)
{
    static const uint8_t bits[] = {4, 8, 16, 32, 16, 16, 32, 32};

    return dtype < COUNT(bits) ? bits[dtype] : 8;
}

static inline unsigned record_u8(const struct transfer_record *record, size_t at)
{
    return record->bytes[at];
}

static inline unsigned record_u16(const struct transfer_record *record, size_t at)
{
    return load_u16(record->bytes + at);
}

static inline uint32_t record_u32(const struct transfer_record *record, size_t at)
{
    return load_u32(record->bytes + at);
}

static inline uint64_t record_u64(const struct transfer_record *record, size_t at)
{
    return load_u64(record->bytes + at);
}

/* Reserves a * b * c transfers. Returns false when that is zero, or more than the
 * reader has left; then the record emits nothing. The result false for zero also
 * avoids long loops around an empty one. */
static inline bool
record_reserve(struct transfer_record *record, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t count = saturating_mul(saturating_mul(a, b), c);

    if (count > record->reader->transfers_left) {
        record->reader->too_large++;
        return false;
    }
    record->reader->transfers_left -= count;
    return count > 0;
}

/* Counts the record as one whose fields contradict each other. */
static inline void record_reject(struct transfer_record *record)
{
    record->reader->contradictory++;
}

/* Sends one reserved transfer to the callback; `src` and `dst` are distances from the
 * base addresses of the record. */
static inline void record_emit(struct transfer_record *record,
                               uint64_t src,
                               uint64_t dst,
                               uint64_t src_bytes,
                               uint64_t dst_bytes)
{
    record->t.src = saturating_add(record->src, src);
    record->t.dst = saturating_add(record->dst, dst);
    record->t.src_bytes = src_bytes;
    record->t.dst_bytes = dst_bytes;
    record->reader->on_transfer(record->reader->arg, &record->t);
}

static inline void
record_set_memories(struct transfer_record *record, unsigned src, unsigned dst)
{
    record->t.src_memory = (uint8_t)src;
    record->t.dst_memory = (uint8_t)dst;
}

#endif
