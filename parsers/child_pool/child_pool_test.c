/* child_pool_test.c - order of outputs, crashes, time limit and errors of the pool */
#include "parsers/child_pool/child_pool.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { ITEMS = 200 };

struct scene {
    struct text received;
    size_t delivered;
    int in_order;
    size_t losses;
    uint32_t lost_step;
    char why[64];
    int give_up; /* do not repeat a lost item */
    int stops_when_killed;
    _Atomic int *ticks; /* in memory that parent and child share */
    int (*run)(size_t index,
               struct child_pool_position *position,
               struct text *output,
               void *arg,
               struct err *err);
};

static void collect_output(size_t index, const char *bytes, size_t size, void *arg)
{
    struct scene *scene = arg;

    scene->in_order += index == scene->delivered++;
    text_add_bytes(&scene->received, bytes, size);
}

static bool
count_loss(size_t index, uint32_t step, const char *why, struct text *output, void *arg)
{
    struct scene *scene = arg;

    scene->losses++;
    scene->lost_step = step;
    snprintf(scene->why, sizeof(scene->why), "%s", why);
    text_printf(output, "[lost %zu]", index);
    return !scene->give_up;
}

static int work(struct scene *scene,
                size_t count,
                size_t parallel,
                uint64_t limit_ms,
                struct err *err)
{
    const struct child_pool_work pool_work = {.count = count,
                                              .parallel = parallel,
                                              .limit_ms = limit_ms,
                                              .stops_when_killed =
                                                  scene->stops_when_killed,
                                              .arg = scene,
                                              .run = scene->run,
                                              .on_output = collect_output,
                                              .on_lost = count_loss};

    return child_pool_run(&pool_work, err);
}

static int write_number(size_t index,
                        struct child_pool_position *position,
                        struct text *output,
                        void *arg,
                        struct err *err)
{
    (void)position, (void)arg, (void)err;
    for (size_t i = 0; i < index % 7 * 5000;
         i++) /* some outputs exceed the size of a pipe */
        text_add_char(output, '.');
    text_printf(output, "%zu,", index);
    return 0;
}

static void outputs_are_delivered_in_the_order_of_the_items(void **ctx)
{
    (void)ctx;
    for (size_t parallel = 1; parallel <= 4; parallel += 3) {
        struct scene scene = {.run = write_number};
        struct text expected = {0};
        struct err err;

        for (size_t i = 0; i < ITEMS; i++)
            write_number(i, NULL, &expected, NULL, NULL);
        assert_int_equal(work(&scene, ITEMS, parallel, 0, &err), 0);
        assert_int_equal(scene.in_order, ITEMS);
        assert_int_equal(scene.losses, 0);
        assert_string_equal(text_get(&scene.received), text_get(&expected));
        text_clear(&scene.received);
        text_clear(&expected);
    }
}

/* Waits until the parent has counted a tick in the shared memory. */
static int wait_for_tick(size_t index,
                         struct child_pool_position *position,
                         struct text *output,
                         void *arg,
                         struct err *err)
{
    struct scene *scene = arg;

    (void)err;
    child_pool_set_step(position, 5);
    while (atomic_load(scene->ticks) == 0)
        sched_yield();
    text_printf(output, "%zu,", index);
    return 0;
}

static void count_tick(size_t index, uint32_t step, uint64_t spent_ms, void *arg)
{
    struct scene *scene = arg;

    (void)spent_ms;
    if (index == 0 && step == 5)
        atomic_fetch_add(scene->ticks, 1);
}

static void items_in_work_are_reported(void **ctx)
{
    struct scene scene = {.run = wait_for_tick};
    struct child_pool_work pool_work = {.count = 1,
                                        .parallel = 1,
                                        .arg = &scene,
                                        .run = wait_for_tick,
                                        .on_output = collect_output,
                                        .on_lost = count_loss,
                                        .on_tick = count_tick,
                                        .tick_ms = 1};
    struct err err;

    (void)ctx;
    scene.ticks = mmap(NULL, sizeof(*scene.ticks), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(scene.ticks != MAP_FAILED);
    assert_int_equal(child_pool_run(&pool_work, &err), 0);
    assert_string_equal(text_get(&scene.received), "0,");
    assert_true(atomic_load(scene.ticks) > 0);
    munmap(scene.ticks, sizeof(*scene.ticks));
    text_clear(&scene.received);
}

/* Item 3 crashes its child until it was lost once. */
static int break_at_three(size_t index,
                          struct child_pool_position *position,
                          struct text *output,
                          void *arg,
                          struct err *err)
{
    const struct scene *scene = arg;

    child_pool_set_step(position, 42);
    if (index == 3 && scene->losses == 0)
        abort();
    return write_number(index, position, output, arg, err);
}

static void a_crash_loses_one_item_which_is_repeated(void **ctx)
{
    struct scene scene = {.run = break_at_three};
    struct err err;
    (void)ctx;
    assert_int_equal(work(&scene, 7, 2, 0, &err), 0);
    assert_int_equal(scene.in_order, 7);
    assert_int_equal(scene.losses, 1);
    assert_int_equal(scene.lost_step, 42);
    assert_string_equal(scene.why, "signal 6");
    assert_non_null(strstr(text_get(&scene.received), "[lost 3]"));
    assert_non_null(strstr(text_get(&scene.received), "3,"));
    text_clear(&scene.received);
}

/* Item 3 kills its child, as the kernel does when memory ran out. */
static int be_killed_at_three(size_t index,
                              struct child_pool_position *position,
                              struct text *output,
                              void *arg,
                              struct err *err)
{
    const struct scene *scene = arg;

    if (index == 3 && scene->losses == 0)
        raise(SIGKILL);
    return write_number(index, position, output, arg, err);
}

static void a_killed_child_stops_all_work_or_loses_its_item(void **ctx)
{
    struct scene stops = {.run = be_killed_at_three, .stops_when_killed = 1};
    struct scene goes_on = {.run = be_killed_at_three};
    struct err err;
    (void)ctx;
    assert_int_equal(work(&stops, 7, 1, 0, &err), -1);
    assert_int_equal(err.code, ERR_NO_RESOURCE);
    assert_non_null(strstr(err.text, "killed by signal 9"));
    assert_int_equal(stops.losses, 0);
    assert_int_equal(work(&goes_on, 7, 1, 0, &err), 0);
    assert_int_equal(goes_on.losses, 1);
    assert_string_equal(goes_on.why, "signal 9");
    text_clear(&stops.received);
    text_clear(&goes_on.received);
}

static int hang_at_one(size_t index,
                       struct child_pool_position *position,
                       struct text *output,
                       void *arg,
                       struct err *err)
{
    while (index == 1)
        pause();
    return write_number(index, position, output, arg, err);
}

static void an_item_that_exceeds_its_time_is_lost(void **ctx)
{
    struct scene scene = {.run = hang_at_one, .give_up = 1};
    struct err err;
    (void)ctx;
    assert_int_equal(work(&scene, 4, 2, 300, &err), 0);
    assert_int_equal(scene.in_order, 4);
    assert_string_equal(scene.why, "time limit exceeded");
    assert_non_null(strstr(text_get(&scene.received), "0,[lost 1]."));
    assert_null(strstr(text_get(&scene.received), "1,"));
    assert_non_null(strstr(text_get(&scene.received), "3,"));
    text_clear(&scene.received);
}

static int fail_at_five(size_t index,
                        struct child_pool_position *position,
                        struct text *output,
                        void *arg,
                        struct err *err)
{
    if (index == 5)
        return err_set(err, ERR_LIMIT, "the disk is full");
    return write_number(index, position, output, arg, err);
}

static void an_error_stops_all_work(void **ctx)
{
    struct scene scene = {.run = fail_at_five};
    struct err err;
    (void)ctx;
    assert_int_equal(work(&scene, ITEMS, 3, 0, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_string_equal(err.text, "the disk is full");
    assert_true(scene.delivered <= 5);
    text_clear(&scene.received);
}

#ifndef __SANITIZE_ADDRESS__ /* its allocator keeps all freed blocks for a while */
enum { BLOCKS = 4, BLOCK_BYTES = 1 << 20 };

/* Writes the number of page faults of the item, which fills some large blocks. */
static int count_page_faults(size_t index,
                             struct child_pool_position *position,
                             struct text *output,
                             void *arg,
                             struct err *err)
{
    char *blocks[BLOCKS];
    struct rusage before, after;

    (void)index, (void)position, (void)arg, (void)err;
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i] = xmalloc(BLOCK_BYTES);
        memset(blocks[i], (int)i, BLOCK_BYTES);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    getrusage(RUSAGE_SELF, &after);
    text_printf(output, "%ld ", after.ru_minflt - before.ru_minflt);
    return 0;
}

static void an_item_uses_the_memory_of_the_item_before_it(void **ctx)
{
    struct scene scene = {.run = count_page_faults};
    struct err err;
    char *second;

    (void)ctx;
    SKIP_UNDER_THREAD_SANITIZER();
    assert_int_equal(work(&scene, 2, 1, 0, &err), 0);
    assert_true(strtol(text_get(&scene.received), &second, 10) > 200);
    assert_in_range(strtol(second, NULL, 10), 0, 20);
    text_clear(&scene.received);
}
#endif

static void without_items_nothing_runs(void **ctx)
{
    struct scene scene = {.run = fail_at_five};
    struct err err;
    (void)ctx;
    assert_int_equal(work(&scene, 0, 3, 0, &err), 0);
    assert_int_equal(scene.delivered, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_delivered_in_the_order_of_the_items),
        cmocka_unit_test(items_in_work_are_reported),
        cmocka_unit_test(a_crash_loses_one_item_which_is_repeated),
        cmocka_unit_test(a_killed_child_stops_all_work_or_loses_its_item),
        cmocka_unit_test(an_item_that_exceeds_its_time_is_lost),
        cmocka_unit_test(an_error_stops_all_work),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(an_item_uses_the_memory_of_the_item_before_it),
#endif
        cmocka_unit_test(without_items_nothing_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
