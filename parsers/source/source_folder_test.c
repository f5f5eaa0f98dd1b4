#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/source/source_launches.h"
#include "tests/support/unit.h"

static const char info[] = "Op Name=add\nBlock Dim=1\nRun Soc Version=Ascend910B2\n"
                           "Device Id=0\nCurrent Freq=1800\nRated Freq=1800\n";

/* Returns the number of notes of the first launch that have the text. */
static size_t count_notes(const struct source *source, const char *text)
{
    const struct source_notes *notes = &source->launches[0]->notes;
    size_t count = 0;

    for (size_t i = 0; i < notes->count; i++)
        count += strstr(notes->notes[i].text, text) != NULL;
    return count;
}

/* A file that is not there is usual; one that cannot be opened is damage. */
static void only_a_file_that_exists_and_cannot_be_read_is_an_error(void **ctx)
{
    char top[] = "/tmp/muster_source_folder_test.XXXXXX";
    char dump[64], path[96];
    struct source *source;
    struct err err;

    (void)ctx;
    assert_non_null(mkdtemp(top));
    snprintf(dump, sizeof(dump), "%s/dump", top);
    assert_int_equal(mkdir(dump, 0700), 0);
    snprintf(path, sizeof(path), "%s/op_basic_info.txt", dump);
    assert_int_equal(file_write(path, info, strlen(info), &err), 0);
    snprintf(path, sizeof(path), "%s/aicpu.bin", dump);
    assert_int_equal(symlink("aicpu.bin", path), 0);

    assert_int_equal(source_read_folder(&source, top, &err), 0);
    assert_int_equal(source->count, 1);
    assert_int_equal(count_notes(source, "aicpu.bin: Too many levels"), 1);
    assert_int_equal(count_notes(source, "hccs.bin"), 0);
    source_destroy(source);
    assert_int_equal(folder_remove(top, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_file_that_exists_and_cannot_be_read_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
