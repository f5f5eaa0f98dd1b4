#include "lib/base/decimal.h"

#include <endian.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/digits.h"

static const char pairs[] = "00010203040506070809"
                            "10111213141516171819"
                            "20212223242526272829"
                            "30313233343536373839"
                            "40414243444546474849"
                            "50515253545556575859"
                            "60616263646566676869"
                            "70717273747576777879"
                            "80818283848586878889"
                            "90919293949596979899";

static size_t digits_of(uint64_t value)
{
    /* 1233 / 4096 is log10(2), accurate enough for 64 bits */
    unsigned guess = (unsigned)((64 - __builtin_clzll(value | 1)) * 1233) >> 12;

    return guess + (value >= digits_tens[guess] || value == 0);
}

/* Writes exactly `length` digits, with leading zeros. */
static inline void put_digits(char *out, uint64_t value, size_t length)
{
    for (; value > UINT32_MAX; value /= 100) {
        length -= 2;
        memcpy(out + length, pairs + 2 * (value % 100), 2);
    }
    uint32_t rest = (uint32_t)value; /* 32-bit divisions take half the time */
    for (; length >= 2; rest /= 100) {
        length -= 2;
        memcpy(out + length, pairs + 2 * (rest % 100), 2);
    }
    if (length)
        out[0] = (char)('0' + rest % 10);
}

/* Returns the eight digits of a number below 10^8 as values, the first in the lowest
 * byte. The divisions run in parallel in one word. */
static inline uint64_t eight_digits(uint64_t value)
{
    uint64_t fours = value / 10000 | value % 10000 << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007fu;
    uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens_of = (twos * 103 >> 10) & 0x000f000f000f000fu;

    return tens_of | (twos - 10 * tens_of) << 8;
}

static inline void put_eight(char *out, uint64_t digits)
{
    digits = htole64(digits | 0x3030303030303030u);
    memcpy(out, &digits, sizeof(digits));
}

/* Writes a number below 10^8; always stores eight bytes. The length is computed apart
 * from the digits, so that the next write does not wait for them. */
static inline size_t put_below_10_8(char *out, uint64_t value)
{
    size_t length = digits_of(value);

    put_eight(out, (eight_digits(value) | 0x3030303030303030u) >> 8 * (8 - length));
    return length;
}

size_t decimal_put_u64(char *out, uint64_t value)
{
    const uint64_t unit = 100000000;

    if (value < 100) {
        size_t two = value >= 10;

        memcpy(out, pairs + 2 * value + !two, 2);
        return 1 + two;
    }
    if (value < unit)
        return put_below_10_8(out, value);
    uint64_t high = value / unit, low = value % unit;
    size_t length;
    if (high < unit) {
        length = put_below_10_8(out, high);
    } else {
        length = put_below_10_8(out, high / unit);
        put_eight(out + length, eight_digits(high % unit));
        length += 8;
    }
    put_eight(out + length, eight_digits(low));
    return length + 8;
}

size_t decimal_put_hex(char *out, uint64_t value)
{
    unsigned digits = value ? 16 - (unsigned)__builtin_clzll(value) / 4 : 1;

    out[0] = '0';
    out[1] = 'x';
    for (unsigned i = digits; i-- > 0; value >>= 4)
        out[2 + i] = "0123456789abcdef"[value & 15];
    return 2 + digits;
}

size_t decimal_put_i64(char *out, int64_t value)
{
    if (value >= 0)
        return decimal_put_u64(out, (uint64_t)value);
    *out = '-';
    return 1 + decimal_put_u64(out + 1, 0 - (uint64_t)value);
}

/* May store up to seven bytes more than it returns. */
static inline size_t
put_halves(char *out, uint64_t whole, uint64_t part, unsigned decimals)
{
    size_t length = decimal_put_u64(out, whole);

    out[length++] = '.';
    if (decimals == 3) { /* the usual case: nanoseconds as microseconds */
        out[length] = (char)('0' + part / 100);
        memcpy(out + length + 1, pairs + 2 * (part % 100), 2);
    } else if (decimals <= 8)
        put_eight(out + length,
                  (eight_digits(part) | 0x3030303030303030u) >> 8 * (8 - decimals));
    else
        put_digits(out + length, part, decimals);
    return length + decimals;
}

static size_t put_scaled(char *out, uint64_t value, unsigned decimals)
{
    switch (decimals) { /* the compiler replaces division by a constant */
    case 0:
        return decimal_put_u64(out, value);
    case 3:
        return put_halves(out, value / 1000, value % 1000, 3);
    case 6:
        return put_halves(out, value / 1000000, value % 1000000, 6);
    default:
        return put_halves(out, value / digits_tens[decimals],
                          value % digits_tens[decimals], decimals);
    }
}

static unsigned at_most_18(unsigned decimals)
{
    return decimals > 18 ? 18 : decimals;
}

size_t decimal_put_scaled(char *out, int64_t value, unsigned decimals)
{
    decimals = at_most_18(decimals);
    if (value >= 0)
        return put_scaled(out, (uint64_t)value, decimals);
    *out = '-';
    return 1 + put_scaled(out + 1, 0 - (uint64_t)value, decimals);
}

size_t decimal_put_fixed(char *out, double value, unsigned decimals)
{
    decimals = at_most_18(decimals);
    double scaled = fabs(value) * (double)digits_tens[decimals];

    if (scaled < 1e15) { /* the product is off by less than 0.13 of its last unit */
        uint64_t whole = (uint64_t)scaled;
        double rest = scaled - (double)whole;

        if (fabs(rest - 0.5) > 0.25 || (scaled < 1e9 && fabs(rest - 0.5) > 1e-6)) {
            size_t sign = signbit(value) ? 1 : 0;

            out[0] = '-';
            return sign + put_scaled(out + sign, whole + (rest > 0.5), decimals);
        }
    }
    return (size_t)snprintf(out, DECIMAL_FIXED_ROOM, "%.*f", (int)decimals, value);
}

/* Shortest digits, after Loitsch, "Printing Floating-Point Numbers Quickly and
 * Accurately with Integers" (Grisu3): 64-bit integers, and no result for one
 * number in 200, which is then found by trial. */
struct binary { /* f * 2^e */
    uint64_t f;
    int e;
};

/* 10^k, rounded to 64 bits, in steps of 8. */
static const struct {
    uint64_t f;
    int16_t e, k;
} tens[] = {
    {0xfa8fd5a0081c0288u, -1220, -348}, {0xbaaee17fa23ebf76u, -1193, -340},
    {0x8b16fb203055ac76u, -1166, -332}, {0xcf42894a5dce35eau, -1140, -324},
    {0x9a6bb0aa55653b2du, -1113, -316}, {0xe61acf033d1a45dfu, -1087, -308},
    {0xab70fe17c79ac6cau, -1060, -300}, {0xff77b1fcbebcdc4fu, -1034, -292},
    {0xbe5691ef416bd60cu, -1007, -284}, {0x8dd01fad907ffc3cu, -980, -276},
    {0xd3515c2831559a83u, -954, -268},  {0x9d71ac8fada6c9b5u, -927, -260},
    {0xea9c227723ee8bcbu, -901, -252},  {0xaecc49914078536du, -874, -244},
    {0x823c12795db6ce57u, -847, -236},  {0xc21094364dfb5637u, -821, -228},
    {0x9096ea6f3848984fu, -794, -220},  {0xd77485cb25823ac7u, -768, -212},
    {0xa086cfcd97bf97f4u, -741, -204},  {0xef340a98172aace5u, -715, -196},
    {0xb23867fb2a35b28eu, -688, -188},  {0x84c8d4dfd2c63f3bu, -661, -180},
    {0xc5dd44271ad3cdbau, -635, -172},  {0x936b9fcebb25c996u, -608, -164},
    {0xdbac6c247d62a584u, -582, -156},  {0xa3ab66580d5fdaf6u, -555, -148},
    {0xf3e2f893dec3f126u, -529, -140},  {0xb5b5ada8aaff80b8u, -502, -132},
    {0x87625f056c7c4a8bu, -475, -124},  {0xc9bcff6034c13053u, -449, -116},
    {0x964e858c91ba2655u, -422, -108},  {0xdff9772470297ebdu, -396, -100},
    {0xa6dfbd9fb8e5b88fu, -369, -92},   {0xf8a95fcf88747d94u, -343, -84},
    {0xb94470938fa89bcfu, -316, -76},   {0x8a08f0f8bf0f156bu, -289, -68},
    {0xcdb02555653131b6u, -263, -60},   {0x993fe2c6d07b7facu, -236, -52},
    {0xe45c10c42a2b3b06u, -210, -44},   {0xaa242499697392d3u, -183, -36},
    {0xfd87b5f28300ca0eu, -157, -28},   {0xbce5086492111aebu, -130, -20},
    {0x8cbccc096f5088ccu, -103, -12},   {0xd1b71758e219652cu, -77, -4},
    {0x9c40000000000000u, -50, 4},      {0xe8d4a51000000000u, -24, 12},
    {0xad78ebc5ac620000u, 3, 20},       {0x813f3978f8940984u, 30, 28},
    {0xc097ce7bc90715b3u, 56, 36},      {0x8f7e32ce7bea5c70u, 83, 44},
    {0xd5d238a4abe98068u, 109, 52},     {0x9f4f2726179a2245u, 136, 60},
    {0xed63a231d4c4fb27u, 162, 68},     {0xb0de65388cc8ada8u, 189, 76},
    {0x83c7088e1aab65dbu, 216, 84},     {0xc45d1df942711d9au, 242, 92},
    {0x924d692ca61be758u, 269, 100},    {0xda01ee641a708deau, 295, 108},
    {0xa26da3999aef774au, 322, 116},    {0xf209787bb47d6b85u, 348, 124},
    {0xb454e4a179dd1877u, 375, 132},    {0x865b86925b9bc5c2u, 402, 140},
    {0xc83553c5c8965d3du, 428, 148},    {0x952ab45cfa97a0b3u, 455, 156},
    {0xde469fbd99a05fe3u, 481, 164},    {0xa59bc234db398c25u, 508, 172},
    {0xf6c69a72a3989f5cu, 534, 180},    {0xb7dcbf5354e9beceu, 561, 188},
    {0x88fcf317f22241e2u, 588, 196},    {0xcc20ce9bd35c78a5u, 614, 204},
    {0x98165af37b2153dfu, 641, 212},    {0xe2a0b5dc971f303au, 667, 220},
    {0xa8d9d1535ce3b396u, 694, 228},    {0xfb9b7cd9a4a7443cu, 720, 236},
    {0xbb764c4ca7a44410u, 747, 244},    {0x8bab8eefb6409c1au, 774, 252},
    {0xd01fef10a657842cu, 800, 260},    {0x9b10a4e5e9913129u, 827, 268},
    {0xe7109bfba19c0c9du, 853, 276},    {0xac2820d9623bf429u, 880, 284},
    {0x80444b5e7aa7cf85u, 907, 292},    {0xbf21e44003acdd2du, 933, 300},
    {0x8e679c2f5e44ff8fu, 960, 308},    {0xd433179d9c8cb841u, 986, 316},
    {0x9e19db92b4e31ba9u, 1013, 324},   {0xeb96bf6ebadf77d9u, 1039, 332},
    {0xaf87023b9bf0ee6bu, 1066, 340},
};

static struct binary times(struct binary a, struct binary b)
{
    unsigned __int128 product = (unsigned __int128)a.f * b.f;

    return (struct binary){(uint64_t)((product + ((uint64_t)1 << 63)) >> 64),
                           a.e + b.e + 64};
}

static struct binary normal(struct binary a)
{
    int shift = __builtin_clzll(a.f);

    return (struct binary){a.f << shift, a.e - shift};
}

struct digits {
    char bytes[20];
    int length;
    int exponent; /* the number is bytes * 10^exponent */
};

/* Moves the last digit towards the number. Returns false when the nearest digit cannot
 * be determined. Distances count from the upper end, with an error of up to `unit`. */
static bool weed(struct digits *digits,
                 uint64_t distance,
                 uint64_t interval,
                 uint64_t rest,
                 uint64_t ten_kappa,
                 uint64_t unit)
{
    uint64_t small = distance - unit, big = distance + unit;
    char *last = &digits->bytes[digits->length - 1];

    while (rest < small && interval - rest >= ten_kappa &&
           (rest + ten_kappa < small || small - rest >= rest + ten_kappa - small)) {
        (*last)--;
        rest += ten_kappa;
    }
    if (rest < big && interval - rest >= ten_kappa &&
        (rest + ten_kappa < big || big - rest > rest + ten_kappa - big))
        return false;
    return 2 * unit <= rest && rest <= interval - 4 * unit;
}

static bool
generate(struct digits *digits, struct binary low, struct binary w, struct binary high)
{
    uint64_t unit = 1, too_high = high.f + unit;
    uint64_t interval = too_high - (low.f - unit), distance = too_high - w.f;
    int shift = -w.e;
    uint64_t one = (uint64_t)1 << shift;
    uint64_t integrals = too_high >> shift, fraction = too_high & (one - 1);
    int kappa = (int)digits_of(integrals);

    digits->length = 0;
    while (kappa > 0) {
        uint64_t divisor = digits_tens[--kappa];

        digits->bytes[digits->length++] = (char)('0' + integrals / divisor);
        integrals %= divisor;
        uint64_t rest = (integrals << shift) + fraction;
        if (rest < interval) {
            digits->exponent += kappa;
            return weed(digits, distance, interval, rest, divisor << shift, unit);
        }
    }
    do {
        fraction *= 10;
        unit *= 10;
        interval *= 10;
        digits->bytes[digits->length++] = (char)('0' + (fraction >> shift));
        fraction &= one - 1;
        kappa--;
    } while (fraction >= interval);
    digits->exponent += kappa;
    return weed(digits, distance * unit, interval, fraction, one, unit);
}

static bool shortest_fast(struct digits *digits, uint64_t mantissa, int exponent)
{
    bool lower_is_closer = mantissa == (uint64_t)1 << 52 && exponent > -1074;
    struct binary w = normal((struct binary){mantissa, exponent});
    struct binary high = normal((struct binary){(mantissa << 1) + 1, exponent - 1});
    struct binary low = lower_is_closer
                            ? (struct binary){(mantissa << 2) - 1, exponent - 2}
                            : (struct binary){(mantissa << 1) - 1, exponent - 1};

    low.f <<= low.e - high.e;
    low.e = high.e;
    /* the power that moves the exponent of the product into -60..-32 */
    int k = (int)ceil((-60 - (w.e + 64) + 63) * 0.30102999566398114);
    int row = (348 + k - 1) / 8 + 1;
    struct binary ten = {tens[row].f, tens[row].e};
    digits->exponent = -tens[row].k;
    return generate(digits, times(low, ten), times(w, ten), times(high, ten));
}

static void shortest_slow(struct digits *digits, double value)
{
    char text[40];

    for (int places = 0; places < 17; places++) {
        snprintf(text, sizeof(text), "%.*e", places, value);
        if (strtod(text, NULL) == value)
            break;
    }
    char *e = strchr(text, 'e');
    digits->length = 0;
    for (const char *at = text; at < e; at++)
        if (*at != '.')
            digits->bytes[digits->length++] = *at;
    digits->exponent = atoi(e + 1) - (digits->length - 1);
    while (digits->length > 1 && digits->bytes[digits->length - 1] == '0') {
        digits->length--;
        digits->exponent++;
    }
}

static size_t put_exponent(char *out, int exponent)
{
    size_t length = 0;

    out[length++] = 'e';
    return length + decimal_put_i64(out + length, exponent);
}

/* Writes plain digits between 1e-7 and 1e21, an exponent elsewhere. */
static size_t lay_out(char *out, const struct digits *digits)
{
    int length = digits->length, point = length + digits->exponent;

    if (digits->exponent >= 0 && point <= 21) {
        memcpy(out, digits->bytes, (size_t)length);
        memset(out + length, '0', (size_t)digits->exponent);
        return (size_t)point;
    }
    if (point > 0 && point <= 21) {
        memcpy(out, digits->bytes, (size_t)point);
        out[point] = '.';
        memcpy(out + point + 1, digits->bytes + point, (size_t)(length - point));
        return (size_t)length + 1;
    }
    if (point > -6 && point <= 0) {
        size_t zeros = 2 + (size_t)-point;

        memcpy(out, "0.000000", zeros);
        memcpy(out + zeros, digits->bytes, (size_t)length);
        return zeros + (size_t)length;
    }
    size_t used = 0;
    out[used++] = digits->bytes[0];
    if (length > 1) {
        out[used++] = '.';
        memcpy(out + used, digits->bytes + 1, (size_t)length - 1);
        used += (size_t)length - 1;
    }
    return used + put_exponent(out + used, point - 1);
}

size_t decimal_put_double(char *out, double value)
{
    uint64_t bits;
    struct digits digits;
    size_t sign = signbit(value) ? 1 : 0;

    if (fabs(value) < 1e15 && value == (double)(int64_t)value && (value != 0 || !sign))
        return decimal_put_i64(out, (int64_t)value);
    out[0] = '-';
    value = fabs(value);
    if (value == 0) {
        out[sign] = '0';
        return sign + 1;
    }
    memcpy(&bits, &value, sizeof(bits));
    uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
    int exponent = (int)(bits >> 52);
    if (exponent)
        mantissa |= (uint64_t)1 << 52;
    else
        exponent = 1;
    if (!shortest_fast(&digits, mantissa, exponent - 1075))
        shortest_slow(&digits, value);
    return sign + lay_out(out + sign, &digits);
}
