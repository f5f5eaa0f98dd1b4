#include "cli/api/answer_cache.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static char *address_of(const struct http_request *request)
{
    struct text text = {0};

    text_add(&text, request->path);
    for (size_t i = 0; i < request->argument_count; i++) {
        text_add_char(&text, '&');
        http_escape(&text, request->arguments[i].name);
        text_add_char(&text, '=');
        http_escape(&text, request->arguments[i].value);
    }
    return text_take(&text);
}

static void copy(struct http_response *to, const struct http_response *from)
{
    to->type = from->type;
    to->rows = from->rows;
    to->has_rows = from->has_rows;
    to->tag = from->tag ? xstrdup(from->tag) : NULL;
    to->next = from->next ? xstrdup(from->next) : NULL;
    text_add_bytes(&to->body, text_get(&from->body), from->body.length);
}

static void clear_entry(struct answer_cache *cache, size_t i)
{
    if (!cache->entries[i].address)
        return;
    free(cache->entries[i].address);
    cache->entries[i].address = NULL;
    http_response_clear(&cache->entries[i].response);
}

void answer_cache_clear(struct answer_cache *cache)
{
    for (size_t i = 0; i < ANSWER_CACHE_ENTRIES; i++)
        clear_entry(cache, i);
}

bool answer_cache_find(const struct answer_cache *cache,
                       const struct http_request *request,
                       uint64_t version,
                       struct http_response *response)
{
    char *address = address_of(request);
    bool found = false;

    for (size_t i = 0; i < ANSWER_CACHE_ENTRIES && !found; i++)
        if (cache->entries[i].address && cache->entries[i].version == version &&
            strcmp(cache->entries[i].address, address) == 0) {
            copy(response, &cache->entries[i].response);
            found = true;
        }
    free(address);
    return found;
}

void answer_cache_add(struct answer_cache *cache,
                      const struct http_request *request,
                      uint64_t version,
                      const struct http_response *response)
{
    unsigned i = cache->next;

    if (response->status != 200 || response->body.length > ANSWER_CACHE_BYTES)
        return;
    cache->next = (i + 1) % ANSWER_CACHE_ENTRIES;
    clear_entry(cache, i);
    cache->entries[i].address = address_of(request);
    cache->entries[i].version = version;
    http_response_init(&cache->entries[i].response);
    copy(&cache->entries[i].response, response);
    cache->entries[i].response.tag = http_body_tag(&response->body);
}
