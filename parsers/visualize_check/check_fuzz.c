/* check_fuzz.c - feeds arbitrary bytes to the checker of visualize_data.bin */
#include "parsers/visualize_check/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ignore(const struct check_problem *problem, void *arg)
{
    (void)problem;
    (void)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    visualize_check(bytes, size, ignore, NULL);
    return 0;
}
