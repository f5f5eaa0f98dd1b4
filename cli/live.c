#include "cli/live.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "store/store.h"

bool live_is(const char *out_folder)
{
    char *store = xasprintf("%s/store", out_folder);
    bool is = store_has_writer(store);

    free(store);
    return is;
}

bool live_find(struct client_options *options, const char *out_folder)
{
    static char endpoint[PATH_MAX];
    char *path, *bytes;
    struct err none;
    size_t size;

    if (client_is_named(options) || !live_is(out_folder))
        return false;
    path = xasprintf("%s/store/endpoints", out_folder);
    int result = file_read(&bytes, &size, path, 2 * PATH_MAX, &none);
    free(path);
    if (result < 0)
        return false;
    bytes[strcspn(bytes, "\n")] = '\0';
    /* what listens to other hosts wants keys: then it is for the user to name them */
    if (text_has_prefix(bytes, "ipc://") && strlen(bytes) < sizeof(endpoint)) {
        strcpy(endpoint, bytes);
        options->endpoint = endpoint;
    }
    free(bytes);
    return options->endpoint != NULL;
}

int live_open(struct client **client,
              struct client_options *options,
              const char *out_folder,
              struct err *err)
{
    if (!client_is_named(options) && !live_find(options, out_folder))
        return err_set(err, ERR_UNREACHABLE,
                       "no coordinator is named, and no private run goes on in %s: "
                       "--coordinator ENDPOINT, MUSTER_COORDINATOR, or --out DIR",
                       out_folder);
    return client_open(client, options, err);
}
