#include "cli/api/answer_cache.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

/* Answers that take less than LEAST_MS do not age. Others take 1 % of the time. */
enum { LEAST_MS = 5, AGE_FACTOR = 100, AGE_MOST_MS = 10000 };

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

/* Leaves the body out when the client has it. */
static void copy(struct http_response *to,
                 const struct http_response *from,
                 const struct http_request *request)
{
    to->type = from->type;
    to->rows = from->rows;
    to->has_rows = from->has_rows;
    to->tag = from->tag ? xstrdup(from->tag) : NULL;
    to->next = from->next ? xstrdup(from->next) : NULL;
    if (!request->tags || !from->tag || !strstr(request->tags, from->tag))
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

/* Returns the number of the entry of an address, or ANSWER_CACHE_ENTRIES. */
static unsigned find_entry(const struct answer_cache *cache, const char *address)
{
    unsigned i = 0;

    while (
        i < ANSWER_CACHE_ENTRIES &&
        (!cache->entries[i].address || strcmp(cache->entries[i].address, address) != 0))
        i++;
    return i;
}

bool answer_cache_find(struct answer_cache *cache,
                       const struct http_request *request,
                       uint64_t version,
                       uint64_t now_ms,
                       struct http_response *response)
{
    char *address = address_of(request);
    unsigned i = find_entry(cache, address);

    free(address);
    if (i == ANSWER_CACHE_ENTRIES)
        return false;
    if (cache->entries[i].version != version) {
        if (now_ms >= cache->entries[i].valid_ms)
            return false;
        if (cache->entries[i].valid_ms > cache->refresh_ms)
            cache->refresh_ms = cache->entries[i].valid_ms;
    }
    copy(response, &cache->entries[i].response, request);
    return true;
}

uint64_t answer_cache_valid_ms(uint64_t now_ms, uint64_t took_ms)
{
    if (took_ms < LEAST_MS)
        return 0;
    return now_ms +
           (took_ms < AGE_MOST_MS / AGE_FACTOR ? took_ms * AGE_FACTOR : AGE_MOST_MS);
}

bool answer_cache_refresh(struct answer_cache *cache, uint64_t now_ms)
{
    if (cache->refresh_ms == 0 || now_ms < cache->refresh_ms)
        return false;
    cache->refresh_ms = 0;
    return true;
}

void answer_cache_add(struct answer_cache *cache,
                      const struct http_request *request,
                      uint64_t version,
                      uint64_t valid_ms,
                      const struct http_response *response)
{
    if (response->status != 200 || response->body.length > ANSWER_CACHE_BYTES)
        return;
    char *address = address_of(request);
    unsigned i = find_entry(cache, address);
    if (i == ANSWER_CACHE_ENTRIES) {
        i = cache->next;
        cache->next = (i + 1) % ANSWER_CACHE_ENTRIES;
    }
    clear_entry(cache, i);
    cache->entries[i].address = address;
    cache->entries[i].version = version;
    cache->entries[i].valid_ms = valid_ms;
    http_response_init(&cache->entries[i].response);
    copy(&cache->entries[i].response, response, &(struct http_request){.tags = NULL});
    cache->entries[i].response.tag = http_body_tag(&response->body);
}
