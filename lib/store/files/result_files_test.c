/* result_files_test.c - files that no row names are found and removed, and no others */
#include "lib/store/files/result_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"
#include "tests/support/unit.h"

struct scene {
    char folder[64], result[96];
    struct store *store;
    char strays[1000];
    struct err err;
};

static void add_file(struct scene *scene, const char *name)
{
    char *path = xasprintf("%s/%s", scene->result, name);
    char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path));

    assert_int_equal(folder_create(folder, &scene->err), 0);
    assert_int_equal(file_write(path, "x", 1, &scene->err), 0);
    free(folder);
    free(path);
}

static bool is_there(const struct scene *scene, const char *name)
{
    char *path = xasprintf("%s/%s", scene->result, name);
    bool there = file_exists(path);

    free(path);
    return there;
}

/* Stores attempt 7 with the outputs "a/one" and "merged/two". */
static int set_up(void **ctx)
{
    struct scene *scene = xcalloc(1, sizeof(*scene));
    struct store_job job = {.name = "j",
                            .yaml = "",
                            .file_name = "",
                            .folder = "",
                            .user = "me",
                            .tasks_total = 1,
                            .points_total = 1};
    struct store_task task = {.state = TASK_DONE, .attempts = 1};
    struct store_attempt attempt = {.run_id = 7,
                                    .attempt = 1,
                                    .ranks = 1,
                                    .state = ATTEMPT_DONE,
                                    .reason = "",
                                    .host = "h"};
    const struct store_rank rank = {.run_id = 7, .host = "h", .status = "done"};

    strcpy(scene->folder, "/tmp/muster-files-XXXXXX");
    assert_non_null(mkdtemp(scene->folder));
    snprintf(scene->result, sizeof(scene->result), "%s/p0/r0", scene->folder);
    assert_int_equal(store_open(&scene->store, scene->folder, STORE_WRITE, &scene->err),
                     0);
    assert_int_equal(store_job_add(scene->store, &job, &scene->err), 0);
    task.job_id = job.job_id;
    assert_int_equal(store_tasks_add(scene->store, &task, 1, &scene->err), 0);
    attempt.task_id = task.task_id;
    assert_int_equal(store_attempt_add(scene->store, &attempt, &scene->err), 0);
    assert_int_equal(store_rank_put(scene->store, &rank, &scene->err), 0);
    assert_int_equal(store_output_add(scene->store, 7, 0, "a/one", &scene->err), 0);
    assert_int_equal(store_output_add(scene->store, 7, 0, "merged/two", &scene->err),
                     0);
    *ctx = scene;
    return 0;
}

static int tear_down(void **ctx)
{
    struct scene *scene = *ctx;

    store_close(scene->store);
    folder_remove(scene->folder, &scene->err);
    free(scene);
    return 0;
}

static int list(const char *path, void *arg, struct err *err)
{
    struct scene *scene = arg;

    (void)err;
    strncat(scene->strays, path + strlen(scene->result) + 1, 100);
    strcat(scene->strays, " ");
    return 0;
}

static void only_files_without_a_row_are_listed(void **ctx)
{
    struct scene *scene = *ctx;

    add_file(scene, "a/one");
    add_file(scene, "a/quarantine.json");
    add_file(scene, "merged/two");
    assert_int_equal(result_files_each_stray(scene->store, 7, scene->result, list,
                                             scene, &scene->err),
                     0);
    assert_string_equal(scene->strays, "");
    add_file(scene, "b/three");
    assert_int_equal(result_files_each_stray(scene->store, 7, scene->result, list,
                                             scene, &scene->err),
                     0);
    assert_string_equal(scene->strays, "b/three ");
}

static int list_in_job(const char *path, void *arg, struct err *err)
{
    struct scene *scene = arg;

    (void)err;
    strncat(scene->strays, path + strlen(scene->folder), 100);
    strcat(scene->strays, " ");
    return 0;
}

static void strays_of_a_job_are_searched_in_the_folders_of_its_ended_tasks(void **ctx)
{
    static const char *const strays[] = {"/p0/r0/b/three ", "/p0/r1/d ", "/p0/e "};
    struct scene *scene = *ctx;
    struct store_task task = {.task_id = 1,
                              .job_id = 1,
                              .state = TASK_PARSING,
                              .attempts = 1,
                              .accepted_run_id = 7};

    add_file(scene, "a/one");
    add_file(scene, "b/three");
    add_file(scene, "../../report.html");
    assert_int_equal(store_task_move(scene->store, &task, &scene->err), 0);
    assert_int_equal(result_files_each_stray_of_job(scene->store, 1, scene->folder,
                                                    list_in_job, scene, &scene->err),
                     0);
    assert_string_equal(scene->strays, "");
    task.state = TASK_DONE;
    assert_int_equal(store_task_move(scene->store, &task, &scene->err), 0);
    add_file(scene, "../r1/d");
    add_file(scene, "../e");
    assert_int_equal(result_files_each_stray_of_job(scene->store, 1, scene->folder,
                                                    list_in_job, scene, &scene->err),
                     0);
    for (size_t i = 0; i < COUNT(strays); i++)
        assert_non_null(strstr(scene->strays, strays[i]));
    assert_int_equal(strlen(scene->strays), strlen("/p0/r0/b/three /p0/r1/d /p0/e "));
}

static void removal_keeps_the_files_with_rows(void **ctx)
{
    struct scene *scene = *ctx;

    add_file(scene, "a/one");
    add_file(scene, "a/four");
    add_file(scene, "b/c/three");
    assert_int_equal(
        result_files_remove_strays(scene->store, 7, scene->result, &scene->err), 0);
    assert_true(is_there(scene, "a/one"));
    assert_false(is_there(scene, "a/four"));
    assert_false(is_there(scene, "b"));
}

static void without_an_attempt_the_whole_folder_is_removed(void **ctx)
{
    struct scene *scene = *ctx;

    add_file(scene, "a/one");
    assert_int_equal(
        result_files_remove_strays(scene->store, 0, scene->result, &scene->err), 0);
    assert_false(file_exists(scene->result));
    assert_int_equal(/* a folder that does not exist has no files */
                     result_files_remove_strays(scene->store, 0, scene->result,
                                                &scene->err),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_files_without_a_row_are_listed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            strays_of_a_job_are_searched_in_the_folders_of_its_ended_tasks, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(removal_keeps_the_files_with_rows, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(without_an_attempt_the_whole_folder_is_removed,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
