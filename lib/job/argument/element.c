#include "lib/job/argument/element.h"

#include <math.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"

enum kind { FLOATING, SIGNED, UNSIGNED };

struct element {
    const char *name;
    uint8_t bytes;
    uint8_t kind;
    uint8_t fraction_bits; /* of a floating-point type */
};

static const struct element elements[] = {
    {"fp64", 8, FLOATING, 52}, {"fp32", 4, FLOATING, 23}, {"fp16", 2, FLOATING, 10},
    {"bf16", 2, FLOATING, 7},  {"i8", 1, SIGNED, 0},      {"u8", 1, UNSIGNED, 0},
    {"i16", 2, SIGNED, 0},     {"u16", 2, UNSIGNED, 0},   {"i32", 4, SIGNED, 0},
    {"u32", 4, UNSIGNED, 0},   {"i64", 8, SIGNED, 0},     {"u64", 8, UNSIGNED, 0},
};

const struct element *element_find(const char *name)
{
    for (size_t i = 0; i < COUNT(elements); i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    return NULL;
}

const char *element_names(void)
{
    return "fp64 fp32 fp16 bf16 i8 u8 i16 u16 i32 u32 i64 u64";
}

const char *element_name(const struct element *element)
{
    return element->name;
}

size_t element_bytes(const struct element *element)
{
    return element->bytes;
}

/* Converts a double to a smaller floating-point format, rounded to nearest even. */
static uint64_t small_float(const struct element *element, double value)
{
    int fraction = element->fraction_bits, exponent_bits = element->bytes * 8 - 1;
    int most, bias, exponent;
    uint64_t sign, bits;
    double scaled;

    exponent_bits -= fraction;
    bias = (1 << (exponent_bits - 1)) - 1;
    most = 2 * bias;
    sign = (uint64_t)(signbit(value) != 0) << (element->bytes * 8 - 1);
    value = fabs(value);
    if (isnan(value))
        return sign | ((uint64_t)(most + 1) << fraction) | 1ull << (fraction - 1);
    if (value == 0)
        return sign;
    exponent = ilogb(value);
    if (exponent < 1 - bias)
        exponent = 1 - bias; /* subnormal */
    scaled = isinf(value) ? INFINITY : nearbyint(scalbn(value, fraction - exponent));
    if (exponent > bias ||
        scaled >= scalbn(1, fraction + 1) * (exponent == bias ? 1 : 2))
        return sign | (uint64_t)(most + 1) << fraction;
    bits = (uint64_t)scaled;
    /* the hidden bit and a carry out of the fraction increment the exponent */
    return sign | (((uint64_t)(exponent + bias - 1) << fraction) + bits);
}

static double large_float(const struct element *element, uint64_t bits)
{
    int fraction = element->fraction_bits;
    int exponent_bits = element->bytes * 8 - 1 - fraction;
    uint64_t part = bits & ((1ull << fraction) - 1);
    int exponent = (int)(bits >> fraction) & ((1 << exponent_bits) - 1);
    int bias = (1 << (exponent_bits - 1)) - 1;
    double value;

    if (exponent == 2 * bias + 1)
        value = part ? NAN : INFINITY;
    else if (exponent == 0)
        value = scalbn((double)part, 1 - bias - fraction);
    else
        value = scalbn((double)(part | 1ull << fraction), exponent - bias - fraction);
    return bits >> (element->bytes * 8 - 1) ? -value : value;
}

static void store(const struct element *element, uint64_t bits, void *out)
{
    memcpy(out, &bits, element->bytes); /* little endian, like the device */
}

static void store_float(const struct element *element, double value, void *out)
{
    uint64_t bits;

    if (element->bytes == sizeof(double))
        memcpy(&bits, &value, sizeof(bits));
    else
        bits = small_float(element, value);
    store(element, bits, out);
}

static uint64_t load(const struct element *element, const void *values, size_t place)
{
    uint64_t bits = 0;

    memcpy(&bits, (const char *)values + place * element->bytes, element->bytes);
    return bits;
}

static int64_t load_signed(const struct element *element, uint64_t bits)
{
    int spare = 64 - element->bytes * 8;

    return (int64_t)(bits << spare) >> spare;
}

double element_value(const struct element *element, const void *values, size_t place)
{
    uint64_t bits = load(element, values, place);
    double value;

    if (element->kind == SIGNED)
        return (double)load_signed(element, bits);
    if (element->kind == UNSIGNED)
        return (double)bits;
    if (element->bytes < sizeof(double))
        return large_float(element, bits);
    memcpy(&value, &bits, sizeof(value));
    return value;
}

bool element_parse(const struct element *element, const char *text, void *out)
{
    int spare = 64 - element->bytes * 8;
    uint64_t natural;
    int64_t whole;
    double real;

    switch (element->kind) {
    case FLOATING:
        if (!num_parse_double(text, &real))
            return false;
        store_float(element, real, out);
        return true;
    case SIGNED:
        if (!num_parse_i64(text, &whole) || whole > INT64_MAX >> spare ||
            whole < INT64_MIN >> spare)
            return false;
        store(element, (uint64_t)whole, out);
        return true;
    default:
        if (!num_parse_u64(text, &natural) || natural > UINT64_MAX >> spare)
            return false;
        store(element, natural, out);
        return true;
    }
}

static int small_number(uint32_t salt, uint32_t place)
{
    uint32_t mixed = (place + 1) * 2654435761u + salt * 40503u;

    return (int)((mixed >> 16) % 17);
}

void element_fill(const struct element *element, uint32_t salt, void *out, size_t count)
{
    char values[17][8]; /* all values of small_number() */

    for (int i = 0; i < 17; i++)
        if (element->kind == FLOATING)
            store_float(element, i - 8, values[i]);
        else
            store(element, (uint64_t)(element->kind == SIGNED ? i - 8 : i), values[i]);
    for (size_t i = 0; i < count; i++)
        memcpy((char *)out + i * element->bytes,
               values[small_number(salt, (uint32_t)i)], element->bytes);
}

static bool is_near(double found, double expected, double within)
{
    double scale = fabs(expected) > 1 ? fabs(expected) : 1;

    if (isnan(found) || isnan(expected))
        return isnan(found) && isnan(expected);
    return found == expected || fabs(found - expected) <= within * scale;
}

size_t element_differ(const struct element *element,
                      const void *found,
                      const void *expected,
                      size_t count,
                      double within)
{
    if (within == 0 && memcmp(found, expected, count * element->bytes) == 0)
        return count;
    for (size_t i = 0; i < count; i++) {
        bool same = load(element, found, i) == load(element, expected, i);

        if (!same && !is_near(element_value(element, found, i),
                              element_value(element, expected, i), within))
            return i;
    }
    return count;
}
