/* idb_value.h - the values that instrumented IREE programs record */
#ifndef PARSERS_IREE_IDB_VALUE_H
#define PARSERS_IREE_IDB_VALUE_H

#include <stddef.h>
#include <stdint.h>

enum idb_value_type {
    IDB_S8,
    IDB_U8,
    IDB_S16,
    IDB_U16,
    IDB_S32,
    IDB_U32,
    IDB_S64,
    IDB_U64,
    IDB_POINTER,
    IDB_F16,
    IDB_F32,
    IDB_F64,
    IDB_BF16,
    IDB_VALUE_TYPES,
};

const char *idb_value_type_name(unsigned type); /* "?" for an unknown type */
/* Converts the bits; a 64-bit integer above 2^53 is rounded. */
double idb_value_number(unsigned type, uint64_t bits);
/* Writes the value as the text of the shipped tool: `-37`, `1.500000e+00 1.500000`. */
void idb_value_text(char *out, size_t size, unsigned type, uint64_t bits);

#endif
