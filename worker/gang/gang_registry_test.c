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

static struct worker {
    struct gang_registry *registry;
    bool ready;
    char why[80];
} workers[WORKERS];

static int set_up(void **ctx)
{
    (void)ctx;
    reactor = reactor_create();
    memset(workers, 0, sizeof(workers));
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < WORKERS; i++)
        gang_registry_close(workers[i].registry);
    reactor_destroy(reactor);
    return 0;
}

static void on_ready(void *arg, const char *why)
{
    struct worker *worker = arg;

    worker->ready = true;
    snprintf(worker->why, sizeof(worker->why), "%s", why ? why : "");
    for (int i = 0; i < WORKERS; i++)
        if (workers[i].registry && !workers[i].ready)
            return;
    reactor_stop(reactor);
}

static void open_worker(int at, const char *secret, uint32_t hosts)
{
    const struct gang_registry_options options = {.secret = secret,
                                                  .hosts = hosts,
                                                  .world = WORKERS * hosts,
                                                  .here = WORKERS,
                                                  .ready = on_ready,
                                                  .arg = &workers[at]};
    struct err err;

    if (gang_registry_open(&workers[at].registry, reactor, &options, &err) < 0)
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

/* Returns a secret with the process id, since several tests may run at the same time.
 */
static const char *secret(const char *tail)
{
    static char name[64];

    snprintf(name, sizeof(name), "test%d%s", (int)getpid(), tail);
    return name;
}

static void all_workers_of_a_host_share_memory_and_bell(void **ctx)
{
    int owners = 0;

    (void)ctx;
    for (int i = 0; i < WORKERS; i++)
        open_worker(i, secret("a"), 2);
    wait_all();
    for (int i = 0; i < WORKERS; i++) {
        uint64_t rung = 1;

        assert_string_equal(workers[i].why, "");
        owners += gang_registry_is_owner(workers[i].registry);
        assert_int_equal(inode(gang_registry_memory(workers[i].registry)),
                         inode(gang_registry_memory(workers[0].registry)));
        assert_int_equal(
            write(gang_registry_bell(workers[i].registry), &rung, sizeof(rung)),
            sizeof(rung));
        assert_int_equal(
            read(gang_registry_bell(workers[0].registry), &rung, sizeof(rung)),
            sizeof(rung));
        assert_true(fcntl(gang_registry_memory(workers[i].registry), F_GETFD) &
                    FD_CLOEXEC);
    }
    assert_int_equal(owners, 1);
    assert_true(gang_registry_is_owner(workers[0].registry));
}

static void two_gangs_have_two_memories(void **ctx)
{
    (void)ctx;
    open_worker(0, secret("a"), 1);
    open_worker(1, secret("b"), 1);
    wait_all();
    assert_true(gang_registry_is_owner(workers[0].registry) &&
                gang_registry_is_owner(workers[1].registry));
    assert_int_not_equal(inode(gang_registry_memory(workers[0].registry)),
                         inode(gang_registry_memory(workers[1].registry)));
    assert_int_equal(gang_registry_bell(workers[0].registry),
                     -1); /* all are on this host */
}

static void a_name_is_free_after_its_owner_closed_it(void **ctx)
{
    (void)ctx;
    open_worker(0, secret("a"), 1);
    wait_all();
    gang_registry_close(workers[0].registry);
    memset(&workers[0], 0, sizeof(workers[0]));
    open_worker(0, secret("a"), 1);
    wait_all();
    assert_true(gang_registry_is_owner(workers[0].registry));
}

static void a_worker_without_a_secret_binds_no_name(void **ctx)
{
    (void)ctx;
    open_worker(0, "", 1);
    open_worker(1, "", 1);
    wait_all();
    assert_true(gang_registry_is_owner(workers[0].registry) &&
                gang_registry_is_owner(workers[1].registry));
}

static void a_worker_whose_owner_has_ended_creates_the_memory(void **ctx)
{
    (void)ctx;
    open_worker(0, secret("a"), 1);
    wait_all();
    open_worker(1, secret("a"), 1);
    assert_false(gang_registry_is_owner(workers[1].registry));
    gang_registry_close(workers[0].registry); /* before the loop of worker 1 runs */
    workers[0].registry = NULL;
    wait_all();
    assert_string_equal(workers[1].why, "");
    assert_true(gang_registry_is_owner(workers[1].registry));
    assert_true(gang_registry_memory(workers[1].registry) >= 0);
}

static int socket_fd;

static void on_connection(void *arg)
{
    (void)arg;
    reactor_off_fd(reactor, socket_fd);
    close(socket_fd);
}

static void a_worker_whose_owner_ends_before_its_answer_creates_the_memory(void **ctx)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
                          "muster-gang-%s", secret("a"));

    (void)ctx;
    socket_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(
        bind(socket_fd, (struct sockaddr *)&name,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)),
        0);
    assert_int_equal(listen(socket_fd, 1), 0);
    reactor_on_fd(reactor, socket_fd, on_connection, NULL);
    open_worker(1, secret("a"), 1);
    wait_all();
    assert_string_equal(workers[1].why, "");
    assert_true(gang_registry_is_owner(workers[1].registry));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(all_workers_of_a_host_share_memory_and_bell),
        CASE(two_gangs_have_two_memories),
        CASE(a_name_is_free_after_its_owner_closed_it),
        CASE(a_worker_without_a_secret_binds_no_name),
        CASE(a_worker_whose_owner_has_ended_creates_the_memory),
        CASE(a_worker_whose_owner_ends_before_its_answer_creates_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
