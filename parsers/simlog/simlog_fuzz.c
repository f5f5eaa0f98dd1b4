/* simlog_fuzz.c - reads any text as two logs of a simulator, with a NUL between them */
#include <string.h>

#include "parsers/simlog/simlog.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    size_t first = strnlen(text, size), second = first < size ? first + 1 : size;
    struct sim_core core;

    simlog_read(&core, text, first, text + second, size - second, true);
    simlog_count_registers(&core);
    simlog_read_misses(&core, text, size);
    simlog_clear(&core);
    return 0;
}
