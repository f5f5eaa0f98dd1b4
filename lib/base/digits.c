#include "lib/base/digits.h"

const double digits_powers[DIGITS_PLACES_MAX + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

const uint64_t digits_tens[DIGITS_MAX + 1] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
    10000000000000000000u,
};

/* 2^shift / 10^places, rounded down to 64 bits. */
static const struct {
    uint64_t f;
    int shift;
} tenths[DIGITS_PLACES_MAX + 1] = {
    {0x8000000000000000u, 63},  {0xccccccccccccccccu, 67},  {0xa3d70a3d70a3d70au, 70},
    {0x83126e978d4fdf3bu, 73},  {0xd1b71758e219652bu, 77},  {0xa7c5ac471b478423u, 80},
    {0x8637bd05af6c69b5u, 83},  {0xd6bf94d5e57a42bcu, 87},  {0xabcc77118461cefcu, 90},
    {0x89705f4136b4a597u, 93},  {0xdbe6fecebdedd5beu, 97},  {0xafebff0bcb24aafeu, 100},
    {0x8cbccc096f5088cbu, 103}, {0xe12e13424bb40e13u, 107}, {0xb424dc35095cd80fu, 110},
    {0x901d7cf73ab0acd9u, 113}, {0xe69594bec44de15bu, 117}, {0xb877aa3236a4b449u, 120},
    {0x9392ee8e921d5d07u, 123}, {0xec1e4a7db69561a5u, 127}, {0xbce5086492111aeau, 130},
    {0x971da05074da7beeu, 133}, {0xf1c90080baf72cb1u, 137},
};

/* The upper half of the product with the rounded-down power is too small by less than
 * one. It decides the rounding, unless it is at the middle or just before it. */
bool digits_divide_wide(uint64_t mantissa, unsigned places, double *value)
{
    int zeros = __builtin_clzll(mantissa);
    unsigned __int128 product =
        (unsigned __int128)(mantissa << zeros) * tenths[places].f;
    uint64_t high = (uint64_t)(product >> 64);
    int surplus = 10 + (int)(high >> 63); /* bits beyond the 53 of a double */
    uint64_t rest = high & (((uint64_t)1 << surplus) - 1);
    uint64_t half = (uint64_t)1 << (surplus - 1);

    if (rest == half || rest == half - 1)
        return false;
    uint64_t kept = (high >> surplus) + (rest > half);
    int exponent = surplus + 64 - zeros - tenths[places].shift;
    /* the top bit is implicit; a carry from rounding raises the exponent correctly */
    uint64_t bits = ((uint64_t)(exponent + 1075) << 52) + (kept - ((uint64_t)1 << 52));
    memcpy(value, &bits, sizeof(bits));
    return true;
}
