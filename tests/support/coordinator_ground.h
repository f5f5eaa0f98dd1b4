/* coordinator_ground.h - a ledger on a store of its own, for the tests that need no
 * sockets */
#ifndef TESTS_SUPPORT_COORDINATOR_GROUND_H
#define TESTS_SUPPORT_COORDINATOR_GROUND_H

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

struct ground {
    char folder[64];
    struct store *store;
    struct ledger *ledger;
};

static inline int ground_up(void **ctx)
{
    struct ground *ground = xcalloc(1, sizeof(*ground));
    struct err err;

    strcpy(ground->folder, "/tmp/muster-ledger-XXXXXX");
    assert_non_null(mkdtemp(ground->folder));
    assert_int_equal(store_open(&ground->store, ground->folder, STORE_WRITE, &err), 0);
    assert_int_equal(ledger_open(&ground->ledger, ground->store, ground->folder,
                                 ground->folder, 0, &err),
                     0);
    *ctx = ground;
    return 0;
}

static inline int ground_down(void **ctx)
{
    struct ground *ground = *ctx;
    struct err err;

    ledger_close(ground->ledger);
    store_close(ground->store);
    folder_remove(ground->folder, &err);
    free(ground);
    return 0;
}

/* A job of so many tasks for any card, measured or not, with one retry. */
static inline struct ledger_job *
ground_submit(struct ground *ground, unsigned tasks, const char *metrics)
{
    char yaml[400], *problems = NULL;
    const struct msg_submit submit = {yaml, "job.yaml", ground->folder, "me", ""};
    struct ledger_job *job;
    struct err err;

    snprintf(yaml, sizeof(yaml),
             "version: 1\nname: ground\noperator: {command: [bin/true]}\n"
             "sweep: {repeat: %u}\nprofile: {metrics: [%s]}\n"
             "limits: {retries: 1, on: [worker-lost]}\n",
             tasks, metrics);
    if (ledger_submit(&job, ground->ledger, &submit, &problems, &err) < 0)
        fail_msg("%s: %s", err.text, problems ? problems : "");
    return job;
}

static inline struct peer ground_peer(uint8_t number)
{
    return (struct peer){.size = 1, .bytes = {number}};
}

static inline struct msg_worker_hello ground_hello(uint64_t card)
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
