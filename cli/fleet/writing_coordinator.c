#include "cli/fleet/writing_coordinator.h"

#include <limits.h>
#include <stdlib.h>

#include "cli/fleet/private_fleet.h"
#include "cli/fleet/running_coordinator.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"

static bool has_store(const char *out_folder)
{
    char *path = xasprintf("%s/store/muster.db", out_folder);
    bool exists = file_exists(path);

    free(path);
    return exists;
}

static int
start(struct writing_coordinator *coordinator, const char *out_folder, struct err *err)
{
    char out[PATH_MAX];
    const struct private_fleet_options options = {.out = out};

    if (!has_store(out_folder))
        return err_set(err, ERR_UNREACHABLE,
                       "no coordinator is named and no store is in %s; pass "
                       "--coordinator ENDPOINT or --out DIR, or set MUSTER_COORDINATOR",
                       out_folder);
    if (folder_lock(out_folder, err) < 0)
        return -1;
    if (!realpath(out_folder, out))
        return err_errno(err, "resolving %s", out_folder);
    if (private_fleet_start(&coordinator->fleet, &options, err) < 0)
        return -1;
    const struct client_options where = private_fleet_client(coordinator->fleet);
    return client_open(&coordinator->client, &where, err);
}

int writing_coordinator_open(struct writing_coordinator *coordinator,
                             struct client_options *options,
                             const char *out_folder,
                             struct err *err)
{
    int result;

    *coordinator = (struct writing_coordinator){0};
    running_coordinator_find(options, out_folder);
    result = client_is_named(options) ? client_open(&coordinator->client, options, err)
                                      : start(coordinator, out_folder, err);
    if (result < 0)
        writing_coordinator_close(coordinator);
    return result;
}

void writing_coordinator_close(struct writing_coordinator *coordinator)
{
    client_close(coordinator->client);
    private_fleet_stop(&coordinator->fleet);
    *coordinator = (struct writing_coordinator){0};
}
