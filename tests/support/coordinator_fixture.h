/* coordinator_fixture.h - a ledger on a store in a temporary folder, for tests that
 * need no sockets */
#ifndef TESTS_SUPPORT_COORDINATOR_FIXTURE_H
#define TESTS_SUPPORT_COORDINATOR_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/fleet/workers.h"
#include "coordinator/ledger/ledger.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"
#include "lib/wire/messages.h"
#include "tests/support/unit.h"

struct fixture {
    char folder[64];
    struct store *store;
    struct ledger *ledger;
};

static inline int fixture_set_up(void **ctx)
{
    struct fixture *fixture = xcalloc(1, sizeof(*fixture));
    struct err err;

    strcpy(fixture->folder, "/tmp/muster-ledger-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    assert_int_equal(store_open(&fixture->store, fixture->folder, STORE_WRITE, &err),
                     0);
    assert_int_equal(ledger_open(&fixture->ledger, fixture->store, fixture->folder,
                                 fixture->folder, 0, &err),
                     0);
    *ctx = fixture;
    return 0;
}

static inline int fixture_tear_down(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct err err;

    ledger_close(fixture->ledger);
    store_close(fixture->store);
    folder_remove(fixture->folder, &err);
    free(fixture);
    return 0;
}

/* Submits a job of `tasks` tasks for any card, with one retry. `metrics`: "" or a list
 * of metrics. */
static inline struct ledger_job *
fixture_submit(struct fixture *fixture, unsigned tasks, const char *metrics)
{
    char yaml[400], *problems = NULL;
    const struct msg_submit submit = {yaml, "job.yaml", fixture->folder, "me", ""};
    struct ledger_job *job;
    struct err err;

    snprintf(yaml, sizeof(yaml),
             "version: 1\nname: ground\noperator: {command: [bin/true]}\n"
             "sweep: {repeat: %u}\nprofile: {metrics: [%s]}\n"
             "limits: {retries: 1, on: [worker-lost]}\n",
             tasks, metrics);
    if (ledger_submit(&job, fixture->ledger, &submit, &problems, &err) < 0)
        fail_msg("%s: %s", err.text, problems ? problems : "");
    return job;
}

static inline struct peer fixture_peer(uint8_t number)
{
    return (struct peer){.size = 1, .bytes = {number}};
}

static inline struct msg_worker_hello fixture_hello(uint64_t card)
{
    return (struct msg_worker_hello){.protocol = MSG_PROTOCOL,
                                     .host = "here",
                                     .version = "0",
                                     .pid = 1000 + card,
                                     .card = card,
                                     .model = "Ascend910B2",
                                     .serial = "S"};
}

#endif
