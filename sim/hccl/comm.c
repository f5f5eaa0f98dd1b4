#include "sim/hccl/comm.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/runtime/outside.h"

#define CONNECT_TIMEOUT_S 120
#define EXEC_TIMEOUT_S    1836
#define TIMEOUT_MAX_S     17340
#define SLICE_NS          20000000

struct comm {
    char name[COMM_NAME_MAX_LENGTH];
    struct place place;
    uint32_t exec_timeout_s;
    bool part;
    uint32_t holders; /* by the registry's mutex */
    struct group group;
    pthread_mutex_t issue; /* the order of calls is the order on the stream */
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    struct operation *first;
    struct comm *next;
};

static struct {
    pthread_mutex_t mutex;
    struct comm *all;
} registry = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static HcclResult read_seconds(const char *name, uint32_t min, uint32_t *out)
{
    const char *text = getenv(name);
    char *end;
    unsigned long value;

    if (!text)
        return HCCL_SUCCESS;
    value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < min || value > TIMEOUT_MAX_S)
        return HCCL_E_PARA;
    *out = (uint32_t)value;
    return HCCL_SUCCESS;
}

/* Older programs know less of the structure: what is behind their end is not set. */
static HcclResult read_config(struct settings *settings, const HcclCommConfig *given)
{
    HcclCommConfig config;
    uint32_t magic;
    size_t size;

    memcpy(&size, given->reserved, sizeof(size));
    memcpy(&magic, given->reserved + 8, sizeof(magic));
    if (magic != HCCL_COMM_CONFIG_MAGIC_WORD || size < HCCL_COMM_CONFIG_INFO_BYTES + 8)
        return HCCL_E_PARA;
    memset(&config, 0, sizeof(config));
    config.hcclExecTimeOut = -1;
    memcpy(&config, given, size < sizeof(config) ? size : sizeof(config));
    if (config.hcclBufferSize == 0 ||
        (config.hcclDeterministic > 2 &&
         config.hcclDeterministic != HCCL_COMM_CONFIG_NOT_SET) ||
        memchr(config.hcclCommName, '\0', COMM_NAME_MAX_LENGTH) == NULL)
        return HCCL_E_PARA;
    strcpy(settings->name, config.hcclCommName);
    if (config.hcclExecTimeOut != -1) {
        if (config.hcclExecTimeOut < 0 || config.hcclExecTimeOut > TIMEOUT_MAX_S)
            return HCCL_E_PARA;
        settings->exec_timeout_s = (uint32_t)config.hcclExecTimeOut;
    }
    return HCCL_SUCCESS;
}

HcclResult settings_read(struct settings *settings, const HcclCommConfig *config)
{
    *settings = (struct settings){CONNECT_TIMEOUT_S, EXEC_TIMEOUT_S, ""};
    if (read_seconds("HCCL_CONNECT_TIMEOUT", 1, &settings->connect_timeout_s) ||
        read_seconds("HCCL_EXEC_TIMEOUT", 0, &settings->exec_timeout_s))
        return HCCL_E_PARA;
    return config ? read_config(settings, config) : HCCL_SUCCESS;
}

static void init_locks(struct comm *comm)
{
    pthread_condattr_t attributes;

    pthread_mutex_init(&comm->issue, NULL);
    pthread_mutex_init(&comm->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&comm->moved, &attributes);
    pthread_condattr_destroy(&attributes);
}

HcclResult comm_create(struct comm **out,
                       int fd,
                       uint32_t rank,
                       const struct place *place,
                       const struct settings *settings,
                       const char *name)
{
    struct comm *comm = calloc(1, sizeof(*comm));
    HcclResult result;

    if (!comm)
        return HCCL_E_MEMORY;
    result = group_open(&comm->group, fd, rank);
    if (result) {
        free(comm);
        return result;
    }
    snprintf(comm->name, sizeof(comm->name), "%s",
             settings->name[0] ? settings->name : name);
    comm->place = *place;
    comm->exec_timeout_s = settings->exec_timeout_s;
    comm->holders = 1;
    init_locks(comm);
    pthread_mutex_lock(&registry.mutex);
    comm->next = registry.all;
    registry.all = comm;
    pthread_mutex_unlock(&registry.mutex);
    *out = comm;
    return HCCL_SUCCESS;
}

struct comm *comm_find(const char *name, int32_t device)
{
    struct comm *comm;

    pthread_mutex_lock(&registry.mutex);
    comm = registry.all;
    while (comm && (comm->place.device != device || strcmp(comm->name, name)))
        comm = comm->next;
    pthread_mutex_unlock(&registry.mutex);
    return comm;
}

bool comm_name_is_taken(const char *name, int32_t device)
{
    return comm_find(name, device) != NULL;
}

struct comm *comm_take(HcclComm handle)
{
    struct comm *comm;

    pthread_mutex_lock(&registry.mutex);
    comm = registry.all;
    while (comm && comm != handle)
        comm = comm->next;
    if (comm)
        comm->holders++;
    pthread_mutex_unlock(&registry.mutex);
    return comm;
}

void comm_put(struct comm *comm)
{
    bool last;

    pthread_mutex_lock(&registry.mutex);
    last = --comm->holders == 0;
    pthread_mutex_unlock(&registry.mutex);
    if (!last)
        return;
    group_close(&comm->group);
    pthread_cond_destroy(&comm->moved);
    pthread_mutex_destroy(&comm->mutex);
    pthread_mutex_destroy(&comm->issue);
    free(comm);
}

bool comm_destroy(HcclComm handle)
{
    struct comm **at, *comm;

    pthread_mutex_lock(&registry.mutex);
    for (at = &registry.all; *at && *at != handle; at = &(*at)->next)
        ;
    comm = *at;
    if (comm)
        *at = comm->next;
    pthread_mutex_unlock(&registry.mutex);
    if (comm)
        comm_put(comm);
    return comm != NULL;
}

struct group *comm_group(struct comm *comm)
{
    return &comm->group;
}

uint32_t comm_ranks(const struct comm *comm)
{
    return comm->group.ranks;
}

uint32_t comm_rank(const struct comm *comm)
{
    return comm->group.rank;
}

const char *comm_name(const struct comm *comm)
{
    return comm->name;
}

const struct place *comm_place(const struct comm *comm)
{
    return &comm->place;
}

bool comm_is_part(const struct comm *comm)
{
    return comm->part;
}

void comm_make_part(struct comm *comm)
{
    comm->part = true;
}

static bool share_something(const struct operation *a, const struct operation *b)
{
    if (a->whole || b->whole)
        return a->whole && b->whole;
    return (a->sends & b->sends) || (a->receives & b->receives);
}

/* Locked. */
static bool has_its_turn(const struct operation *wanted)
{
    for (const struct operation *at = wanted->comm->first; at != wanted; at = at->next)
        if (share_something(at, wanted))
            return false;
    return true;
}

static void enter(struct operation *operation)
{
    struct operation **at = &operation->comm->first;

    pthread_mutex_lock(&operation->comm->mutex);
    while (*at)
        at = &(*at)->next;
    *at = operation;
    pthread_mutex_unlock(&operation->comm->mutex);
}

/* Out of the list; the communicator may go with it. */
static void leave(struct operation *operation)
{
    struct comm *comm = operation->comm;
    struct operation **at = &comm->first;

    pthread_mutex_lock(&comm->mutex);
    while (*at != operation)
        at = &(*at)->next;
    *at = operation->next;
    pthread_cond_broadcast(&comm->moved);
    pthread_mutex_unlock(&comm->mutex);
    comm_put(comm);
    free(operation);
}

static aclError wait_for_turn(struct operation *operation,
                              const struct npu_sim_turn *turn)
{
    struct comm *comm = operation->comm;
    aclError error = 0;

    pthread_mutex_lock(&comm->mutex);
    while (!error && !has_its_turn(operation)) {
        struct timespec until;

        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += SLICE_NS;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        pthread_cond_timedwait(&comm->moved, &comm->mutex, &until);
        if (npu_sim_turn_is_aborted(turn))
            error = ACL_ERROR_RT_STREAM_ABORT;
    }
    pthread_mutex_unlock(&comm->mutex);
    return error;
}

static aclError perform(void *data, const struct npu_sim_turn *turn)
{
    struct operation *operation = data;
    aclError error = wait_for_turn(operation, turn);
    uint64_t ns = 0;

    npu_sim_turn_begins(turn);
    if (error)
        group_fail(&operation->comm->group, HCCL_E_REMOTE, error);
    else if (group_failure(&operation->comm->group))
        error = ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    if (!error) {
        struct vigil vigil = group_vigil(turn, operation->comm->exec_timeout_s);

        error = operation->run(operation, &vigil, &ns);
    }
    npu_sim_turn_ends(turn, ns);
    leave(operation);
    return error == ACL_ERROR_RT_STREAM_ABORT ? 0 : error; /* who aborts knows it */
}

/* Aborted before it began: the peers will wait for it in vain. */
static void drop(void *data)
{
    struct operation *operation = data;

    group_fail(&operation->comm->group, HCCL_E_REMOTE, 0);
    leave(operation);
}

HcclResult
comm_issue(struct comm *comm, struct operation *operation, aclrtStream stream)
{
    struct npu_sim_work work = {perform, drop, operation};
    aclError error;

    operation->comm = comm_take(comm);
    if (!operation->comm) {
        free(operation);
        return HCCL_E_PARA;
    }
    pthread_mutex_lock(&comm->issue);
    enter(operation);
    error = npu_sim_stream_add(stream, &work);
    pthread_mutex_unlock(&comm->issue);
    if (!error)
        return HCCL_SUCCESS;
    leave(operation);
    return HCCL_E_RUNTIME;
}
