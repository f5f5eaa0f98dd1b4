#include "sim/hccl/comm.h"

#include <hccl/hccl_comm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/hccl/desk.h"
#include "sim/hccl/links.h"
#include "sim/runtime/outside.h"

#define CONNECT_TIMEOUT_S 120
#define EXEC_TIMEOUT_S    1836
#define TIMEOUT_MAX_S     17340
#define BUFFER_MB         200
#define BUFFER_MAX_MB     16384
#define SLICE_NS          20000000

struct comm {
    char name[COMM_NAME_MAX_LENGTH];
    char key[COMM_KEY_MAX];
    struct place place;
    uint32_t exec_timeout_s;
    bool part;
    uint32_t holders; /* by the registry's mutex */
    struct group group;
    struct resources resources;
    struct roster roster;
    struct desk *desk;
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

static HcclResult
read_number(const char *name, uint32_t min, uint32_t max, uint32_t *out)
{
    const char *text = getenv(name);
    char *end;
    unsigned long value;

    if (!text)
        return HCCL_SUCCESS;
    value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < min || value > max)
        return HCCL_E_PARA;
    *out = (uint32_t)value;
    return HCCL_SUCCESS;
}

static uint64_t whole_buffer(uint32_t megabytes)
{
    return 2 * ((uint64_t)megabytes << 20);
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
    HcclCommConfigInit(&config);
    memcpy(&config, given, size < sizeof(config) ? size : sizeof(config));
    if (config.hcclBufferSize == 0 ||
        (config.hcclBufferSize > BUFFER_MAX_MB &&
         config.hcclBufferSize != HCCL_COMM_CONFIG_NOT_SET) ||
        (config.hcclDeterministic > 2 &&
         config.hcclDeterministic != HCCL_COMM_CONFIG_NOT_SET) ||
        memchr(config.hcclCommName, '\0', COMM_NAME_MAX_LENGTH) == NULL)
        return HCCL_E_PARA;
    strcpy(settings->name, config.hcclCommName);
    if (config.hcclBufferSize != HCCL_COMM_CONFIG_NOT_SET)
        settings->buffer_bytes = whole_buffer(config.hcclBufferSize);
    if (config.hcclExecTimeOut != -1) {
        if (config.hcclExecTimeOut < 0 || config.hcclExecTimeOut > TIMEOUT_MAX_S)
            return HCCL_E_PARA;
        settings->exec_timeout_s = (uint32_t)config.hcclExecTimeOut;
    }
    return HCCL_SUCCESS;
}

HcclResult settings_read(struct settings *settings, const HcclCommConfig *config)
{
    uint32_t megabytes = BUFFER_MB;

    *settings = (struct settings){.connect_timeout_s = CONNECT_TIMEOUT_S,
                                  .exec_timeout_s = EXEC_TIMEOUT_S};
    if (read_number("HCCL_CONNECT_TIMEOUT", 1, TIMEOUT_MAX_S,
                    &settings->connect_timeout_s) ||
        read_number("HCCL_EXEC_TIMEOUT", 0, TIMEOUT_MAX_S, &settings->exec_timeout_s) ||
        read_number("HCCL_BUFFSIZE", 1, BUFFER_MAX_MB, &megabytes))
        return HCCL_E_PARA;
    settings->buffer_bytes = whole_buffer(megabytes);
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

/* Locked. Which one of its card's: the same on all ranks of a program that makes its
 * communicators in one order. */
static uint32_t next_number(int32_t device)
{
    uint32_t number = 0;

    for (const struct comm *comm = registry.all; comm; comm = comm->next)
        if (comm->place.device == device && comm->resources.number >= number)
            number = comm->resources.number + 1;
    return number;
}

static void close_lines(const struct membership *membership)
{
    for (uint32_t i = 0; membership->lines && i < membership->roster->ranks; i++)
        if (membership->lines[i] >= 0)
            close(membership->lines[i]);
}

static HcclResult open_group(struct group *group, const struct membership *membership)
{
    HcclResult result = group_open(group, membership->fd, membership->rank);
    struct links *links;

    if (result)
        close_lines(membership);
    if (result || !membership->lines)
        return result;
    result = links_create(&links, group->seats, group->rank, membership->lines);
    if (result)
        group_close(group);
    else
        group_take_links(group, links);
    return result;
}

HcclResult comm_create(struct comm **out,
                       const struct membership *membership,
                       const struct settings *settings,
                       const char *name)
{
    struct comm *comm = calloc(1, sizeof(*comm));
    HcclResult result;

    if (!comm) {
        close_lines(membership);
        return HCCL_E_MEMORY;
    }
    result = open_group(&comm->group, membership);
    if (result) {
        free(comm);
        return result;
    }
    snprintf(comm->name, sizeof(comm->name), "%s",
             settings->name[0] ? settings->name : name);
    snprintf(comm->key, sizeof(comm->key), "%s", membership->key);
    comm->place = *membership->place;
    comm->roster = *membership->roster;
    comm->desk = membership->desk ? desk_share(membership->desk) : NULL;
    comm->exec_timeout_s = settings->exec_timeout_s;
    comm->holders = 1;
    init_locks(comm);
    pthread_mutex_lock(&registry.mutex);
    resources_init(&comm->resources, &comm->group, next_number(comm->place.device));
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
    resources_clear(&comm->resources);
    group_close(&comm->group);
    desk_close(comm->desk);
    pthread_cond_destroy(&comm->moved);
    pthread_mutex_destroy(&comm->mutex);
    pthread_mutex_destroy(&comm->issue);
    free(comm);
}

bool comm_destroy(HcclComm handle)
{
    struct comm *comm = comm_take(handle), **at = &registry.all;
    bool found;

    if (!comm)
        return false;
    resources_end_stream(&comm->resources); /* its tasks still need the handle */
    pthread_mutex_lock(&registry.mutex);
    while (*at && *at != comm)
        at = &(*at)->next;
    found = *at != NULL;
    if (found) {
        *at = comm->next;
        comm->holders--;
    }
    pthread_mutex_unlock(&registry.mutex);
    comm_put(comm);
    return found;
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

const char *comm_key(const struct comm *comm)
{
    return comm->key;
}

const struct place *comm_place(const struct comm *comm)
{
    return &comm->place;
}

const struct roster *comm_roster(const struct comm *comm)
{
    return &comm->roster;
}

struct desk *comm_desk(const struct comm *comm)
{
    return comm->desk;
}

uint32_t comm_exec_timeout_s(const struct comm *comm)
{
    return comm->exec_timeout_s;
}

struct resources *comm_resources(struct comm *comm)
{
    return &comm->resources;
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
void comm_end(struct operation *operation)
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
}

static void leave(struct operation *operation)
{
    comm_end(operation);
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

/* In turn, and in a communicator that works. */
static aclError enter_turn(struct operation *operation, const struct npu_sim_turn *turn)
{
    aclError error = wait_for_turn(operation, turn);

    if (error)
        return group_fail(&operation->comm->group, HCCL_E_REMOTE, error);
    return group_error(&operation->comm->group);
}

static aclError perform(void *data, const struct npu_sim_turn *turn)
{
    struct operation *operation = data;
    aclError error = enter_turn(operation, turn);
    uint64_t ns = 0;

    npu_sim_turn_begins(turn);
    if (!error) {
        struct vigil vigil = group_vigil(turn, operation->comm->exec_timeout_s);

        error = operation->run(operation, &vigil, &ns);
    }
    npu_sim_turn_ends(turn, ns);
    leave(operation);
    return error == ACL_ERROR_RT_STREAM_ABORT ? 0 : error; /* who aborts knows it */
}

aclError comm_begin(struct comm *comm,
                    struct operation *operation,
                    const struct npu_sim_turn *turn)
{
    aclError error;

    operation->comm = comm_take(comm);
    if (!operation->comm)
        return ACL_ERROR_RT_PARAM_INVALID;
    enter(operation);
    error = enter_turn(operation, turn);
    if (error)
        comm_end(operation);
    return error;
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
