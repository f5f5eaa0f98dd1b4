/* job_files_test.c - tests how included files are merged, and that each problem names
 * its file */
#include "lib/job/job_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/muster-files-XXXXXX";
static struct problems problems;
static struct err err;

static char *path_of(const char *name)
{
    return xasprintf("%s/%s", folder, name);
}

static void put(const char *name, const char *text)
{
    char *path = path_of(name);

    assert_int_equal(file_write(path, text, strlen(text), &err), 0);
    free(path);
}

static int create_folder(void **ctx)
{
    struct err none;
    char *below;

    (void)ctx;
    assert_non_null(mkdtemp(folder));
    below = path_of("below");
    assert_int_equal(folder_create(below, &none), 0);
    free(below);
    return 0;
}

static int remove_folder(void **ctx)
{
    (void)ctx;
    return folder_remove(folder, &err);
}

/* Compares the problems of a.yaml, after the path of the folder is removed. */
static void problems_are(const char *expected)
{
    struct job *job = NULL;
    char *path = path_of("a.yaml"), *short_text;
    struct text printed = {0}, bare = {0};
    size_t skip = strlen(folder) + 1;

    assert_int_equal(job_parse_file(&job, path, &problems, &err), -1);
    problems_print(&problems, "job", &printed);
    for (const char *at = text_get(&printed); *at;)
        if (strncmp(at, folder, skip - 1) == 0)
            at += skip;
        else
            text_add_char(&bare, *at++);
    short_text = text_take(&bare);
    assert_string_equal(short_text, expected);
    free(short_text);
    text_clear(&printed);
    problems_clear(&problems);
    free(path);
}

static struct job *read(char **whole)
{
    struct job *job;
    char *path = path_of("a.yaml");

    if (job_read_file(&job, whole, path, &problems, &err) < 0)
        fail_msg("%s: %s", err.text, problems.count ? problems.items[0].text : "");
    free(path);
    return job;
}

static const char *print_points(struct text *out, const struct job *job)
{
    struct job_points *points = job_points_create(job);
    struct job_point point;

    text_reset(out);
    while (job_points_next(points, &point)) {
        text_printf(out, "%s:", point.text);
        for (size_t i = 0; i < point.command.count; i++)
            text_printf(out, " [%s]", point.command.items[i]);
        for (size_t i = 0; i < point.env.count; i++)
            text_printf(out, " %s", point.env.items[i]);
        text_printf(out, " %d s\n", (int)(point.settings->time_ms / 1000));
    }
    job_points_destroy(points);
    return text_get(out);
}

static void maps_are_merged_and_the_file_itself_has_precedence(void **ctx)
{
    struct text printed = {0}, again = {0};
    char *whole;
    struct job *job, *from_whole;

    (void)ctx;
    put("below/cards.yaml", "limits: {time: 1m, retries: 7}\n"
                            "operator: {env: {A: cards, B: cards, C: cards}}\n");
    put("below/base.yaml", "include: [cards.yaml]\nversion: 1\n"
                           "operator:\n  command: [op, \"${m}\", \"a \\\"b\\\" \\t\"]\n"
                           "  env: {B: base}\nsweep: {matrix: {m: [1, 2], n: [x]}}\n");
    put("other.yaml", "limits: {time: 2m}\n");
    put("a.yaml", "include: [below/base.yaml, other.yaml]\nname: t\n"
                  "operator: {env: {C: own, D: ''}}\n"
                  "sweep: {matrix: {n: [y]}}\n");
    job = read(&whole);
    assert_string_equal(
        print_points(&printed, job),
        "m=1 n=y: [op] [1] [a \"b\" \t] A=cards B=base C=own D= 120 s\n"
        "m=2 n=y: [op] [2] [a \"b\" \t] A=cards B=base C=own D= 120 s\n");
    assert_int_equal(job_settings(job)->retries, 7);
    /* the merged text gives the same points and includes no file */
    assert_int_equal(job_parse(&from_whole, whole, strlen(whole), &problems), 0);
    assert_string_equal(print_points(&again, from_whole), text_get(&printed));
    assert_int_equal(job_settings(from_whole)->retries, 7);
    job_destroy(job);
    job_destroy(from_whole);
    text_clear(&printed);
    text_clear(&again);
    free(whole);
}

static void a_file_without_includes_is_submitted_unchanged(void **ctx)
{
    static const char text[] =
        "# mine\nversion: 1\nname: t\noperator: {command: [op]} # so\n";
    char *whole;

    (void)ctx;
    put("a.yaml", text);
    job_destroy(read(&whole));
    assert_string_equal(whole, text);
    free(whole);
}

static void each_problem_names_its_file(void **ctx)
{
    (void)ctx;
    put("b.yaml", "operator:\n  comand: [op]\nlimits: {time: never}\n");
    put("a.yaml", "version: 1\nname: t\ninclude:\n  - b.yaml\nsweap: 1\n");
    problems_are("job:5:1: sweap: unknown key 'sweap'; did you mean 'sweep'?\n"
                 "b.yaml:2:3: operator.comand: unknown key 'comand'; did you "
                 "mean 'command'?\n"
                 "b.yaml:2:3: operator: the operator has no program; add one of "
                 "command, kernel and library\n"
                 "b.yaml:3:16: limits.time: expected a time from 1ms to 30d, such as "
                 "30s, 5m or 2h, found 'never'\n");
    put("c.yaml", "a: [\n");
    put("a.yaml", "version: 1\ninclude: [c.yaml, none.yaml, [x], '']\n");
    problems_are("job:2:19: include: none.yaml: No such file or directory\n"
                 "job:2:30: include: expected the path of a file\n"
                 "job:2:35: include: expected the path of a file\n"
                 "c.yaml:2:1: did not find expected node content, while parsing a "
                 "flow node that starts in line 2\n");
    put("a.yaml", "include: b.yaml\n");
    problems_are(
        "job:1:10: include: expected a list of files, such as [common.yaml]\n");
}

static void a_file_cannot_include_itself_or_nest_without_limit(void **ctx)
{
    char name[16], text[40];

    (void)ctx;
    put("a.yaml", "include: [b.yaml]\n");
    put("b.yaml", "include: [a.yaml]\n");
    problems_are("b.yaml:1:11: include: the file includes itself; remove this entry\n");
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof(name), i ? "f%d.yaml" : "a.yaml", i);
        snprintf(text, sizeof(text), "include: [f%d.yaml]\n", i + 1);
        put(name, text);
    }
    problems_are("f8.yaml:1:11: include: the includes are nested too deeply; at most 8 "
                 "levels are allowed\n");
}

static void the_error_has_the_number_of_problems(void **ctx)
{
    static const struct {
        const char *text, *end;
    } cases[] = {{"version: 1\nname: t\n", ": 1 problem"},
                 {"version: 1\n", ": 2 problems"}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct job *job;
        char *path = path_of("a.yaml"), *text;

        put("a.yaml", cases[i].text);
        assert_int_equal(job_parse_file(&job, path, &problems, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        text = xasprintf("%s%s", path, cases[i].end);
        assert_string_equal(err.text, text);
        problems_clear(&problems);
        free(text);
        free(path);
    }
}

/* The submitted text has the names themselves, because the coordinator cannot read the
 * file. */
static void the_names_of_marks_replace_their_file(void **ctx)
{
    static const char names[] =
        "{\"mc2_trace_config\": {\"descid_display\": {\"65541\": \"gather\"}}}\n";
    struct job *job, *from_whole;
    char *whole;

    (void)ctx;
    put("below/marks.json", names);
    put("a.yaml", "version: 1\nname: t\noperator: {command: [op]}\n"
                  "profile: {warmup: 3, custom_input: below/marks.json}\n");
    job = read(&whole);
    assert_string_equal(job_settings(job)->custom_input, names);
    assert_int_equal(job_settings(job)->warmup, 3);
    assert_int_equal(job_parse(&from_whole, whole, strlen(whole), &problems), 0);
    assert_string_equal(job_settings(from_whole)->custom_input, names);
    assert_int_equal(job_settings(from_whole)->warmup, 3);
    job_destroy(job);
    job_destroy(from_whole);
    free(whole);
    put("a.yaml", "version: 1\nprofile:\n  custom_input: [x]\n");
    problems_are("job:3:17: profile.custom_input: expected the path of a JSON file\n");
    put("a.yaml", "version: 1\nprofile:\n  custom_input: ''\n");
    problems_are("job:3:17: profile.custom_input: expected the path of a JSON file\n");
    put("a.yaml", "version: 1\nprofile:\n  custom_input: none.json\n");
    problems_are(
        "job:3:17: profile.custom_input: none.json: No such file or directory\n");
    put("below/marks.json", "{\"mc2\": {}}\n");
    put("a.yaml", "version: 1\nprofile:\n  custom_input: below/marks.json\n");
    problems_are("job:3:17: profile.custom_input: below/marks.json:1:1: must be "
                 "{\"mc2_trace_config\": {...}} and nothing else\n");
}

static void at_most_64_files_are_included(void **ctx)
{
    struct text list = {0};

    (void)ctx;
    put("b.yaml", "version: 1\n");
    for (int more = 0; more < 2; more++) {
        text_reset(&list);
        text_add(&list, "version: 1\nname: t\noperator: {command: [op]}\ninclude:\n");
        for (int i = 0; i < 64 + more; i++)
            text_add(&list, "- b.yaml\n");
        put("a.yaml", text_get(&list));
        if (more) {
            problems_are("job:69:3: include: too many files are included; at most 64 "
                         "are allowed\n");
        } else {
            char *whole;

            job_destroy(read(&whole));
            free(whole);
        }
    }
    put("a.yaml", "version: 1\nname: t\noperator: {command: [op]}\n"
                  "include: [below, /dev/null]\n");
    problems_are("job:4:11: include: not a regular file; include a job file\n"
                 "job:4:18: include: not a regular file; include a job file\n");
    text_clear(&list);
}

/* A text from the network cannot name files on the host of the coordinator. */
static void a_submitted_text_cannot_include_files(void **ctx)
{
    static const char text[] =
        "version: 1\nname: t\noperator: {command: [op]}\ninclude: [/etc/passwd]\n";
    struct job *job;

    (void)ctx;
    assert_int_equal(job_parse(&job, text, strlen(text), &problems), -1);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].line, 4);
    problems_clear(&problems);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_merged_and_the_file_itself_has_precedence),
        cmocka_unit_test(a_file_without_includes_is_submitted_unchanged),
        cmocka_unit_test(each_problem_names_its_file),
        cmocka_unit_test(a_file_cannot_include_itself_or_nest_without_limit),
        cmocka_unit_test(the_error_has_the_number_of_problems),
        cmocka_unit_test(the_names_of_marks_replace_their_file),
        cmocka_unit_test(at_most_64_files_are_included),
        cmocka_unit_test(a_submitted_text_cannot_include_files),
    };
    return cmocka_run_group_tests(tests, create_folder, remove_folder);
}
