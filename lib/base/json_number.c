/* json_number.c - converts the number literals of json_read to values */
#include <stdlib.h>
#include <string.h>

#include "lib/base/digits.h"
#include "lib/base/json_read.h"
#include "lib/base/num.h"

bool json_number_u64(const char *text, uint64_t *value)
{
    return num_parse_u64(text, value);
}

bool json_number_i64(const char *text, int64_t *value)
{
    return num_parse_i64(text, value);
}

/* Converts plain decimals without strtod(). */
static bool quick_double(const char *text, double *value)
{
    const char *at = text + (*text == '-');
    uint64_t mantissa = 0;
    unsigned digits = 0, places = 0;

    for (; *at >= '0' && *at <= '9' && digits < DIGITS_MAX; at++, digits++)
        mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9' && digits < DIGITS_MAX;
             at++, digits++, places++)
            mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    if (*at || digits == 0 || !digits_divide(mantissa, places, value))
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
           *token->text == *text && strlen(text) == token->length &&
           memcmp(token->text, text, token->length) == 0;
}

bool json_token_u64(const struct json_token *token, uint64_t *value)
{
    return token->kind == JSON_NUMBER &&
           (digits_u64(token->text, token->length, value) ||
            json_number_u64(token->text, value));
}

bool json_token_i64(const struct json_token *token, int64_t *value)
{
    return token->kind == JSON_NUMBER && json_number_i64(token->text, value);
}

bool json_token_double(const struct json_token *token, double *value)
{
    return token->kind == JSON_NUMBER &&
           (digits_double(token->text, token->length, value) ||
            json_number_double(token->text, value));
}
