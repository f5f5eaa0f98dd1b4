#include "lib/base/num.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

bool num_parse_u64(const char *text, uint64_t *value)
{
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno || *end)
        return false;
    *value = number;
    return true;
}

bool num_parse_i64(const char *text, int64_t *value)
{
    char *end;

    if (!isdigit((unsigned char)text[text[0] == '-']))
        return false;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || *end)
        return false;
    *value = number;
    return true;
}

bool num_parse_double(const char *text, double *value)
{
    char *end;

    /* strtod() also accepts hexadecimal, which is an error here */
    if (text[0] == '\0' || isspace((unsigned char)text[0]) || strpbrk(text, "xX"))
        return false;
    double number = strtod(text, &end);
    if (*end || !isfinite(number))
        return false;
    *value = number;
    return true;
}

struct unit {
    const char *name;
    uint64_t factor;
};

static bool parse_with_unit(const char *text,
                            const struct unit *units,
                            size_t count,
                            uint64_t *value)
{
    char digits[24];
    size_t length = strspn(text, "0123456789");
    uint64_t number;

    if (length == 0 || length >= sizeof(digits))
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (!num_parse_u64(digits, &number))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(text + length, units[i].name) == 0)
            return !__builtin_mul_overflow(number, units[i].factor, value);
    return false;
}

bool num_parse_duration_ms(const char *text, uint64_t *ms)
{
    static const struct unit units[] = {
        {"", 1000},   {"ms", 1},      {"s", 1000},
        {"m", 60000}, {"h", 3600000}, {"d", 86400000},
    };

    return parse_with_unit(text, units, COUNT(units), ms);
}

bool num_parse_bytes(const char *text, uint64_t *bytes)
{
    static const struct unit units[] = {
        {"", 1},
        {"KiB", 1024},
        {"MiB", 1024 * 1024},
        {"GiB", 1024 * 1024 * 1024},
    };

    return parse_with_unit(text, units, COUNT(units), bytes);
}
