#include "parsers/run/child_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { PIECES = 200 };

struct scene {
    struct text heard;
    size_t handed;
    int in_order;
    size_t losses;
    uint32_t lost_step;
    char why[64];
    int give_up; /* what is lost is not tried again */
    int (*run)(size_t index,
               struct child_pool_place *place,
               struct text *said,
               void *arg,
               struct err *err);
};

static void hear(size_t index, const char *bytes, size_t size, void *arg)
{
    struct scene *scene = arg;

    scene->in_order += index == scene->handed++;
    text_add_bytes(&scene->heard, bytes, size);
}

static bool
lose(size_t index, uint32_t step, const char *why, struct text *last, void *arg)
{
    struct scene *scene = arg;

    scene->losses++;
    scene->lost_step = step;
    snprintf(scene->why, sizeof(scene->why), "%s", why);
    text_printf(last, "[lost %zu]", index);
    return !scene->give_up;
}

static int work(struct scene *scene,
                size_t count,
                size_t parallel,
                uint64_t limit_ms,
                struct err *err)
{
    const struct child_pool_work crew = {.count = count,
                                         .parallel = parallel,
                                         .limit_ms = limit_ms,
                                         .arg = scene,
                                         .run = scene->run,
                                         .said = hear,
                                         .lost = lose};

    return child_pool_run(&crew, err);
}

static int say_number(size_t index,
                      struct child_pool_place *place,
                      struct text *said,
                      void *arg,
                      struct err *err)
{
    (void)place, (void)arg, (void)err;
    for (size_t i = 0; i < index % 7 * 5000; i++) /* some say more than a pipe holds */
        text_add_char(said, '.');
    text_printf(said, "%zu,", index);
    return 0;
}

static void pieces_are_heard_in_their_order(void **ctx)
{
    (void)ctx;
    for (size_t parallel = 1; parallel <= 4; parallel += 3) {
        struct scene scene = {.run = say_number};
        struct text expected = {0};
        struct err err;

        for (size_t i = 0; i < PIECES; i++)
            say_number(i, NULL, &expected, NULL, NULL);
        assert_int_equal(work(&scene, PIECES, parallel, 0, &err), 0);
        assert_int_equal(scene.in_order, PIECES);
        assert_int_equal(scene.losses, 0);
        assert_string_equal(text_get(&scene.heard), text_get(&expected));
        text_clear(&scene.heard);
        text_clear(&expected);
    }
}

/* Piece 3 breaks its child until it was lost once. */
static int break_at_three(size_t index,
                          struct child_pool_place *place,
                          struct text *said,
                          void *arg,
                          struct err *err)
{
    const struct scene *scene = arg;

    child_pool_at(place, 42);
    if (index == 3 && scene->losses == 0)
        abort();
    return say_number(index, place, said, arg, err);
}

static void a_crash_costs_its_piece_which_is_tried_again(void **ctx)
{
    struct scene scene = {.run = break_at_three};
    struct err err;
    (void)ctx;
    assert_int_equal(work(&scene, 7, 2, 0, &err), 0);
    assert_int_equal(scene.in_order, 7);
    assert_int_equal(scene.losses, 1);
    assert_int_equal(scene.lost_step, 42);
    assert_string_equal(scene.why, "signal 6");
    assert_non_null(strstr(text_get(&scene.heard), "[lost 3]"));
    assert_non_null(strstr(text_get(&scene.heard), "3,"));
    text_clear(&scene.heard);
}

static int hang_at_one(size_t index,
                       struct child_pool_place *place,
                       struct text *said,
                       void *arg,
                       struct err *err)
{
    while (index == 1)
        pause();
    return say_number(index, place, said, arg, err);
}

static void what_takes_too_long_is_given_up(void **ctx)
{
    struct scene scene = {.run = hang_at_one, .give_up = 1};
    struct err err;
    (void)ctx;
    assert_int_equal(work(&scene, 4, 2, 300, &err), 0);
    assert_int_equal(scene.in_order, 4);
    assert_string_equal(scene.why, "out of time");
    assert_non_null(strstr(text_get(&scene.heard), "0,[lost 1]."));
    assert_null(strstr(text_get(&scene.heard), "1,"));
    assert_non_null(strstr(text_get(&scene.heard), "3,"));
    text_clear(&scene.heard);
}

static int fail_at_five(size_t index,
                        struct child_pool_place *place,
                        struct text *said,
                        void *arg,
                        struct err *err)
{
    if (index == 5)
        return err_set(err, ERR_LIMIT, "the disk is full");
    return say_number(index, place, said, arg, err);
}

static void an_error_ends_the_whole_work(void **ctx)
{
    struct scene scene = {.run = fail_at_five};
    struct err err;
    (void)ctx;
    assert_int_equal(work(&scene, PIECES, 3, 0, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_string_equal(err.text, "the disk is full");
    assert_true(scene.handed <= 5);
    text_clear(&scene.heard);
}

static void no_pieces_are_no_work(void **ctx)
{
    struct scene scene = {.run = fail_at_five};
    struct err err;
    (void)ctx;
    assert_int_equal(work(&scene, 0, 3, 0, &err), 0);
    assert_int_equal(scene.handed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_heard_in_their_order),
        cmocka_unit_test(a_crash_costs_its_piece_which_is_tried_again),
        cmocka_unit_test(what_takes_too_long_is_given_up),
        cmocka_unit_test(an_error_ends_the_whole_work),
        cmocka_unit_test(no_pieces_are_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
