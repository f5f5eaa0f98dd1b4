/* context.h - the current context of a thread, which selects its card
 *
 * `device` is the user's number: an index among the cards of ASCEND_RT_VISIBLE_DEVICES.
 * `card` is the number of the driver. Contexts are never freed: a thread can still have
 * a context that another thread destroyed, and its calls must then fail. */
#ifndef SIM_RUNTIME_CONTEXT_H
#define SIM_RUNTIME_CONTEXT_H

#include <acl/acl.h>
#include <stdbool.h>
#include <stdint.h>

struct stream;

struct context {
    uint32_t magic;
    bool alive;
    bool primary;  /* the one that aclrtSetDevice selects */
    bool is_reset; /* a reset ended it: the program still has to destroy it */
    int32_t device;
    uint32_t card;
    struct stream *default_stream;
    struct context *next;
};

/* Returns 0 and the context of the thread, or ACL_ERROR_RT_CONTEXT_NULL. */
aclError context_current(struct context **out);
bool context_is_forked(void); /* true in a forked child, which has no runtime threads */
bool context_has_device(int32_t device);
uint32_t context_card_of(int32_t device);
uint32_t context_device_count(void);
/* Returns the card of the thread's context, else the first visible card. */
uint32_t context_any_card(void);

#endif
