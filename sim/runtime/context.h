/* context.h - which card a thread works on
 *
 * A device number here is the user's: an index into what ASCEND_RT_VISIBLE_DEVICES
 * left; context->card is the driver's. Contexts are never freed: a thread may still
 * point to one that another thread destroyed, and must be told so. */
#ifndef SIM_RUNTIME_CONTEXT_H
#define SIM_RUNTIME_CONTEXT_H

#include <acl/acl.h>
#include <stdbool.h>
#include <stdint.h>

struct stream;

struct context {
    uint32_t magic;
    bool alive;
    bool primary; /* the one that aclrtSetDevice selects */
    int32_t device;
    uint32_t card;
    struct stream *default_stream;
    struct context *next;
};

/* 0 and the thread's context, or ACL_ERROR_RT_CONTEXT_NULL. */
aclError context_current(struct context **out);
bool context_is_forked(void); /* the runtime's threads are gone: nothing can run */
bool context_has_device(int32_t device);
uint32_t context_card_of(int32_t device);
uint32_t context_device_count(void);
/* The card of the thread's context; without one the first that is visible. */
uint32_t context_any_card(void);

#endif
