#include "lib/base/utf8.h"

size_t utf8_length(const char *at, const char *end)
{
    const unsigned char *bytes = (const unsigned char *)at;
    size_t length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    uint32_t code = bytes[0] & (0x7fu >> length);

    if (bytes[0] < 128)
        return 1;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || (size_t)(end - at) < length)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3f);
    }
    if (length == 3 && (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)))
        return 0;
    if (length == 4 && (code < 0x10000 || code > 0x10ffff))
        return 0;
    return length;
}

size_t utf8_put(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)((0xf00u >> length) | code);
    return length;
}
