#include "lib/base/json_escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/utf8.h"

static bool read_hex(const char *at, const char *end, uint32_t *code)
{
    *code = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return false;
    for (int i = 2; i < 6; i++) {
        char c = at[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;

        if (digit < 0)
            return false;
        *code = *code << 4 | (uint32_t)digit;
    }
    return true;
}

/* Reads \uXXXX or a surrogate pair. Returns the number of bytes read, or 0. */
static size_t put_escape(char **out, const char *at, const char *end, const char **what)
{
    uint32_t code, low;
    size_t used = 6;

    *what = at[1] == 'u' ? "\\u needs four hexadecimal digits"
                         : "unknown escape in a JSON string";
    if (!read_hex(at, end, &code))
        return 0;
    *what = "half of a surrogate pair";
    if (code >= 0xdc00 && code <= 0xdfff)
        return 0;
    if (code >= 0xd800 && code <= 0xdbff) {
        if (!read_hex(at + 6, end, &low) || low < 0xdc00 || low > 0xdfff)
            return 0;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        used = 12;
    }
    *out += utf8_put(*out, code);
    return used;
}

char *json_unescape(char *start, char *end, size_t *length, const char **what)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char *out = start;

    for (char *at = start; at < end;) {
        char *backslash = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((backslash ? backslash : end) - at);

        memmove(out, at, plain);
        out += plain;
        at += plain;
        if (!backslash)
            break;
        const char *simple = memchr(from, at[1], sizeof(from) - 1);
        if (simple) {
            *out++ = to[simple - from];
            at += 2;
            continue;
        }
        size_t used = put_escape(&out, at, end, what);
        if (!used)
            return at;
        at += used;
    }
    *length = (size_t)(out - start);
    return NULL;
}
