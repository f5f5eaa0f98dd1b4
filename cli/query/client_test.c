#include "cli/query/client.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { PATIENCE_MS = 10000, ANSWERED = 100 };

/* Sends a request from a child process, because ZeroMQ must not be used after fork() in
 * the parent's context. Its exit code is the code of the error. */
static pid_t start_client(const char *endpoint)
{
    const struct client_options where = {.endpoint = endpoint};
    const struct msg_retry request = {.job_id = 7};
    const union any_message *reply;
    struct client *client = NULL;
    struct err err;
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    if (client_open(&client, &where, &err) < 0 ||
        client_request(client, MSG_RETRY, &request, MSG_OK, &reply, &err) < 0)
        _exit((int)err.code);
    _exit(ANSWERED);
}

static void a_request_fails_when_the_coordinator_disconnects(void **ctx)
{
    char folder[] = "/tmp/muster-client-XXXXXX";
    struct link_hub *hub = link_hub_create();
    struct link *server;
    struct incoming in;
    struct err err;
    int status;

    (void)ctx;
    assert_non_null(mkdtemp(folder));
    char *endpoint = xasprintf("ipc://%s/control", folder);
    pid_t client = start_client(endpoint);
    const struct link_options here = {.endpoint = endpoint};

    assert_int_equal(link_server_open(&server, hub, &here, &err), 0);
    assert_int_equal(link_wait_receive(server, &in, PATIENCE_MS, &err), 0);
    assert_int_equal(in.kind->type, MSG_RETRY);
    link_close(server);
    link_hub_destroy(hub);
    assert_int_equal(waitpid(client, &status, 0), client);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), ERR_UNREACHABLE);
    assert_int_equal(folder_remove(folder, &err), 0);
    free(endpoint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_fails_when_the_coordinator_disconnects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
