#include "cli/fleet/running_coordinator.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fleet/private_fleet.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"

bool running_coordinator_is(const char *out_folder)
{
    char *store = xasprintf("%s/store", out_folder);
    bool is = store_has_writer(store);

    free(store);
    return is;
}

/* Returns the next line, or NULL when it is empty, and moves *at behind it. */
static const char *take_line(char **at)
{
    char *line = *at, *end = line + strcspn(line, "\n");

    *at = end + (*end == '\n');
    *end = '\0';
    return *line ? line : NULL;
}

bool running_coordinator_find(struct client_options *options, const char *out_folder)
{
    static char *bytes;
    char *path, *at;
    struct err ignored;
    size_t size;

    if (client_is_named(options) || !running_coordinator_is(out_folder))
        return false;
    path = xasprintf("%s/" PRIVATE_FLEET_CONNECTION_FILE, out_folder);
    free(bytes);
    bytes = NULL;
    int result = file_read(&bytes, &size, path, 3 * PATH_MAX, &ignored);
    free(path);
    if (result < 0)
        return false;
    at = bytes;
    options->endpoint = take_line(&at);
    options->key = take_line(&at);
    options->server_key = take_line(&at);
    return options->endpoint != NULL;
}

int running_coordinator_open(struct client **client,
                             struct client_options *options,
                             const char *out_folder,
                             struct err *err)
{
    if (!client_is_named(options) && !running_coordinator_find(options, out_folder))
        return err_set(err, ERR_UNREACHABLE,
                       "no coordinator is named and no private run is active in %s; "
                       "pass --coordinator ENDPOINT or --out DIR, or set "
                       "MUSTER_COORDINATOR",
                       out_folder);
    return client_open(client, options, err);
}
