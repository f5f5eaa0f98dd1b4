#include "coordinator/net/public_endpoint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/link.h"

char *public_endpoint_of(const char *endpoint, const char *host)
{
    const char *port = strrchr(endpoint, ':');
    char name[256] = "";

    if (!text_has_prefix(endpoint, "tcp://"))
        return xstrdup(endpoint);
    if (!host && !text_has_prefix(endpoint, "tcp://0.0.0.0:"))
        return xstrdup(endpoint);
    if (!host && gethostname(name, sizeof(name) - 1) < 0)
        return xstrdup(endpoint);
    return xasprintf("tcp://%s%s", host ? host : name, port);
}

int public_endpoint_announce(const char *path,
                             const struct link *control,
                             const struct link *data,
                             struct err *err)
{
    char *text = xasprintf("%s\n%s\n", link_endpoint(control), link_endpoint(data));
    int result = file_write(path, text, strlen(text), err);

    free(text);
    return result;
}
