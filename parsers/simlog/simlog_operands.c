/* simlog_operands.c - the operands of an instruction as the vendor's tool shows them */
#include <ctype.h>
#include <string.h>

#include "lib/base/text.h"
#include "parsers/simlog/simlog.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

void simlog_add_operands(struct text *out, struct sim_span detail)
{
    const char *end = detail.at + detail.length;

    for (const char *at = detail.at; at < end;) {
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        size_t length = (size_t)((blank ? blank : end) - at);

        text_add_bytes(out, at, length);
        at += length;
        if (!blank)
            break;
        if (at > detail.at && at + 1 < end && is_word(at[-1]) && is_word(at[1]))
            text_add_char(out, ' ');
        at++;
    }
}

/* Returns the end of the operand without its value: the '=' or ':' before "0x". */
static size_t value_at(const char *operand, size_t length)
{
    for (size_t i = 0; i + 2 < length; i++)
        if ((operand[i] == '=' || operand[i] == ':') && operand[i + 1] == '0' &&
            operand[i + 2] == 'x')
            return i;
    return length;
}

void simlog_add_operand_names(struct text *out, struct sim_span detail)
{
    struct text tight = {0};
    const char *at;

    simlog_add_operands(&tight, detail);
    for (at = text_get(&tight); *at;) {
        size_t length = strcspn(at, ",");

        text_add_bytes(out, at, value_at(at, length));
        at += length;
        if (*at == ',')
            text_add_char(out, *at++);
    }
    text_clear(&tight);
}
