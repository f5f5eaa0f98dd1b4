#include "parsers/iree/idb_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"

enum shape { SIGNED, UNSIGNED, ADDRESS, REAL };

static const struct {
    const char *name;
    enum shape shape;
    unsigned bits;
} types[] = {
    [IDB_S8] = {"s8", SIGNED, 8},         [IDB_U8] = {"u8", UNSIGNED, 8},
    [IDB_S16] = {"s16", SIGNED, 16},      [IDB_U16] = {"u16", UNSIGNED, 16},
    [IDB_S32] = {"s32", SIGNED, 32},      [IDB_U32] = {"u32", UNSIGNED, 32},
    [IDB_S64] = {"s64", SIGNED, 64},      [IDB_U64] = {"u64", UNSIGNED, 64},
    [IDB_POINTER] = {"ptr", ADDRESS, 64}, [IDB_F16] = {"f16", REAL, 16},
    [IDB_F32] = {"f32", REAL, 32},        [IDB_F64] = {"f64", REAL, 64},
    [IDB_BF16] = {"bf16", REAL, 16},
};

const char *idb_value_type_name(unsigned type)
{
    return type < COUNT(types) ? types[type].name : "?";
}

/* Cuts the bits to the width of the type. */
static uint64_t cut(unsigned type, uint64_t bits)
{
    return types[type].bits == 64 ? bits : bits & ((1ull << types[type].bits) - 1);
}

static int64_t extend(unsigned type, uint64_t bits)
{
    unsigned unused = 64 - types[type].bits;

    return (int64_t)(bits << unused) >> unused;
}

static double half(uint64_t bits)
{
    double sign = bits >> 15 ? -1 : 1;
    int exponent = bits >> 10 & 31;
    double fraction = (double)(bits & 1023);

    if (exponent == 31)
        return fraction > 0 ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, exponent - 25);
}

static double real(unsigned type, uint64_t bits)
{
    uint32_t word = (uint32_t)(type == IDB_BF16 ? bits << 16 : bits);
    double wide;
    float narrow;

    if (type == IDB_F16)
        return half(bits);
    memcpy(&wide, &bits, sizeof(wide));
    memcpy(&narrow, &word, sizeof(narrow));
    return type == IDB_F64 ? wide : (double)narrow;
}

double idb_value_number(unsigned type, uint64_t bits)
{
    if (type >= COUNT(types))
        return NAN;
    bits = cut(type, bits);
    switch (types[type].shape) {
    case SIGNED:
        return (double)extend(type, bits);
    case REAL:
        return real(type, bits);
    default:
        return (double)bits;
    }
}

void idb_value_text(char *out, size_t size, unsigned type, uint64_t bits)
{
    if (type >= COUNT(types)) {
        snprintf(out, size, "?");
        return;
    }
    bits = cut(type, bits);
    switch (types[type].shape) {
    case SIGNED:
        snprintf(out, size, "%" PRId64, extend(type, bits));
        break;
    case UNSIGNED:
        snprintf(out, size, "%" PRIu64, bits);
        break;
    case ADDRESS:
        snprintf(out, size, "%016" PRIX64, bits);
        break;
    case REAL:
        snprintf(out, size, "%e %f", real(type, bits), real(type, bits));
    }
}
