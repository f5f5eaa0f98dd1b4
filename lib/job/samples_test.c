/* samples_test.c - every bad sample gives exactly the problems of its .expected file;
 * every good one gives none */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "tests/support/unit.h"

static char *read_expected(const char *path)
{
    char *expected = xasprintf("%.*s.expected", (int)(strlen(path) - 5), path);
    char *bytes;
    size_t size;
    struct err err;

    if (file_read(&bytes, &size, expected, JOB_FILE_MAX, &err) < 0)
        fail_msg("%s", err.text);
    free(expected);
    return bytes;
}

/* Requires that each printed line starts with the expected one, and that both texts
 * have the same number of lines. */
static void compare(const char *path, const char *printed, const char *expected)
{
    while (*expected || *printed) {
        size_t expected_length = strcspn(expected, "\n");
        size_t length = strcspn(printed, "\n");

        if (expected_length == 0 || length < expected_length ||
            memcmp(printed, expected, expected_length) != 0)
            fail_msg("%s: printed '%.*s', expected '%.*s'", path, (int)length, printed,
                     (int)expected_length, expected);
        expected += expected_length + (expected[expected_length] == '\n');
        printed += length + (printed[length] == '\n');
    }
}

static void check_bad(const char *path)
{
    static struct problems problems;
    struct job *job = NULL;
    struct err err;
    struct text printed = {0}, bare = {0};
    char *expected = read_expected(path);

    if (job_parse_file(&job, path, &problems, &err) == 0)
        fail_msg("%s has no problem", path);
    assert_null(job);
    problems_print(&problems, "x", &printed);
    for (const char *line = text_get(&printed); *line; line = strchr(line, '\n') + 1) {
        text_add_bytes(&bare, line + 2, strcspn(line, "\n") - 2);
        text_add_char(&bare, '\n');
    }
    compare(path, text_get(&bare), expected);
    text_clear(&printed);
    text_clear(&bare);
    problems_clear(&problems);
    free(expected);
}

static void check_good(const char *path)
{
    static struct problems problems;
    struct job *job;
    struct err err;

    if (job_parse_file(&job, path, &problems, &err) < 0)
        fail_msg("%s: %s: %s", path, err.text,
                 problems.count ? problems.items[0].text : "");
    job_destroy(job);
}

static size_t check_all(const char *pattern, void (*check)(const char *path))
{
    glob_t found;

    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    size_t count = found.gl_pathc;
    for (size_t i = 0; i < count; i++)
        check(found.gl_pathv[i]);
    globfree(&found);
    return count;
}

static void every_bad_sample_gives_all_expected_problems(void **ctx)
{
    (void)ctx;
    assert_true(check_all("samples/bad/*.yaml", check_bad) >= 30);
}

static void every_good_sample_has_no_problem(void **ctx)
{
    (void)ctx;
    assert_true(check_all("samples/good/*.yaml", check_good) >= 3);
    assert_true(check_all("../../configs/examples/*.yaml", check_good) >= 1);
}

/* Reads every prefix of a job file, and the file with each single byte replaced. */
static void a_damaged_file_gives_problems_or_a_job(void **ctx)
{
    static struct problems problems;
    char *text;
    size_t size;
    struct err err;

    (void)ctx;
    assert_int_equal(
        file_read(&text, &size, "samples/good/full.yaml", JOB_FILE_MAX, &err), 0);
    for (size_t i = 0; i < 2 * size; i++) {
        struct job *job = NULL;
        char kept = text[i % size];

        if (i >= size)
            text[i % size] = "{[\"'$!&#:-\n"[i % 11];
        if (job_parse(&job, text, i < size ? i : size, &problems) < 0)
            assert_true(problems.count > 0);
        text[i % size] = kept;
        problems_clear(&problems);
        job_destroy(job);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_sample_gives_all_expected_problems),
        cmocka_unit_test(every_good_sample_has_no_problem),
        cmocka_unit_test(a_damaged_file_gives_problems_or_a_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
