/* comm.h - a communicator of this process
 *
 * The communicator exists until it is destroyed and its last operation has ended. */
#ifndef SIM_HCCL_COMM_H
#define SIM_HCCL_COMM_H

#include <acl/acl.h>
#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/hccl/group.h"
#include "sim/hccl/queue.h"
#include "sim/hccl/ranks/roster.h"
#include "sim/hccl/resources.h"

#define COMM_KEY_MAX 512

struct comm;
struct listener;

struct settings {
    uint32_t connect_timeout_s, exec_timeout_s;
    uint64_t buffer_bytes;           /* both halves */
    char name[COMM_NAME_MAX_LENGTH]; /* empty: use the default name */
};

struct place {
    uint32_t card;
    int32_t device;
};

/* The results of joining a communicator, from which comm_create() builds it. */
struct membership {
    int fd; /* of the shared rank memory; borrowed */
    uint32_t rank;
    const char *key;  /* name that the ranks joined under */
    const int *lines; /* one descriptor per rank, always taken over; NULL: one host */
    struct listener *listener; /* borrowed; NULL: one host */
    const struct roster *roster;
    const struct place *place;
};

HcclResult settings_read(struct settings *settings, const HcclCommConfig *config);

HcclResult comm_create(struct comm **out,
                       const struct membership *membership,
                       const struct settings *settings,
                       const char *name);
bool comm_name_is_taken(const char *name, int32_t device);
/* Returns the communicator with a reference that comm_put() releases, or NULL for an
 * invalid handle. */
struct comm *comm_take(HcclComm handle);
struct comm *comm_find(const char *name, int32_t device); /* without a reference */
void comm_put(struct comm *comm);
bool comm_destroy(HcclComm handle);

struct group *comm_group(struct comm *comm);
uint32_t comm_ranks(const struct comm *comm);
uint32_t comm_rank(const struct comm *comm);
const char *comm_name(const struct comm *comm);
const char *comm_key(const struct comm *comm); /* differs between jobs */
const struct place *comm_place(const struct comm *comm);
const struct roster *comm_roster(const struct comm *comm);
struct listener *comm_listener(const struct comm *comm); /* NULL: one host */
uint32_t comm_exec_timeout_s(const struct comm *comm);
struct resources *comm_resources(struct comm *comm);
struct queue *comm_queue(struct comm *comm);
/* Lock around a call that must take the same position in the queue and on the stream.
 */
void comm_lock_issue(struct comm *comm);
void comm_unlock_issue(struct comm *comm);
bool comm_is_part(
    const struct comm *comm); /* created from ranks of another communicator */
void comm_make_part(struct comm *comm);

#endif
