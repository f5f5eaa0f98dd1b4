#include "parsers/framework/microseconds.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "lib/base/json_read.h"

/* Reads a number with an exponent. Such numbers are durations far below a date, for
 * which a double is exact enough. */
static bool read_exponent(const char *text, int64_t *ns)
{
    double us;

    if (!json_number_double(text, &us) || !(fabs(us) < 0x1p52))
        return false;
    *ns = (int64_t)floor(us * 1000 + 0.5);
    return true;
}

static bool add_digit(int64_t *value, char digit)
{
    return !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_add_overflow(*value, digit - '0', value);
}

/* Reads the usual form: up to 15 digits, and up to three digits after a dot. Returns
 * false for all others, which are not errors. */
static bool read_usual(const char *text, int64_t *ns)
{
    int64_t value = 0;
    const char *at = text;
    int places;

    for (; (unsigned char)(*at - '0') < 10 && at - text < 15; at++)
        value = value * 10 + (*at - '0');
    if (at == text)
        return false;
    places = *at == '.' ? 0 : 3; /* without a dot there are no decimals */
    if (*at == '.' && (unsigned char)(*++at - '0') >= 10)
        return false;
    if (places == 3)
        value *= 1000;
    for (; places < 3 && (unsigned char)(*at - '0') < 10; places++)
        value = value * 10 + (*at++ - '0');
    for (; places < 3; places++)
        value *= 10;
    if (at[0] != '\0' && (at[0] != '\t' || at[1] != '\0'))
        return false;
    *ns = value;
    return true;
}

bool microseconds_read(const char *text, int64_t *ns)
{
    if (read_usual(text, ns))
        return true;

    const char *at = text + strspn(text, " \t");
    bool negative = *at == '-', round_up = false;
    int64_t value = 0;
    int decimals = 0;

    at += negative;
    if (!isdigit((unsigned char)*at))
        return false;
    for (; isdigit((unsigned char)*at); at++)
        if (!add_digit(&value, *at))
            return false;
    if (*at == '.') {
        if (!isdigit((unsigned char)*++at))
            return false;
        for (; isdigit((unsigned char)*at); at++, decimals++) {
            if (decimals < 3 && !add_digit(&value, *at))
                return false;
            if (decimals == 3)
                round_up = *at >= '5';
        }
    }
    if (*at == 'e' || *at == 'E')
        return read_exponent(text, ns);
    for (; decimals < 3; decimals++)
        if (!add_digit(&value, '0'))
            return false;
    if (at[strspn(at, " \t")] != '\0' ||
        __builtin_add_overflow(value, round_up ? 1 : 0, &value))
        return false;
    *ns = negative ? -value : value;
    return true;
}
