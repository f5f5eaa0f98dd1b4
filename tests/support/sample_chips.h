/* sample_chips.h - the chip families by their names in the files of published numbers
 */
#ifndef TESTS_SUPPORT_SAMPLE_CHIPS_H
#define TESTS_SUPPORT_SAMPLE_CHIPS_H

#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/counter_schedule.h"
#include "tests/support/unit.h"

/* Fails the test case for a name that no family has. */
static inline enum chip sample_chip(const char *name)
{
    static const struct {
        const char *name;
        enum chip chip;
    } families[] = {{"a2", CHIP_A2}, {"310p", CHIP_310P}, {"a5", CHIP_A5}};

    for (size_t i = 0; i < COUNT(families); i++)
        if (!strcmp(families[i].name, name))
            return families[i].chip;
    fail_msg("%s is not in the table of tests/support/sample_chips.h", name);
    return CHIP_UNKNOWN;
}

#endif
