#include "cli/api/api_source.h"

#include "lib/base/clock.h"

enum {
    RETRY_MS = 1000,
    CONNECT_MS = 1000,
    REPLY_MS = 5000,
    LIVE_MS = 1000, /* rows of a coordinator are read again after it */
    CHECK_MS = 2,   /* the version of a store is read again after it */
};

void api_source_init(struct api_source *source,
                     const struct client_options *client,
                     const char *out)
{
    *source = (struct api_source){.client = *client, .out = out};
    source->client.connect_ms = CONNECT_MS;
    source->client.reply_ms = REPLY_MS;
}

void api_source_clear(struct api_source *source)
{
    row_source_close(source->source);
    source->source = NULL;
}

struct row_source *api_source_get(struct api_source *source, struct err *err)
{
    if (source->source)
        return source->source;
    if (source->failed_ms && clock_mono_ms() - source->failed_ms < RETRY_MS) {
        *err = source->failure;
        return NULL;
    }
    source->failed_ms = 0;
    if (row_source_open(&source->source, &source->client, source->out, err) == 0)
        return source->source;
    source->failure = *err;
    source->failed_ms = clock_mono_ms();
    return NULL;
}

void api_source_failed(struct api_source *source, const struct err *err)
{
    if (err->code != ERR_STORE && err->code != ERR_SYSTEM &&
        err->code != ERR_UNREACHABLE && err->code != ERR_TIMEOUT)
        return; /* the source answered */
    api_source_clear(source);
    source->failure = *err;
    source->failed_ms = clock_mono_ms();
}

uint64_t api_source_version(struct api_source *source)
{
    uint64_t now_ms = clock_mono_ms();
    struct err err;

    if (client_is_named(&source->client))
        return now_ms / LIVE_MS;
    if (source->version && now_ms < source->checked_ms + CHECK_MS)
        return source->version; /* many browsers ask at once after a change */
    source->version = 0;
    source->checked_ms = now_ms;
    if (!api_source_get(source, &err))
        return 0;
    if (row_source_store_version(source->source, &source->version, &err) == 0)
        return source->version;
    api_source_failed(source, &err);
    source->version = 0;
    source->failed_ms = 0; /* a new store may be at the place already */
    return 0;
}
