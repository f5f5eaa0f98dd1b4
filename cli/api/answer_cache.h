/* answer_cache.h - the latest answers, for many browsers that show the same page
 *
 * An answer is valid until the version of the source changes. An answer that may age is
 * also valid for a time in proportion to the time that it took, so that a job that
 * changes all the time does not keep the server busy. Long answers are not kept. */
#ifndef CLI_API_ANSWER_CACHE_H
#define CLI_API_ANSWER_CACHE_H

#include <stdint.h>

#include "cli/http/http_message.h"

enum { ANSWER_CACHE_ENTRIES = 32, ANSWER_CACHE_BYTES = 1 << 20 };

struct answer_cache {
    struct {
        char *address; /* NULL: a free entry */
        uint64_t version;
        uint64_t valid_ms; /* a time until which an older version is valid, too */
        struct http_response response;
    } entries[ANSWER_CACHE_ENTRIES];
    unsigned next;       /* entry that is replaced */
    uint64_t refresh_ms; /* when the aged answers that were given end; 0: none */
};

void answer_cache_clear(struct answer_cache *cache);
/* Copies the answer to a request. Returns false when there is none that is valid. */
bool answer_cache_find(struct answer_cache *cache,
                       const struct http_request *request,
                       uint64_t version,
                       uint64_t now_ms,
                       struct http_response *response);
/* valid_ms: see above; 0: the answer does not age. */
void answer_cache_add(struct answer_cache *cache,
                      const struct http_request *request,
                      uint64_t version,
                      uint64_t valid_ms,
                      const struct http_response *response);
/* Returns the time until which an answer that took so long is valid. */
uint64_t answer_cache_valid_ms(uint64_t now_ms, uint64_t took_ms);
/* Returns true once when the time of answers that had aged is over: their readers ask
 * again. */
bool answer_cache_refresh(struct answer_cache *cache, uint64_t now_ms);

#endif
