/* answer_cache.h - the latest answers, for many browsers that show the same page
 *
 * An answer is valid until the version of the source changes. Long answers are not
 * kept. */
#ifndef CLI_API_ANSWER_CACHE_H
#define CLI_API_ANSWER_CACHE_H

#include <stdint.h>

#include "cli/http/http_message.h"

enum { ANSWER_CACHE_ENTRIES = 32, ANSWER_CACHE_BYTES = 1 << 20 };

struct answer_cache {
    struct {
        char *address; /* NULL: a free entry */
        uint64_t version;
        struct http_response response;
    } entries[ANSWER_CACHE_ENTRIES];
    unsigned next; /* entry that is replaced */
};

void answer_cache_clear(struct answer_cache *cache);
/* Copies the answer to a request. Returns false when there is none of this version. */
bool answer_cache_find(const struct answer_cache *cache,
                       const struct http_request *request,
                       uint64_t version,
                       struct http_response *response);
void answer_cache_add(struct answer_cache *cache,
                      const struct http_request *request,
                      uint64_t version,
                      const struct http_response *response);

#endif
