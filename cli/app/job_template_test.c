/* job_template_test.c - the text of generated job files */
#include "cli/app/job_template.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "tests/support/unit.h"

/* Reads the generated file. The caller destroys the job. */
static struct job *parse(const struct job_template *template)
{
    char *yaml = job_template_write(template);
    struct problems problems = {0};
    struct job *job = NULL;

    if (job_parse(&job, yaml, strlen(yaml), &problems) < 0)
        fail_msg("%s: %s\n%s", problems.items[0].key, problems.items[0].text, yaml);
    problems_clear(&problems);
    free(yaml);
    return job;
}

static void a_program_has_a_short_file(void **ctx)
{
    char *words[] = {"./my app.sh", "a \"b\"", "${x}", NULL};
    const struct job_template template = {
        .words = words, .folder = "/data", .ranks = 2, .metrics = "Roofline"};
    char *yaml = job_template_write(&template);

    (void)ctx;
    assert_string_equal(yaml,
                        "version: 1\nname: my_app\n"
                        "operator:\n"
                        "  command: [\"./my app.sh\", \"a \\\"b\\\"\", \"$${x}\"]\n"
                        "  cwd: \"/data\"\n"
                        "  ranks: 2\n"
                        "profile:\n"
                        "  metrics: [Roofline]\n");
    free(yaml);
}

static void the_program_gets_its_words_unchanged(void **ctx)
{
    char *words[] = {"/bin/sh", "-c", "echo ${x} $${y} \"'\\ #{", NULL};
    const struct job_template template = {.words = words, .folder = "."};
    struct job *job = parse(&template);
    struct job_points *points = job_points_create(job);
    struct job_point point;

    (void)ctx;
    assert_int_equal(job_point_count(job), 1);
    assert_true(job_points_next(points, &point));
    assert_int_equal(point.command.count, 3);
    assert_string_equal(point.command.items[2], words[2]);
    job_points_destroy(points);
    job_destroy(job);
}

static void each_name_in_the_words_is_an_axis(void **ctx)
{
    char *program[] = {"./app", "${m}x${n}", "--again=${m}", NULL};
    const struct {
        struct job_template template;
        size_t variables;
        uint64_t points;
        const char *name;
    } cases[] = {
        {{.words = program, .folder = ".", .commented = true}, 2, 4, "app"},
        {{.folder = ".", .commented = true}, 1, 2, "add_custom"},
        {{.kernel = "k/mul.o", .folder = ".", .commented = true}, 1, 2, "mul"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct job *job = parse(&cases[i].template);

        assert_int_equal(job_variable_count(job), cases[i].variables);
        assert_int_equal(job_point_count(job), cases[i].points);
        assert_int_equal(job_task_count(job), cases[i].points * 3);
        assert_string_equal(job_settings(job)->name, cases[i].name);
        job_destroy(job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_has_a_short_file),
        cmocka_unit_test(the_program_gets_its_words_unchanged),
        cmocka_unit_test(each_name_in_the_words_is_an_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
