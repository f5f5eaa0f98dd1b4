#include "sim/hccl/ranks/join.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/hccl/ranks/clock.h"
#include "sim/hccl/ranks/discovery.h"
#include "sim/hccl/ranks/peer_connections.h"

uint64_t join_deadline(const struct settings *settings)
{
    return clock_ms() + (uint64_t)settings->connect_timeout_s * 1000;
}

void join_one_host(struct roster *roster, uint32_t ranks)
{
    memset(roster, 0, sizeof(*roster));
    roster->ranks = ranks;
    roster->hosts = 1;
}

static HcclResult meet(const struct joining *joining, const char *key, int *fd)
{
    char name[COMM_KEY_MAX + 32];
    const struct roster *roster = joining->roster;
    const struct discovery discovery = {
        .name = name,
        .roster = roster,
        .rank = joining->rank,
        .card = joining->place->card,
        .deadline_ms = joining->deadline_ms,
        .buffer_bytes = joining->settings->buffer_bytes,
    };

    /* several simulated hosts may share one machine */
    snprintf(name, sizeof(name), "%s/%u", key, roster->entries[joining->rank].host);
    return discovery_join(&discovery, fd);
}

HcclResult join(const struct joining *joining, struct comm **comm)
{
    const struct settings *settings = joining->settings;
    const struct roster *roster = joining->roster;
    int fds[RANKS_MAX], fd;
    char key[COMM_KEY_MAX];
    HcclResult result;

    if (settings->name[0] && comm_name_is_taken(settings->name, joining->place->device))
        return HCCL_E_PARA;
    if (snprintf(key, sizeof(key), "%s/%s", joining->key, settings->name) >=
        (int)sizeof(key))
        return HCCL_E_PARA;
    result = meet(joining, key, &fd);
    if (result)
        return result;
    if (roster->hosts > 1)
        result = peer_connections_open(fds, key, roster, joining->rank,
                                       joining->listener, joining->deadline_ms);
    if (!result) {
        const struct membership membership = {
            .fd = fd,
            .rank = joining->rank,
            .key = key,
            .lines = roster->hosts > 1 ? fds : NULL,
            .listener = joining->listener,
            .roster = roster,
            .place = joining->place,
        };

        result = comm_create(comm, &membership, settings, joining->name);
    }
    close(fd);
    return result;
}
