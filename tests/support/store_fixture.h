/* store_fixture.h - an empty store for each test, in `store`, and errors in `err` */
#ifndef TESTS_SUPPORT_STORE_FIXTURE_H
#define TESTS_SUPPORT_STORE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/store/store.h"
#include "tests/support/unit.h"

static char folder[64];
static struct store *store;
static struct err err;

#define OK(call)                                                                       \
    do {                                                                               \
        if ((call) < 0)                                                                \
            fail_msg("%s", err.text);                                                  \
    } while (0)

static inline int set_up(void **ctx)
{
    (void)ctx;
    strcpy(folder, "/tmp/muster-store-XXXXXX");
    assert_non_null(mkdtemp(folder));
    OK(store_open(&store, folder, STORE_WRITE, &err));
    return 0;
}

static inline int tear_down(void **ctx)
{
    (void)ctx;
    store_close(store);
    store = NULL;
    return folder_remove(folder, &err);
}

static inline uint64_t add_job(uint64_t tasks)
{
    struct store_job job = {.name = "matmul", .yaml = "version: 1", .user = "ada"};

    job.tasks_total = tasks;
    OK(store_job_add(store, &job, &err));
    return job.job_id;
}

#endif
