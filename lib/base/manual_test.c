#include "lib/base/manual.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

static bool flag;
static int form;
static const char *const forms[] = {"text", "json", NULL};
static const struct option_row rows[] = {
    {"quiet", 'q', OPTION_FLAG, &flag, NULL, "say nothing", NULL},
    {"output-as", 0, OPTION_CHOICE, &form, "FORM", "one of", forms},
    {0},
};
static const struct manual manual = {
    .name = "muster-try",
    .usage = "muster try FILE",
    .summary = "try a file",
    .details = ".first line\n'second \\ line",
    .version = "muster 1.2.3",
};

static void a_page_has_all_sections(void **ctx)
{
    char *bytes = NULL;
    size_t size;
    FILE *file = open_memstream(&bytes, &size);

    (void)ctx;
    manual_print(&manual, rows, file);
    manual_section("EXIT STATUS", file);
    manual_term("0", "good", file);
    fclose(file);
    assert_string_equal(bytes, ".TH MUSTER\\-TRY 1 \"\" \"muster 1.2.3\" \"User "
                               "Commands\"\n"
                               ".SH NAME\nmuster\\-try \\- try a file\n"
                               ".SH SYNOPSIS\n.B muster try FILE\n"
                               ".SH DESCRIPTION\n.nf\n"
                               "\\&.first line\n\\&'second \\e line\n.fi\n"
                               ".SH OPTIONS\n"
                               ".TP\n\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR\nsay nothing\n"
                               ".TP\n\\fB\\-\\-output\\-as\\fR \\fIFORM\\fR\n"
                               "one of: text, json\n"
                               ".SH EXIT STATUS\n.TP\n.B 0\ngood\n");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_all_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
