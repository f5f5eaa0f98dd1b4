#include "lib/html/escape.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/base/utf8.h"

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static bool is_control(const char *at)
{
    unsigned char c = (unsigned char)*at;

    return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

void html_escape(struct text *out, const char *text)
{
    const char *end = text + strlen(text);

    while (text < end) {
        const char *entity = entity_of(*text);
        size_t length = utf8_length(text, end);

        if (entity)
            text_add(out, entity);
        else if (length == 0 || is_control(text))
            text_add(out, "\xef\xbf\xbd");
        else
            text_add_bytes(out, text, length);
        text += length ? length : 1;
    }
}
