#include "coordinator/net/permissions.h"

#include "lib/base/mem.h"

enum {
    ALL_CLIENTS = ROLE_READ | ROLE_SUBMIT | ROLE_ADMIN,
    SUBMIT_OR_ADMIN = ROLE_SUBMIT | ROLE_ADMIN,
};

static const struct permission {
    enum message_type type;
    unsigned roles;
} permissions[] = {
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
    {MSG_LIST_JOBS, ALL_CLIENTS},
    {MSG_LIST_TASKS, ALL_CLIENTS},
    {MSG_LIST_RESULTS, ALL_CLIENTS},
    {MSG_LIST_WORKERS, ALL_CLIENTS},
    {MSG_LIST_EVENTS, ALL_CLIENTS},
    {MSG_WATCH, ALL_CLIENTS},
    {MSG_EXPLAIN, ALL_CLIENTS},
    {MSG_READ_LOG, ALL_CLIENTS},
    {MSG_SUBMIT, SUBMIT_OR_ADMIN},
    {MSG_CANCEL, SUBMIT_OR_ADMIN},
    {MSG_RETRY, SUBMIT_OR_ADMIN},
    {MSG_DRAIN, ROLE_ADMIN},
    {MSG_ALLOC, ROLE_ADMIN},
    {MSG_LIST_ALLOCS, ALL_CLIENTS},
    {MSG_SHUTDOWN, ROLE_ADMIN},
    {MSG_REPARSE, SUBMIT_OR_ADMIN},
    {MSG_LIST_REPLAYS, ALL_CLIENTS},
    {MSG_LIST_RANKS, ALL_CLIENTS},
    {MSG_LIST_LAUNCHES, ALL_CLIENTS},
    {MSG_BASELINE, SUBMIT_OR_ADMIN},
    {MSG_LIST_BASELINES, ALL_CLIENTS},
    {MSG_READ_JOB_FILE, ALL_CLIENTS},
    {MSG_GATE_VERDICT, SUBMIT_OR_ADMIN},
    {MSG_CONFIRM_SUSPECTS, SUBMIT_OR_ADMIN},
    {MSG_LIST_SUSPECTS, ALL_CLIENTS},
};

bool permissions_allow(enum role roles, enum message_type type)
{
    for (size_t i = 0; i < COUNT(permissions); i++)
        if (permissions[i].type == type)
            return permissions[i].roles & roles;
    return false;
}
