/* samples_test.c - every bad file gets exactly the errors that stand beside it, every
 * good one none */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "tests/support/unit.h"

static char *read_beside(const char *path)
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

/* Each line that is told begins as the expected one does, and none is left over. */
static void compare(const char *path, const char *told, const char *expected)
{
    while (*expected || *told) {
        size_t wanted = strcspn(expected, "\n"), got = strcspn(told, "\n");

        if (wanted == 0 || got < wanted || memcmp(told, expected, wanted) != 0)
            fail_msg("%s: told '%.*s', expected '%.*s'", path, (int)got, told,
                     (int)wanted, expected);
        expected += wanted + (expected[wanted] == '\n');
        told += got + (told[got] == '\n');
    }
}

static void check_bad(const char *path)
{
    static struct problems problems;
    struct job *job = NULL;
    struct err err;
    struct text told = {0}, bare = {0};
    char *expected = read_beside(path);

    if (job_parse_file(&job, path, &problems, &err) == 0)
        fail_msg("%s is accepted", path);
    assert_null(job);
    problems_print(&problems, "x", &told);
    for (const char *line = text_get(&told); *line; line = strchr(line, '\n') + 1) {
        text_add_bytes(&bare, line + 2, strcspn(line, "\n") - 2);
        text_add_char(&bare, '\n');
    }
    compare(path, text_get(&bare), expected);
    text_clear(&told);
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

static void every_bad_file_is_told_whole(void **ctx)
{
    (void)ctx;
    assert_true(check_all("samples/bad/*.yaml", check_bad) >= 30);
}

static void every_good_file_is_good(void **ctx)
{
    (void)ctx;
    assert_true(check_all("samples/good/*.yaml", check_good) >= 3);
    assert_true(check_all("../../configs/examples/*.yaml", check_good) >= 1);
}

/* No prefix of a job file, and no change of a single byte, breaks the reader. */
static void damaged_files_are_told_and_no_more(void **ctx)
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
        cmocka_unit_test(every_bad_file_is_told_whole),
        cmocka_unit_test(every_good_file_is_good),
        cmocka_unit_test(damaged_files_are_told_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
