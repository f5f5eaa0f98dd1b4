#include "parsers/reports/escape.h"

#include "lib/base/text.h"

void escape_xml(struct text *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            text_add(out, "&amp;");
            break;
        case '<':
            text_add(out, "&lt;");
            break;
        case '>':
            text_add(out, "&gt;");
            break;
        case '"':
            text_add(out, "&quot;");
            break;
        case '\'':
            text_add(out, "&#39;");
            break;
        default:
            text_add_char(out, *text);
        }
    }
}
