/* parser_output_fuzz.c - any line of a parser: complete texts and a number, or an error
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/parser_output/parser_output.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_text(const char *text, size_t room)
{
    if (strnlen(text, room) == room)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct parser_output out;
    struct err err;

    if (parser_output_read(&out, (const char *)bytes, size, &err) < 0)
        return 0;
    check_text(out.kernel, sizeof(out.kernel));
    check_text(out.metric, sizeof(out.metric));
    check_text(out.unit, sizeof(out.unit));
    check_text(out.text, sizeof(out.text));
    if (out.kind == PARSER_METRIC && (!isfinite(out.value) || !*out.metric))
        abort();
    return 0;
}
