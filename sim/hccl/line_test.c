#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/hccl/clock.h"
#include "sim/hccl/links.h"
#include "tests/support/unit.h"

#define WAIT_MS 20000

/* as links.c numbers them */
enum kind { SHARED = 1, ARRIVED, LETTER, TAKEN, FAILED, GOODBYE };

/* Rank 0 on its host, with a line to rank 1 whose other end is the test's. */
struct ground {
    struct seats *seats;
    size_t size;
    int file;
    struct links *links;
    struct line other;
};

static aclError never(void *arg)
{
    (void)arg;
    return 0;
}

static const struct patience patience = {never, NULL};

static void set_up(struct ground *ground)
{
    struct member members[2] = {{getpid(), 0, 0}, {0, 0, 1}};
    int ends[2];

    memset(ground, 0, sizeof(*ground));
    ground->file = seats_create(2, members, 4096);
    assert_true(ground->file >= 0);
    assert_int_equal(seats_open(&ground->seats, &ground->size, ground->file, 0), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(
        links_create(&ground->links, ground->seats, 0, (int[]){-1, ends[0]}), 0);
    line_init(&ground->other, ends[1]);
}

static void tear_down(struct ground *ground)
{
    /* in this order: who says goodbye lingers while the other end has not read all */
    line_clear(&ground->other);
    links_destroy(ground->links);
    munmap(ground->seats, ground->size);
    close(ground->file);
}

static void say(struct ground *ground, struct message message, const void *body)
{
    assert_int_equal(line_send(&ground->other, &message, body, false, &patience), 0);
}

/* Until the group has failed. */
static HcclResult failure(struct ground *ground)
{
    uint64_t deadline = clock_ms() + WAIT_MS;

    while (!seats_failure(ground->seats) && clock_left(deadline) > 0)
        seats_sleep(ground->seats, seats_bell(ground->seats));
    return seats_failure(ground->seats);
}

static void what_is_shared_stands_in_the_memory_before_the_arrival(void **ctx)
{
    size_t place = seats_window_place(1, 1) + 640;
    uint64_t deadline = clock_ms() + WAIT_MS;
    struct ground ground;

    (void)ctx;
    set_up(&ground);
    say(&ground, (struct message){.kind = SHARED, .number = place, .bytes = 6},
        "hello");
    say(&ground, (struct message){.kind = ARRIVED, .number = 1}, NULL);
    while (!__atomic_load_n(&ground.seats->seats[1].arrived, __ATOMIC_SEQ_CST) &&
           clock_left(deadline) > 0)
        seats_sleep(ground.seats, seats_bell(ground.seats));
    assert_int_equal(ground.seats->seats[1].arrived, 1);
    assert_string_equal((char *)ground.seats + place, "hello");
    assert_int_equal(seats_failure(ground.seats), HCCL_SUCCESS);
    tear_down(&ground);
}

static void what_does_not_belong_to_the_rank_is_not_written(void **ctx)
{
    const struct message wrong[] = {
        {.kind = SHARED, .number = 0, .bytes = 8}, /* the head */
        {.kind = SHARED,
         .number = seats_window_place(0, 0),
         .bytes = 8}, /* of rank 0 */
        {.kind = SHARED, .number = seats_window_place(1, 0) - 8, .bytes = 16},
        {.kind = SHARED,
         .number = seats_window_place(1, 1) + SEATS_WINDOW - 4,
         .bytes = 8},
        {.kind = SHARED, .number = seats_statement_place(1, 0), .bytes = UINT64_MAX},
        {.kind = SHARED, .number = UINT64_MAX - 3, .bytes = 8},
        {.kind = LETTER, .number = 1, .bytes = 8}, /* the box has seen none yet */
        {.kind = LETTER, .number = 0, .bytes = SEATS_LETTER + 1},
        {.kind = ARRIVED, .number = 2}, /* one was left out */
        {.kind = ARRIVED, .number = 1, .bytes = 8},
        {.kind = TAKEN}, /* nothing was put */
        {.kind = FAILED, .more = HCCL_SUCCESS},
        {.kind = 99},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct message message = wrong[i];
        unsigned char body[16] = {0}, head[LINE_HEAD];
        struct ground ground;

        set_up(&ground);
        if (message.bytes > sizeof(body)) { /* the head alone is wrong */
            uint64_t words[4] = {message.kind, message.number, message.total,
                                 message.bytes};

            memcpy(head, words, sizeof(head));
            assert_int_equal(write(ground.other.fd, head, sizeof(head)), sizeof(head));
        } else {
            say(&ground, message, body);
        }
        assert_int_equal(failure(&ground), HCCL_E_TCP_TRANSFER);
        assert_int_equal(ground.seats->seats[1].arrived, 0);
        assert_int_equal(seats_mailbox(ground.seats, 1, 0)->put, 0);
        assert_int_equal(ground.seats->ranks, 2);
        tear_down(&ground);
    }
}

static void who_goes_without_a_word_has_died(void **ctx)
{
    struct ground ground;

    (void)ctx;
    set_up(&ground);
    shutdown(ground.other.fd, SHUT_RDWR);
    assert_int_equal(failure(&ground), HCCL_E_REMOTE);
    tear_down(&ground);
}

static void a_failure_is_told_to_the_other_host(void **ctx)
{
    struct ground ground;

    (void)ctx;
    set_up(&ground);
    say(&ground, (struct message){.kind = FAILED, .more = HCCL_E_TIMEOUT}, NULL);
    assert_int_equal(failure(&ground), HCCL_E_TIMEOUT);
    tear_down(&ground);
}

/* The goodbye is read before the end of the line: what comes after it is no loss. */
static void a_goodbye_is_no_failure(void **ctx)
{
    struct ground ground;
    char byte;

    (void)ctx;
    set_up(&ground);
    say(&ground, (struct message){.kind = GOODBYE}, NULL);
    shutdown(ground.other.fd, SHUT_WR);
    links_destroy(ground.links); /* all that had come was read by then, or never */
    ground.links = NULL;
    while (read(ground.other.fd, &byte, 1) > 0)
        ; /* its own goodbye, and then the end */
    assert_int_equal(seats_failure(ground.seats), HCCL_SUCCESS);
    tear_down(&ground);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_shared_stands_in_the_memory_before_the_arrival),
        cmocka_unit_test(what_does_not_belong_to_the_rank_is_not_written),
        cmocka_unit_test(who_goes_without_a_word_has_died),
        cmocka_unit_test(a_failure_is_told_to_the_other_host),
        cmocka_unit_test(a_goodbye_is_no_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
