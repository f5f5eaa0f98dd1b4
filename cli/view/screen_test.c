#include "cli/view/screen.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static struct screen *screen;

static int set_up(void **ctx)
{
    (void)ctx;
    screen = screen_create("muster");
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    screen_destroy(screen);
    return 0;
}

static void add_job(const char *key, uint64_t done, uint64_t failed)
{
    const struct msg_job_row row = {.job_id = strlen(key),
                                    .job_key = key,
                                    .state = "running",
                                    .user = "me",
                                    .tasks = 100,
                                    .waiting = 90 - done,
                                    .running = 10 - failed,
                                    .done = done,
                                    .failed = failed};
    screen_add_job(screen, &row);
}

static void add_cards(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct msg_worker_row row = {.host = "node",
                                           .card = i,
                                           .model = "Ascend910B2",
                                           .state = i ? "idle" : "leased",
                                           .run_id = !i,
                                           .job_key = i ? "" : "sweep-1",
                                           .point = 7,
                                           .repeat = 2,
                                           .rank = 3,
                                           .silent_ms = 250,
                                           .ranks_ended = i};
        screen_add_card(screen, &row);
    }
}

static void add_event(const char *text)
{
    const struct msg_event_row row = {
        .at_wall_ns = 1000000000ull, .kind = "task.failed", .text = text};

    screen_add_event(screen, &row);
}

static char *drawn(struct screen_shape shape)
{
    struct text out = {0};

    screen_draw(&out, screen, &shape);
    return out.bytes ? text_take(&out) : xstrdup("");
}

static size_t count_lines(const char *text, size_t *widest)
{
    size_t lines = 0, characters = 0;

    *widest = 0;
    for (; *text; text++) {
        characters += ((unsigned char)*text & 0xc0) != 0x80;
        if (*text != '\n')
            continue;
        lines++;
        if (characters - 1 > *widest)
            *widest = characters - 1;
        characters = 0;
    }
    return lines;
}

static void without_a_size_all_lines_are_drawn(void **ctx)
{
    (void)ctx;
    screen_begin(screen, 1000);
    add_job("sweep-1", 40, 0);
    add_cards(2);
    add_event("point 3: exit code 1");
    screen_begin(screen, 3000); /* ten more in two seconds */
    add_job("sweep-1", 50, 1);
    add_cards(2);
    char *text = drawn((struct screen_shape){0});
    size_t widest;

    assert_int_equal(count_lines(text, &widest), 7);
    assert_memory_equal(text, "muster: 2 cards, 1 leased, 1 idle; 1 job; 5.5 tasks/s\n",
                        54);
    assert_non_null(strstr(text, "51 of 100"));
    assert_non_null(strstr(text, "9 s left, 5.5/s\n"));
    assert_non_null(strstr(text, "node:0"));
    assert_non_null(strstr(text, "point 7 repeat 2 rank 3"));
    assert_non_null(strstr(text, "00:00:01  task.failed  point 3: exit code 1\n"));
    free(text);
}

static void the_text_fits_into_every_size(void **ctx)
{
    (void)ctx;
    screen_begin(screen, 0);
    for (size_t i = 0; i < 9; i++)
        add_job("jobjobjobjob" + i, i, 0);
    add_cards(70);
    for (size_t i = 0; i < 40; i++)
        add_event("x");
    for (size_t height = 1; height < 120; height++)
        for (size_t width = 1; width < 200; width += 13) {
            char *text = drawn((struct screen_shape){
                .width = width, .height = height, .skip = height});
            size_t widest, lines = count_lines(text, &widest);

            assert_true(lines <= height && lines > 0);
            assert_true(widest <= width);
            free(text);
        }
}

static void cards_that_do_not_fit_are_counted_and_can_be_scrolled_to(void **ctx)
{
    struct screen_shape shape = {.width = 100, .height = 20};

    (void)ctx;
    screen_begin(screen, 0);
    add_cards(50);
    char *text = drawn(shape);
    assert_non_null(strstr(text, "node:0 "));
    assert_null(strstr(text, "node:49 "));
    assert_non_null(strstr(text, "0 above, "));
    free(text);
    shape.skip = 1000; /* more than the number of cards: shows the last ones */
    text = drawn(shape);
    assert_null(strstr(text, "node:0 "));
    assert_non_null(strstr(text, "node:49 "));
    assert_non_null(strstr(text, " above, 0 below"));
    free(text);
}

static void control_characters_in_names_are_replaced(void **ctx)
{
    const struct msg_worker_row row = {.host = "a\033[2Jb",
                                       .model = "\xc2\x9b"
                                                "1m",
                                       .state = "idle",
                                       .job_key = "\r\n\t"};
    (void)ctx;
    screen_begin(screen, 0);
    screen_add_card(screen, &row);
    add_event("\033]0;title\007");
    char *text = drawn((struct screen_shape){0});
    for (const char *at = text; *at; at++)
        assert_true(*at == '\n' || (unsigned char)*at >= ' ');
    assert_null(strstr(text, "\xc2\x9b"));
    assert_non_null(strstr(text, "a?[2Jb:0"));
    free(text);
}

static void colors_are_drawn_only_on_request(void **ctx)
{
    (void)ctx;
    screen_begin(screen, 0);
    add_cards(1);
    char *plain = drawn((struct screen_shape){0}),
         *colored = drawn((struct screen_shape){.color = true});
    assert_null(strchr(plain, '\033'));
    assert_non_null(strstr(colored, "\033[32mnode:0"));
    free(plain);
    free(colored);
    screen_set_error(screen, "no reply");
    plain = drawn((struct screen_shape){0});
    assert_memory_equal(plain, "muster: no reply\n", 17);
    free(plain);
}

int main(void)
{
    setenv("LC_ALL", "C.UTF-8", 1);

    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_size_all_lines_are_drawn, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_text_fits_into_every_size, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            cards_that_do_not_fit_are_counted_and_can_be_scrolled_to, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(control_characters_in_names_are_replaced,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(colors_are_drawn_only_on_request, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
