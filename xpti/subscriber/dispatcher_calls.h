/* dispatcher_calls.h - the functions of the dispatcher that loaded this library */
#ifndef XPTI_SUBSCRIBER_DISPATCHER_CALLS_H
#define XPTI_SUBSCRIBER_DISPATCHER_CALLS_H

#include <stdbool.h>

#include "xpti/abi/abi.h"

struct dispatcher_calls {
    const char *(*lookup_string)(uint32_t id);
    struct xpti_object (*lookup_object)(int32_t id);
    uint8_t (*register_stream)(const char *name);
    const struct xpti_payload *(*query_payload)(struct xpti_event *event);
    int32_t (*register_callback)(uint8_t stream, uint16_t type, xpti_callback_fn *fn);
    struct xpti_map *(*query_metadata)(struct xpti_event *event);
    int32_t (*get_stashed)(char **key, uint64_t *value); /* NULL: before 2023 */
    /* for the check of the metadata; NULL: metadata are not read */
    int32_t (*register_object)(const char *data, size_t size, uint8_t type);
    struct xpti_event *(*make_event)(const char *name,
                                     struct xpti_payload *payload,
                                     uint16_t event_type,
                                     int activity,
                                     uint64_t *instance);
    int32_t (*add_metadata)(struct xpti_event *event, const char *key, int32_t value);
    void (*release_event)(struct xpti_event *event);
};

/* Finds the functions. Returns false and the name of the missing one. */
bool dispatcher_calls_find(const char **missing);
const struct dispatcher_calls *dispatcher_calls_get(void);
/* enum xpti_generation; 0 before dispatcher_calls_find() */
unsigned dispatcher_calls_generation(void);
/* Makes an event with metadata and reads them back. Returns true when they are equal,
 * so that the map of this dispatcher has the expected layout. */
bool dispatcher_calls_check_metadata(void);

#endif
