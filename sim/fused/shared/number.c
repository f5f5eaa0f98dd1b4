#include "sim/fused/shared/number.h"

#include <acl/acl_base.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "sim/hccl/element.h"

static float halves[65536], bfloats[65536];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_tables(void)
{
    for (uint32_t i = 0; i < 65536; i++) {
        halves[i] = element_from_half((uint16_t)i);
        bfloats[i] = element_from_bfloat((uint16_t)i);
    }
}

/* A float of few bits: sign, exponent with a bias, fraction. */
struct small_float {
    int32_t type;
    int exponent, fraction, bias;
    uint32_t largest; /* the bits of the largest finite value */
    int has_infinity;
};

static const struct small_float smalls[] = {
    {ACL_FLOAT8_E5M2, 5, 2, 15, 0x7B, 1},
    {ACL_FLOAT8_E4M3FN, 4, 3, 7, 0x7E, 0},
    {ACL_FLOAT4_E2M1, 2, 1, 1, 0x7, 0},
    {ACL_FLOAT4_E1M2, 1, 2, 1, 0x7, 0},
};

static const struct small_float *find_small(int32_t type)
{
    for (uint32_t i = 0; i < sizeof(smalls) / sizeof(smalls[0]); i++)
        if (smalls[i].type == type)
            return &smalls[i];
    return NULL;
}

static float from_small(const struct small_float *small, uint32_t bits)
{
    uint32_t sign = bits >> (small->exponent + small->fraction) & 1;
    uint32_t rest = bits & ((1u << (small->exponent + small->fraction)) - 1);
    int exponent = (int)(rest >> small->fraction);
    float fraction = (float)(rest & ((1u << small->fraction) - 1));
    float value = ldexpf(fraction, 1 - small->bias - small->fraction);

    if (rest > small->largest)
        value = small->has_infinity && rest == small->largest + 1 ? INFINITY : NAN;
    else if (exponent > 0)
        value = ldexpf(fraction + (float)(1 << small->fraction),
                       exponent - small->bias - small->fraction);
    return sign ? -value : value;
}

/* Sign, then a prefix that gives the number of exponent bits; see the public paper on
 * HiFloat8. */
static float from_hifloat(uint32_t bits)
{
    static const struct {
        uint32_t mask, prefix;
        int exponent, fraction;
    } forms[] = {
        {0x60, 0x60, 4, 1}, {0x60, 0x40, 3, 2}, {0x60, 0x20, 2, 3},
        {0x70, 0x10, 1, 3}, {0x78, 0x08, 0, 3},
    };
    uint32_t rest = bits & 0x7F;
    float value = 0;

    if (bits == 0x80)
        return NAN;
    if (rest == 0x6F)
        value = INFINITY;
    else if (rest < 8)
        value = rest ? ldexpf(1, (int)rest - 23) : 0;
    for (uint32_t i = 0; rest >= 8 && rest != 0x6F && i < 5; i++) {
        int exponent = 0, width = forms[i].exponent, places = forms[i].fraction;
        uint32_t field = rest >> places & ((1u << width) - 1);

        if ((rest & forms[i].mask) != forms[i].prefix)
            continue;
        if (width > 0) {
            uint32_t hidden = 1u << (width - 1);

            exponent = (int)((field & (hidden - 1)) | hidden);
            if (field & hidden)
                exponent = -exponent;
        }
        value = ldexpf(1 + (float)(rest & ((1u << places) - 1)) / (float)(1 << places),
                       exponent);
        break;
    }
    return bits & 0x80 ? -value : value;
}

static float from_byte(int32_t type, uint32_t bits)
{
    const struct small_float *small = find_small(type);

    if (small)
        return from_small(small, bits);
    if (type == ACL_HIFLOAT8)
        return from_hifloat(bits);
    return bits == 0xFF ? NAN : ldexpf(1, (int)bits - 127); /* FLOAT8_E8M0 */
}

/* Returns the bits whose value is nearest; of two equally near ones the even one. */
static uint8_t to_byte(int32_t type, float value)
{
    uint32_t count = 1u << number_bits(type), best = 0;
    double least = INFINITY;

    if (isnan(value))
        return type == ACL_HIFLOAT8 ? 0x80 : (uint8_t)(count / 2 - 1);
    for (uint32_t bits = 0; bits < count; bits++) {
        double distance = fabs((double)from_byte(type, bits) - (double)value);

        if (!isfinite(from_byte(type, bits)) ||
            (bits == count / 2 && type != ACL_FLOAT8_E8M0)) /* minus zero */
            continue;
        if (distance < least || (distance == least && !(bits & 1))) {
            least = distance;
            best = bits;
        }
    }
    return (uint8_t)best;
}

uint32_t number_bits(int32_t type)
{
    static const struct {
        int32_t type;
        uint32_t bits;
    } sizes[] = {
        {ACL_FLOAT, 32},      {ACL_FLOAT16, 16},    {ACL_BF16, 16},
        {ACL_INT8, 8},        {ACL_INT32, 32},      {ACL_INT64, 64},
        {ACL_UINT64, 64},     {ACL_BOOL, 8},        {ACL_INT4, 4},
        {ACL_HIFLOAT8, 8},    {ACL_FLOAT8_E5M2, 8}, {ACL_FLOAT8_E4M3FN, 8},
        {ACL_FLOAT8_E8M0, 8}, {ACL_FLOAT4_E2M1, 4}, {ACL_FLOAT4_E1M2, 4},
    };

    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (sizes[i].type == type)
            return sizes[i].bits;
    return 0;
}

uint64_t number_bytes(int32_t type, uint64_t count)
{
    return (count * number_bits(type) + 7) / 8;
}

bool number_is_int(int32_t type)
{
    return type == ACL_INT8 || type == ACL_INT4;
}

float number_get(int32_t type, uint64_t address, uint64_t index)
{
    const void *base = (const void *)(uintptr_t)address;
    const uint8_t *bytes = base;
    uint32_t half;

    pthread_once(&once, fill_tables);
    switch (type) {
    case ACL_FLOAT:
        return ((const float *)base)[index];
    case ACL_FLOAT16:
        return halves[((const uint16_t *)base)[index]];
    case ACL_BF16:
        return bfloats[((const uint16_t *)base)[index]];
    case ACL_INT8:
        return (float)((const int8_t *)base)[index];
    case ACL_INT32:
        return (float)((const int32_t *)base)[index];
    case ACL_INT64:
    case ACL_UINT64: { /* the bits of a scale in the lower half */
        uint32_t bits = (uint32_t)((const uint64_t *)base)[index];
        float value;

        memcpy(&value, &bits, sizeof(value));
        return value;
    }
    case ACL_BOOL:
        return bytes[index] != 0;
    case ACL_INT4:
        half = bytes[index / 2] >> index % 2 * 4 & 0xF;
        return (float)(half < 8 ? (int)half : (int)half - 16);
    case ACL_FLOAT4_E2M1:
    case ACL_FLOAT4_E1M2:
        return from_byte(type, bytes[index / 2] >> index % 2 * 4 & 0xF);
    default:
        return from_byte(type, bytes[index]);
    }
}

static float limit(float value, float least, float most)
{
    return value < least ? least : value > most ? most : value;
}

static void put_half_byte(uint64_t address, uint64_t index, uint32_t bits)
{
    uint8_t *at = (uint8_t *)(uintptr_t)address + index / 2;
    int shift = index % 2 * 4;

    *at = (uint8_t)((*at & ~(0xF << shift)) | (bits & 0xF) << shift);
}

void number_put(int32_t type, uint64_t address, uint64_t index, float value)
{
    void *base = (void *)(uintptr_t)address;

    switch (type) {
    case ACL_FLOAT:
        ((float *)base)[index] = value;
        return;
    case ACL_FLOAT16:
        ((uint16_t *)base)[index] = element_to_half(value);
        return;
    case ACL_BF16:
        ((uint16_t *)base)[index] = element_to_bfloat(value);
        return;
    case ACL_INT8:
        ((int8_t *)base)[index] = (int8_t)limit(rintf(value), -128, 127);
        return;
    case ACL_INT32:
        ((int32_t *)base)[index] = (int32_t)rintf(value);
        return;
    case ACL_BOOL:
        ((uint8_t *)base)[index] = value != 0;
        return;
    case ACL_INT4:
        put_half_byte(address, index, (uint32_t)(int)limit(rintf(value), -8, 7));
        return;
    case ACL_FLOAT4_E2M1:
    case ACL_FLOAT4_E1M2:
        put_half_byte(address, index, to_byte(type, value));
        return;
    default:
        ((uint8_t *)base)[index] = to_byte(type, value);
    }
}

void numbers_get(int32_t type,
                 uint64_t address,
                 uint64_t index,
                 uint64_t step,
                 uint64_t count,
                 float *out)
{
    const uint16_t *words = (const uint16_t *)(uintptr_t)address + index;
    const float *table = type == ACL_FLOAT16 ? halves : bfloats;

    pthread_once(&once, fill_tables);
    if (type == ACL_BF16 && step == 1) { /* faster than the table */
        for (uint64_t i = 0; i < count; i++) {
            uint32_t bits = (uint32_t)words[i] << 16;

            memcpy(&out[i], &bits, sizeof(bits));
        }
        return;
    }
    if (type == ACL_FLOAT16 || type == ACL_BF16) {
        for (uint64_t i = 0; i < count; i++)
            out[i] = table[words[i * step]];
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        out[i] = number_get(type, address, index + i * step);
}

/* Rounds to even. Returns false when a value is no number: its bits are wrong then. */
static bool put_bfloats(uint16_t *into, uint64_t count, const float *values)
{
    uint32_t not_numbers = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &values[i], sizeof(bits));
        not_numbers |= (bits & 0x7FFFFFFF) > 0x7F800000;
        into[i] = (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }
    return !not_numbers;
}

void numbers_put(int32_t type,
                 uint64_t address,
                 uint64_t index,
                 uint64_t count,
                 const float *values)
{
    if (type == ACL_BF16 &&
        put_bfloats((uint16_t *)(uintptr_t)address + index, count, values))
        return;
    for (uint64_t i = 0; i < count; i++)
        number_put(type, address, index + i, values[i]);
}

float number_round(int32_t type, float value)
{
    uint64_t bytes = 0;

    if (type == ACL_FLOAT)
        return value;
    number_put(type, (uintptr_t)&bytes, 0, value);
    return number_get(type, (uintptr_t)&bytes, 0);
}
