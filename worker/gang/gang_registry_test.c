#include "worker/gang/gang_registry.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/reactor.h"
#include "tests/support/unit.h"

enum { WORKERS = 8 };

static struct reactor *reactor;

static struct hand { /* of one worker */
    struct gang_registry *page;
    bool ready;
    char why[80];
} hands[WORKERS];

static int up(void **ctx)
{
    (void)ctx;
    reactor = reactor_create();
    memset(hands, 0, sizeof(hands));
    return 0;
}

static int down(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < WORKERS; i++)
        gang_registry_close(hands[i].page);
    reactor_destroy(reactor);
    return 0;
}

static void on_ready(void *arg, const char *why)
{
    struct hand *hand = arg;

    hand->ready = true;
    snprintf(hand->why, sizeof(hand->why), "%s", why ? why : "");
    for (int i = 0; i < WORKERS; i++)
        if (hands[i].page && !hands[i].ready)
            return;
    reactor_stop(reactor);
}

static void open_hand(int at, const char *secret, uint32_t hosts)
{
    const struct gang_registry_options options = {.secret = secret,
                                                  .hosts = hosts,
                                                  .world = WORKERS * hosts,
                                                  .here = WORKERS,
                                                  .ready = on_ready,
                                                  .arg = &hands[at]};
    struct err err;

    if (gang_registry_open(&hands[at].page, reactor, &options, &err) < 0)
        fail_msg("%s", err.text);
}

static void wait_all(void)
{
    struct err err;

    assert_int_equal(reactor_run(reactor, &err), 0);
}

static ino_t inode(int fd)
{
    struct stat is;

    assert_int_equal(fstat(fd, &is), 0);
    return is.st_ino;
}

/* Of this process: another one may run at the same time. */
static const char *secret(const char *tail)
{
    static char name[64];

    snprintf(name, sizeof(name), "test%d%s", (int)getpid(), tail);
    return name;
}

static void all_workers_of_a_host_get_one_page_and_one_bell(void **ctx)
{
    int owners = 0;

    (void)ctx;
    for (int i = 0; i < WORKERS; i++)
        open_hand(i, secret("a"), 2);
    wait_all();
    for (int i = 0; i < WORKERS; i++) {
        uint64_t rung = 1;

        assert_string_equal(hands[i].why, "");
        owners += gang_registry_is_ours(hands[i].page);
        assert_int_equal(inode(gang_registry_memory(hands[i].page)),
                         inode(gang_registry_memory(hands[0].page)));
        assert_int_equal(write(gang_registry_bell(hands[i].page), &rung, sizeof(rung)),
                         sizeof(rung));
        assert_int_equal(read(gang_registry_bell(hands[0].page), &rung, sizeof(rung)),
                         sizeof(rung));
        assert_true(fcntl(gang_registry_memory(hands[i].page), F_GETFD) & FD_CLOEXEC);
    }
    assert_int_equal(owners, 1);
    assert_true(gang_registry_is_ours(hands[0].page));
}

static void two_gangs_have_two_pages(void **ctx)
{
    (void)ctx;
    open_hand(0, secret("a"), 1);
    open_hand(1, secret("b"), 1);
    wait_all();
    assert_true(gang_registry_is_ours(hands[0].page) &&
                gang_registry_is_ours(hands[1].page));
    assert_int_not_equal(inode(gang_registry_memory(hands[0].page)),
                         inode(gang_registry_memory(hands[1].page)));
    assert_int_equal(gang_registry_bell(hands[0].page), -1); /* all are on this host */
}

static void the_name_goes_with_its_owner(void **ctx)
{
    (void)ctx;
    open_hand(0, secret("a"), 1);
    wait_all();
    gang_registry_close(hands[0].page);
    memset(&hands[0], 0, sizeof(hands[0]));
    open_hand(0, secret("a"), 1);
    wait_all();
    assert_true(gang_registry_is_ours(hands[0].page));
}

static void one_who_is_alone_needs_no_name(void **ctx)
{
    (void)ctx;
    open_hand(0, "", 1);
    open_hand(1, "", 1);
    wait_all();
    assert_true(gang_registry_is_ours(hands[0].page) &&
                gang_registry_is_ours(hands[1].page));
}

static void one_whose_owner_has_gone_makes_the_page(void **ctx)
{
    (void)ctx;
    open_hand(0, secret("a"), 1);
    wait_all();
    open_hand(1, secret("a"), 1);
    assert_false(gang_registry_is_ours(hands[1].page));
    gang_registry_close(hands[0].page); /* before its loop has a turn */
    hands[0].page = NULL;
    wait_all();
    assert_string_equal(hands[1].why, "");
    assert_true(gang_registry_is_ours(hands[1].page));
    assert_true(gang_registry_memory(hands[1].page) >= 0);
}

static int door;

static void on_somebody_before_the_door(void *arg)
{
    (void)arg;
    reactor_off_fd(reactor, door);
    close(door);
}

static void one_whose_owner_goes_while_it_waits_makes_the_page(void **ctx)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
                          "muster-gang-%s", secret("a"));

    (void)ctx;
    door = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(
        bind(door, (struct sockaddr *)&name,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)),
        0);
    assert_int_equal(listen(door, 1), 0);
    reactor_on_fd(reactor, door, on_somebody_before_the_door, NULL);
    open_hand(1, secret("a"), 1);
    wait_all();
    assert_string_equal(hands[1].why, "");
    assert_true(gang_registry_is_ours(hands[1].page));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, up, down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(all_workers_of_a_host_get_one_page_and_one_bell),
        CASE(two_gangs_have_two_pages),
        CASE(the_name_goes_with_its_owner),
        CASE(one_who_is_alone_needs_no_name),
        CASE(one_whose_owner_has_gone_makes_the_page),
        CASE(one_whose_owner_goes_while_it_waits_makes_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
