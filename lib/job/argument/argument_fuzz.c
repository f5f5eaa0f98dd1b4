/* argument_fuzz.c - any text of a kernel argument: an argument within its limits, or an
 * error */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/job/argument/argument.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = xstrndup(size ? (const char *)bytes : "", size);
    struct argument argument;
    struct err err;

    if (argument_parse(&argument, text, &err) == 0 &&
        (!argument.element || argument.count == 0 || argument.bytes < argument.count))
        abort();
    argument_clear(&argument);
    free(text);
    return 0;
}
