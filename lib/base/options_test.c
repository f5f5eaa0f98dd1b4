#include "lib/base/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static bool all, quick;
static const char *name, *place;
static struct option_texts tags;
static uint64_t limit, ranks, patience_ms, room_bytes;
static int64_t shift;
static double ratio;
static int output;
static const char *const outputs[] = {"text", "json", "csv", NULL};

static const struct option_row rows[] = {
    {"all", 'a', OPTION_FLAG, &all, NULL, "show all", NULL},
    {"quick", 'q', OPTION_FLAG, &quick, NULL, "be quick", NULL},
    {"name", 'n', OPTION_TEXT, &name, "NAME", "the name", NULL},
    {"place", 0, OPTION_PATH, &place, "DIR", "a folder", NULL},
    {"tag", 't', OPTION_TEXTS, &tags, "TAG", "a tag", NULL},
    {"limit", 'l', OPTION_U64, &limit, "N", "at most N", NULL},
    {"ranks", 0, OPTION_COUNT, &ranks, "N", "on N cards", NULL},
    {"shift", 0, OPTION_I64, &shift, "N", "move by N", NULL},
    {"ratio", 0, OPTION_DOUBLE, &ratio, "R", "a ratio", NULL},
    {"patience", 0, OPTION_DURATION, &patience_ms, "TIME", "wait", NULL},
    {"room", 0, OPTION_BYTES, &room_bytes, "SIZE", "room", NULL},
    {"output", 'o', OPTION_CHOICE, &output, "FORM", "how to print", outputs},
    {"speedy", 0, OPTION_RENAMED, NULL, "quick", NULL, NULL},
    {"most", 0, OPTION_RENAMED, NULL, "limit", NULL, NULL},
    {0},
};

static char *words[16];
static char **args;
static struct err err;

/* Reads a command line with words separated by blanks. */
static int read_line(const char *line)
{
    static char copy[256];
    int count = 0;

    all = quick = false;
    name = NULL;
    free(tags.items);
    tags = (struct option_texts){0};
    strcpy(copy, line);
    words[count++] = copy;
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    return options_parse(rows, count, words, &args, &err);
}

static void fails_with(const char *line, const char *text)
{
    assert_int_equal(read_line(line), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_string_equal(err.text, text);
}

static void options_and_arguments_may_mix(void **ctx)
{
    (void)ctx;
    assert_int_equal(read_line("a --all b --name=x c -t1 -t 2 --tag 3"), 0);
    assert_string_equal(args[0], "a");
    assert_string_equal(args[1], "b");
    assert_string_equal(args[2], "c");
    assert_null(args[3]);
    assert_true(all);
    assert_string_equal(name, "x");
    assert_int_equal(tags.count, 3);
    assert_string_equal(tags.items[2], "3");
    assert_null(tags.items[3]);
}

static void words_after_two_dashes_are_arguments(void **ctx)
{
    (void)ctx;
    assert_int_equal(read_line("--all -- --quick -q"), 0);
    assert_string_equal(args[0], "--quick");
    assert_string_equal(args[1], "-q");
    assert_null(args[2]);
    assert_false(quick);
}

static void letters_can_be_combined(void **ctx)
{
    (void)ctx;
    assert_int_equal(read_line("-aqnx -"), 0);
    assert_true(all && quick);
    assert_string_equal(name, "x");
    assert_string_equal(args[0], "-");
}

static void values_are_checked_by_their_kind(void **ctx)
{
    (void)ctx;
    assert_int_equal(read_line("--limit 0 --ranks 1 --shift -3 --ratio 0.5 "
                               "--patience 250ms --room 64KiB --output csv"),
                     0);
    assert_int_equal(limit, 0);
    assert_int_equal(ranks, 1);
    assert_int_equal(shift, -3);
    assert_true(ratio == 0.5);
    assert_int_equal(patience_ms, 250);
    assert_int_equal(room_bytes, 65536);
    assert_int_equal(output, 2);
    fails_with("--limit -5", "--limit: '-5' is not a whole number of at least 0");
    fails_with("--ranks 0", "--ranks: '0' is not a whole number of at least 1");
    fails_with("--ranks 2x", "--ranks: '2x' is not a whole number of at least 1");
    fails_with("--shift x", "--shift: 'x' is not a whole number");
    fails_with("--ratio 1,5", "--ratio: '1,5' is not a number");
    fails_with("--patience 3y",
               "--patience: '3y' is not a time such as 250ms, 10s, 5m, 2h, 1d");
    fails_with("--room 1k",
               "--room: '1k' is not a size such as 4096, 64KiB, 1MiB, 2GiB");
    fails_with("--output xml", "--output: 'xml' is not one of: text, json, csv");
}

static void an_unknown_option_names_the_nearest_one(void **ctx)
{
    (void)ctx;
    fails_with("--outptu csv", "unknown option --outptu; did you mean --output?");
    fails_with("--outptu=csv", "unknown option --outptu; did you mean --output?");
    fails_with("--somethingelse", "unknown option --somethingelse");
    fails_with("-az", "unknown option -z");
}

static void missing_and_superfluous_values_are_errors(void **ctx)
{
    (void)ctx;
    fails_with("--limit", "--limit needs a value: N");
    fails_with("-l", "-l needs a value: N");
    fails_with("--all=yes", "--all takes no value");
}

static void the_help_is_printed_from_the_table(void **ctx)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)ctx;
    options_print(rows, out);
    fclose(out);
    assert_non_null(strstr(text, "  -a, --all            show all\n"));
    assert_non_null(strstr(text, "      --shift N        move by N\n"));
    assert_non_null(
        strstr(text, "  -o, --output FORM    how to print; one of text, json, csv\n"));
    free(text);
}

static void named_options_are_left_out_with_their_values(void **ctx)
{
    static const char *const names[] = {"spool", "card", NULL};
    char *argv[] = {"worker", "--spool", "a", "--spool=b", "--spool-limit",
                    "1",      "--cards", "2", "-x",        "--card",
                    NULL};
    const char *const expected[] = {"--spool-limit", "1", "--cards", "2", "-x"};
    const char **kept = options_without(argv, names);

    (void)ctx;
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_string_equal(kept[i], expected[i]);
    assert_null(kept[COUNT(expected)]);
    free(kept);
}

static void an_old_name_sets_the_new_option_and_is_not_listed(void **ctx)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)ctx;
    assert_int_equal(read_line("--speedy --most=7"), 0);
    assert_true(quick);
    assert_int_equal(limit, 7);
    assert_int_equal(read_line("--most 8"), 0);
    assert_int_equal(limit, 8);
    fails_with("--spedy", "unknown option --spedy");
    options_print(rows, out);
    fclose(out);
    assert_null(strstr(text, "speedy"));
    free(text);
}

static void an_old_name_warns_with_the_new_one(void **ctx)
{
    char text[200] = "";
    int saved = dup(STDERR_FILENO), ends[2];

    (void)ctx;
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    assert_int_equal(read_line("--speedy"), 0);
    dup2(saved, STDERR_FILENO);
    assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
    assert_non_null(strstr(text, "option renamed: old=--speedy new=--quick"));
    close(ends[0]);
    close(ends[1]);
    close(saved);
}

static void an_empty_line_has_no_arguments(void **ctx)
{
    char *none[] = {NULL};

    (void)ctx;
    assert_int_equal(options_parse(rows, 0, none, &args, &err), 0);
    assert_null(args[0]);
    free(tags.items);
    tags = (struct option_texts){0};
}

static void a_path_is_absolute(void **ctx)
{
    char here[4096], expected[5000];

    (void)ctx;
    assert_non_null(getcwd(here, sizeof(here)));
    snprintf(expected, sizeof(expected), "%s/a/b", here);
    assert_int_equal(read_line("--place a/b"), 0);
    assert_string_equal(place, expected);
    assert_int_equal(read_line("--place /c"), 0);
    assert_string_equal(place, "/c");
}

static void options_are_found_in_all_their_forms(void **ctx)
{
    static const struct {
        const char *name;
        bool is_there;
    } wanted[] = {{"all", true},    {"quick", true},   {"name", true},  {"limit", true},
                  {"tag", true},    {"output", false}, {"shift", true}, {"room", false},
                  {"place", false}, {"unknown", false}};
    char *const line[] = {"muster",     "-aqnfile", "word",    "--shift=3",
                          "--room-not", "-l",       "5",       "-t",
                          "--most",     "--",       "--place", NULL};

    (void)ctx;
    for (size_t i = 0; i < COUNT(wanted); i++)
        assert_int_equal(options_has(rows, line, wanted[i].name), wanted[i].is_there);
    assert_true(
        options_has(rows, (char *[]){"muster", "--speedy", "-t", "x", NULL}, "tag"));
    assert_false(options_has(rows, (char *[]){"muster", NULL}, "all"));
    assert_false(options_has(rows, (char *[]){NULL}, "all"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_found_in_all_their_forms),
        cmocka_unit_test(a_path_is_absolute),
        cmocka_unit_test(options_and_arguments_may_mix),
        cmocka_unit_test(words_after_two_dashes_are_arguments),
        cmocka_unit_test(letters_can_be_combined),
        cmocka_unit_test(values_are_checked_by_their_kind),
        cmocka_unit_test(an_unknown_option_names_the_nearest_one),
        cmocka_unit_test(missing_and_superfluous_values_are_errors),
        cmocka_unit_test(the_help_is_printed_from_the_table),
        cmocka_unit_test(an_old_name_sets_the_new_option_and_is_not_listed),
        cmocka_unit_test(named_options_are_left_out_with_their_values),
        cmocka_unit_test(an_old_name_warns_with_the_new_one),
        cmocka_unit_test(an_empty_line_has_no_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
