/* transfer_internal.h - one transfer record into its transfers; for transfer_reader.c
 * only */
#ifndef PARSERS_TRANSFERS_TRANSFER_INTERNAL_H
#define PARSERS_TRANSFERS_TRANSFER_INTERNAL_H

#include "parsers/transfers/transfer_reader.h"

enum { TRANSFER_RECORD_TYPES = 20 }; /* the types are 1 to 19 */

/* what is being taken apart */
struct transfer_record {
    struct transfer_reader *reader;
    const uint8_t *bytes; /* behind type and mark */
    struct transfer t;    /* pc, serial, block: the same in all its transfers */
    uint64_t src, dst;    /* where the record begins */
};

typedef void transfer_expand_fn(struct transfer_record *record);

struct transfer_record_type {
    uint32_t size;
    transfer_expand_fn *expand; /* NULL: there is no such type */
};

extern const struct transfer_record_type transfer_record_types[TRANSFER_RECORD_TYPES];

/* The ways of the fractal instructions. */
transfer_expand_fn transfer_expand_load_2d, transfer_expand_nd2nz,
    transfer_expand_dn2nz_a5, transfer_expand_nd2nz_a5, transfer_expand_mov_fp,
    transfer_expand_load_2d_transpose, transfer_expand_load_2d_v2,
    transfer_expand_load_2d_dec, transfer_expand_load_mx_2d, transfer_expand_set_2d,
    transfer_expand_fix_pipe;

/* Asks for room for a x b x c transfers; false when there is not so much. */
bool record_reserve(struct transfer_record *record, uint64_t a, uint64_t b, uint64_t c);
void record_reject(struct transfer_record *record);
void record_emit(struct transfer_record *record,
                 uint64_t src,
                 uint64_t dst,
                 uint64_t src_bytes,
                 uint64_t dst_bytes);
void record_set_memories(struct transfer_record *record, unsigned src, unsigned dst);

uint64_t saturating_add(uint64_t a, uint64_t b); /* UINT64_MAX where it does not fit */
uint64_t saturating_mul(uint64_t a, uint64_t b);
uint64_t round_up_32(uint64_t bytes);
/* Bits of an element; 8 for a type that nobody knows. */
unsigned element_bits(unsigned dtype);
unsigned record_u8(const struct transfer_record *record, size_t at);
unsigned record_u16(const struct transfer_record *record, size_t at);
uint32_t record_u32(const struct transfer_record *record, size_t at);
uint64_t record_u64(const struct transfer_record *record, size_t at);

#endif
