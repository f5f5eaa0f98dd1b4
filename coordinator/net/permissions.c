#include "coordinator/net/permissions.h"

#include "lib/base/mem.h"

enum {
    READS = ROLE_READ | ROLE_SUBMIT | ROLE_ADMIN,
    SUBMITS = ROLE_SUBMIT | ROLE_ADMIN,
};

static const struct right {
    enum message_type type;
    unsigned roles;
} rights[] = {
    {MSG_WORKER_HELLO, ROLE_WORKER},
    {MSG_HEARTBEAT, ROLE_WORKER},
    {MSG_LEASE_TAKEN, ROLE_WORKER},
    {MSG_LEASE_REFUSED, ROLE_WORKER},
    {MSG_RANK_RESULT, ROLE_WORKER},
    {MSG_BARRIER_ARRIVE, ROLE_WORKER},
    {MSG_BARRIER_ABORT, ROLE_WORKER},
    {MSG_CLOCK_PING, ROLE_WORKER},
    {MSG_OUTPUT, ROLE_WORKER},
    {MSG_WORKER_BYE, ROLE_WORKER},
    {MSG_CARD_FAULT, ROLE_WORKER},
    {MSG_GROUP, ROLE_WORKER},
    {MSG_LIST_JOBS, READS},
    {MSG_LIST_TASKS, READS},
    {MSG_LIST_RESULTS, READS},
    {MSG_LIST_WORKERS, READS},
    {MSG_LIST_EVENTS, READS},
    {MSG_WATCH, READS},
    {MSG_EXPLAIN, READS},
    {MSG_READ_LOG, READS},
    {MSG_SUBMIT, SUBMITS},
    {MSG_CANCEL, SUBMITS},
    {MSG_RETRY, SUBMITS},
    {MSG_DRAIN, ROLE_ADMIN},
    {MSG_ALLOC, ROLE_ADMIN},
    {MSG_LIST_ALLOCS, READS},
    {MSG_SHUTDOWN, ROLE_ADMIN},
};

bool permissions_allow(enum role roles, enum message_type type)
{
    for (size_t i = 0; i < COUNT(rights); i++)
        if (rights[i].type == type)
            return rights[i].roles & roles;
    return false;
}
