#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/findings/findings.h"
#include "parsers/source/source_launches.h"
#include "tests/support/unit.h"

/* An instrumented launch records the blocks 0 to 107. More blocks do not make the
 * launch a failed one. */
static void records_of_the_first_108_blocks_are_a_note_and_no_error(void **ctx)
{
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);
    struct findings findings;
    const struct source_note *found = NULL;
    (void)ctx;
    launch->info.chip = CHIP_A2;
    launch->info.block_dim = 300;
    snprintf(launch->info.soc, sizeof(launch->info.soc), "Ascend910B2");
    launch->metrics = METRIC_BASIC_INFO;
    launch->parts = xcalloc(1, sizeof(*launch->parts));
    launch->part_count = 1;
    findings_read(&findings, launch);
    for (size_t i = 0; i < findings.notes.count; i++)
        if (strstr(findings.notes.notes[i].text, "transfers: of the first 108 of 300"))
            found = &findings.notes.notes[i];
    assert_non_null(found);
    assert_int_equal(found->level, SOURCE_REMARK);
    findings_clear(&findings);
    source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_the_first_108_blocks_are_a_note_and_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
