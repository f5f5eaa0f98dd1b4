#include "sim/hccl/comm.h"

#include <hccl/hccl_comm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/fleet/mishap.h"
#include "sim/hccl/ranks/links.h"
#include "sim/hccl/ranks/listener.h"

#define CONNECT_TIMEOUT_S 120
#define EXEC_TIMEOUT_S    1836
#define TIMEOUT_MAX_S     17340
#define BUFFER_MB         200
#define BUFFER_MAX_MB     16384

struct comm {
    char name[COMM_NAME_MAX_LENGTH];
    char key[COMM_KEY_MAX];
    struct place place;
    uint32_t exec_timeout_s;
    bool part;
    uint32_t holders; /* protected by the registry's mutex */
    struct group group;
    struct resources resources;
    struct roster roster;
    struct listener *listener;
    pthread_mutex_t issue;
    struct queue queue;
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

/* Older programs pass a shorter structure: fields behind its end are not set. */
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

/* Called locked. Returns the index of the communicator on its card. It is equal on all
 * ranks of a program that creates its communicators in one order. */
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
    result = links_create(&links, group->memory, group->rank, membership->lines);
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
    comm->listener = membership->listener ? listener_share(membership->listener) : NULL;
    comm->exec_timeout_s = settings->exec_timeout_s;
    comm->holders = 1;
    pthread_mutex_init(&comm->issue, NULL);
    queue_init(&comm->queue);
    npu_sim_card_set_rank(comm->place.card, comm->group.rank);
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
    listener_close(comm->listener);
    queue_clear(&comm->queue);
    pthread_mutex_destroy(&comm->issue);
    free(comm);
}

bool comm_destroy(HcclComm handle)
{
    struct comm *comm = comm_take(handle), **at = &registry.all;
    bool found;

    if (!comm)
        return false;
    resources_end_stream(
        &comm->resources); /* the tasks of the stream still need the handle */
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

struct listener *comm_listener(const struct comm *comm)
{
    return comm->listener;
}

uint32_t comm_exec_timeout_s(const struct comm *comm)
{
    return comm->exec_timeout_s;
}

struct resources *comm_resources(struct comm *comm)
{
    return &comm->resources;
}

struct queue *comm_queue(struct comm *comm)
{
    return &comm->queue;
}

void comm_lock_issue(struct comm *comm)
{
    pthread_mutex_lock(&comm->issue);
}

void comm_unlock_issue(struct comm *comm)
{
    pthread_mutex_unlock(&comm->issue);
}

bool comm_is_part(const struct comm *comm)
{
    return comm->part;
}

void comm_make_part(struct comm *comm)
{
    comm->part = true;
}
