/* dbi_expand.h - one transfer record into its transfers; for dbi.c only */
#ifndef PARSERS_TRANSFERS_DBI_EXPAND_H
#define PARSERS_TRANSFERS_DBI_EXPAND_H

#include "parsers/transfers/dbi.h"

enum { DBI_TYPES = 20 }; /* the types are 1 to 19 */

/* what is being taken apart */
struct dbi_record {
    struct dbi_reader *reader;
    const uint8_t *bytes;  /* behind type and mark */
    struct dbi_transfer t; /* pc, serial, block: the same in all its transfers */
    uint64_t src, dst;     /* where the record begins */
};

typedef void dbi_expand_fn(struct dbi_record *record);

struct dbi_type {
    uint32_t size;
    dbi_expand_fn *expand; /* NULL: there is no such type */
};

extern const struct dbi_type dbi_types[DBI_TYPES];

/* The ways of the fractal instructions. */
dbi_expand_fn dbi_expand_load_2d, dbi_expand_nd2nz, dbi_expand_dn2nz_a5,
    dbi_expand_nd2nz_a5, dbi_expand_mov_fp, dbi_expand_load_2d_transpose,
    dbi_expand_load_2d_v2, dbi_expand_load_2d_dec, dbi_expand_load_mx_2d,
    dbi_expand_set_2d, dbi_expand_fix_pipe;

/* Asks for room for a x b x c transfers; false when there is not so much. */
bool dbi_claim(struct dbi_record *record, uint64_t a, uint64_t b, uint64_t c);
void dbi_senseless(struct dbi_record *record);
void dbi_give(struct dbi_record *record,
              uint64_t src,
              uint64_t dst,
              uint64_t src_bytes,
              uint64_t dst_bytes);
void dbi_memories(struct dbi_record *record, unsigned src, unsigned dst);

uint64_t dbi_add(uint64_t a, uint64_t b); /* UINT64_MAX where it does not fit */
uint64_t dbi_mul(uint64_t a, uint64_t b);
uint64_t dbi_up32(uint64_t bytes);
/* Bits of an element; 8 for a type that nobody knows. */
unsigned dbi_bits(unsigned dtype);
unsigned dbi_u8(const struct dbi_record *record, size_t at);
unsigned dbi_u16(const struct dbi_record *record, size_t at);
uint32_t dbi_u32(const struct dbi_record *record, size_t at);
uint64_t dbi_u64(const struct dbi_record *record, size_t at);

#endif
