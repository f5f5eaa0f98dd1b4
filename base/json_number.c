/* json_number.c - the values behind the literals that json_read hands out */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/num.h"

bool json_number_u64(const char *text, uint64_t *value)
{
    return num_parse_u64(text, value);
}

bool json_number_i64(const char *text, int64_t *value)
{
    return num_parse_i64(text, value);
}

enum { POWERS = 23 };

/* mantissa / 10^places where one operation gives the double that is nearest: up to
 * 2^53 by itself (Clinger); up to 19 digits through the 64 bits of a long double, where
 * there is one, unless what it cut off lies so near the middle that it cannot tell. */
static bool divide(uint64_t mantissa, int places, double *value)
{
    static const double powers[POWERS] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    if (mantissa >> 53 == 0) {
        *value = (double)mantissa / powers[places];
        return true;
    }
#if LDBL_MANT_DIG == 64
    long double wide = (long double)mantissa / powers[places];
    uint64_t bits;

    memcpy(&bits, &wide, sizeof(bits));
    *value = (double)wide;
    return (bits & 0x7ff) < 0x3ff || (bits & 0x7ff) > 0x401;
#else
    return false;
#endif
}

/* Plain decimals need no strtod. */
static bool quick_double(const char *text, double *value)
{
    const char *at = text + (*text == '-');
    uint64_t mantissa = 0;
    int digits = 0, places = 0;

    for (; *at >= '0' && *at <= '9' && digits < 19; at++, digits++)
        mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9' && digits < 19; at++, digits++, places++)
            mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    if (*at || digits == 0 || !divide(mantissa, places, value))
        return false;
    if (*text == '-')
        *value = -*value;
    return true;
}

bool json_number_double(const char *text, double *value)
{
    return quick_double(text, value) || num_parse_double(text, value);
}

bool json_token_is(const struct json_token *token, const char *text)
{
    return (token->kind == JSON_KEY || token->kind == JSON_TEXT) &&
           strlen(text) == token->length &&
           memcmp(token->text, text, token->length) == 0;
}

bool json_token_u64(const struct json_token *token, uint64_t *value)
{
    return token->kind == JSON_NUMBER && json_number_u64(token->text, value);
}

bool json_token_i64(const struct json_token *token, int64_t *value)
{
    return token->kind == JSON_NUMBER && json_number_i64(token->text, value);
}

bool json_token_double(const struct json_token *token, double *value)
{
    return token->kind == JSON_NUMBER && json_number_double(token->text, value);
}
