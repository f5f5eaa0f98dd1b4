#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/hccl/ranks/clock.h"
#include "sim/hccl/ranks/links.h"
#include "tests/support/unit.h"

#define WAIT_MS 20000

/* same numbers as in links.c */
enum kind { SHARED = 1, ARRIVED, LETTER, TAKEN, FAILED, GOODBYE };

/* Rank 0 with a connection to rank 1; the test holds the other end. */
struct fixture {
    struct rank_memory *memory;
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

static const struct wait_check wait_check = {never, NULL};

static void set_up(struct fixture *fixture)
{
    struct member members[2] = {{getpid(), 0, 0}, {0, 0, 1}};
    int ends[2];

    memset(fixture, 0, sizeof(*fixture));
    fixture->file = rank_memory_create(2, members, 4096);
    assert_true(fixture->file >= 0);
    assert_int_equal(
        rank_memory_open(&fixture->memory, &fixture->size, fixture->file, 0), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(
        links_create(&fixture->links, fixture->memory, 0, (int[]){-1, ends[0]}), 0);
    line_init(&fixture->other, ends[1]);
}

static void tear_down(struct fixture *fixture)
{
    /* close in this order: links_destroy() waits until the other end has read
     * everything */
    line_clear(&fixture->other);
    links_destroy(fixture->links);
    munmap(fixture->memory, fixture->size);
    close(fixture->file);
}

static void send_line(struct fixture *fixture, struct message message, const void *body)
{
    assert_int_equal(line_send(&fixture->other, &message, body, false, &wait_check), 0);
}

/* Waits until the group has failed. */
static HcclResult failure(struct fixture *fixture)
{
    uint64_t deadline = clock_ms() + WAIT_MS;

    while (!rank_memory_failure(fixture->memory) && clock_left(deadline) > 0)
        rank_memory_sleep(fixture->memory, rank_memory_wake_count(fixture->memory));
    return rank_memory_failure(fixture->memory);
}

static void shared_data_is_in_memory_before_the_arrival(void **ctx)
{
    size_t place = rank_memory_window_offset(1, 1) + 640;
    uint64_t deadline = clock_ms() + WAIT_MS;
    struct fixture fixture;

    (void)ctx;
    set_up(&fixture);
    send_line(&fixture, (struct message){.kind = SHARED, .number = place, .bytes = 6},
              "hello");
    send_line(&fixture, (struct message){.kind = ARRIVED, .number = 1}, NULL);
    while (!__atomic_load_n(&fixture.memory->members[1].arrived, __ATOMIC_SEQ_CST) &&
           clock_left(deadline) > 0)
        rank_memory_sleep(fixture.memory, rank_memory_wake_count(fixture.memory));
    assert_int_equal(fixture.memory->members[1].arrived, 1);
    assert_string_equal((char *)fixture.memory + place, "hello");
    assert_int_equal(rank_memory_failure(fixture.memory), HCCL_SUCCESS);
    tear_down(&fixture);
}

static void a_message_cannot_write_outside_the_memory_of_its_rank(void **ctx)
{
    const struct message wrong[] = {
        {.kind = SHARED, .number = 0, .bytes = 8}, /* the head */
        {.kind = SHARED,
         .number = rank_memory_window_offset(0, 0),
         .bytes = 8}, /* belongs to rank 0 */
        {.kind = SHARED, .number = rank_memory_window_offset(1, 0) - 8, .bytes = 16},
        {.kind = SHARED,
         .number = rank_memory_window_offset(1, 1) + RANK_WINDOW_BYTES - 4,
         .bytes = 8},
        {.kind = SHARED,
         .number = rank_memory_statement_offset(1, 0),
         .bytes = UINT64_MAX},
        {.kind = SHARED, .number = UINT64_MAX - 3, .bytes = 8},
        {.kind = LETTER,
         .number = 1,
         .bytes = 8}, /* the first letter must have number 0 */
        {.kind = LETTER, .number = 0, .bytes = LETTER_BYTES + 1},
        {.kind = ARRIVED, .number = 2}, /* phase 1 is missing */
        {.kind = ARRIVED, .number = 1, .bytes = 8},
        {.kind = TAKEN}, /* nothing was put */
        {.kind = FAILED, .more = HCCL_SUCCESS},
        {.kind = 99},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct message message = wrong[i];
        unsigned char body[16] = {0}, head[LINE_HEAD];
        struct fixture fixture;

        set_up(&fixture);
        if (message.bytes > sizeof(body)) { /* the head alone is invalid */
            uint64_t words[4] = {message.kind, message.number, message.total,
                                 message.bytes};

            memcpy(head, words, sizeof(head));
            assert_int_equal(write(fixture.other.fd, head, sizeof(head)), sizeof(head));
        } else {
            send_line(&fixture, message, body);
        }
        assert_int_equal(failure(&fixture), HCCL_E_TCP_TRANSFER);
        assert_int_equal(fixture.memory->members[1].arrived, 0);
        assert_int_equal(rank_memory_mailbox(fixture.memory, 1, 0)->put, 0);
        assert_int_equal(fixture.memory->ranks, 2);
        tear_down(&fixture);
    }
}

static void a_connection_that_ends_without_goodbye_fails_the_group(void **ctx)
{
    struct fixture fixture;

    (void)ctx;
    set_up(&fixture);
    shutdown(fixture.other.fd, SHUT_RDWR);
    assert_int_equal(failure(&fixture), HCCL_E_REMOTE);
    tear_down(&fixture);
}

static void a_failure_is_sent_to_the_other_host(void **ctx)
{
    struct fixture fixture;

    (void)ctx;
    set_up(&fixture);
    send_line(&fixture, (struct message){.kind = FAILED, .more = HCCL_E_TIMEOUT}, NULL);
    assert_int_equal(failure(&fixture), HCCL_E_TIMEOUT);
    tear_down(&fixture);
}

/* The goodbye is read before the end of the connection, so that end is no failure. */
static void a_goodbye_is_no_failure(void **ctx)
{
    struct fixture fixture;
    char byte;

    (void)ctx;
    set_up(&fixture);
    send_line(&fixture, (struct message){.kind = GOODBYE}, NULL);
    shutdown(fixture.other.fd, SHUT_WR);
    links_destroy(fixture.links); /* everything that arrived has been read now */
    fixture.links = NULL;
    while (read(fixture.other.fd, &byte, 1) > 0)
        ; /* reads the library's goodbye, then the end */
    assert_int_equal(rank_memory_failure(fixture.memory), HCCL_SUCCESS);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_data_is_in_memory_before_the_arrival),
        cmocka_unit_test(a_message_cannot_write_outside_the_memory_of_its_rank),
        cmocka_unit_test(a_connection_that_ends_without_goodbye_fails_the_group),
        cmocka_unit_test(a_failure_is_sent_to_the_other_host),
        cmocka_unit_test(a_goodbye_is_no_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
