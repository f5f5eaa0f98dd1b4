#include "xpti/dispatcher/thread_state.h"

#include <stdatomic.h>
#include <stdio.h>

#include "xpti/abi/dispatch.h"

enum { KEY_BYTES = 64 };

static __thread struct {
    uint64_t universal_id;
    struct xpti_tracepoint *scope;
    uint64_t stashed;
    char key[KEY_BYTES]; /* "": nothing is stashed */
} own;
static atomic_bool scope_notification;

uint64_t xptiGetUniversalId(void)
{
    return own.universal_id;
}

void xptiSetUniversalId(uint64_t id)
{
    own.universal_id = id;
}

int32_t xptiStashTuple(const char *key, uint64_t value)
{
    if (!key || !*key)
        return XPTI_INVALID_ARGUMENT;
    snprintf(own.key, sizeof(own.key), "%s", key);
    own.stashed = value;
    return XPTI_SUCCESS;
}

int32_t xptiGetStashedTuple(char **key, uint64_t *value)
{
    if (!key || !value)
        return XPTI_INVALID_ARGUMENT;
    if (!own.key[0])
        return XPTI_NOT_FOUND;
    *key = own.key;
    *value = own.stashed;
    return XPTI_SUCCESS;
}

void xptiUnstashTuple(void)
{
    own.key[0] = '\0';
}

struct xpti_tracepoint *xptiGetTracepointScopeData(void)
{
    return own.scope;
}

int32_t xptiSetTracepointScopeData(struct xpti_tracepoint *tracepoint)
{
    if (!tracepoint)
        return XPTI_INVALID_ARGUMENT;
    own.scope = tracepoint;
    return XPTI_SUCCESS;
}

void xptiUnsetTracepointScopeData(void)
{
    own.scope = NULL;
}

void xptiEnableTracepointScopeNotification(bool on)
{
    atomic_store(&scope_notification, on);
}

bool xptiCheckTracepointScopeNotification(void)
{
    return atomic_load(&scope_notification);
}

void thread_state_reset(void)
{
    own.universal_id = own.stashed = 0;
    own.scope = NULL;
    own.key[0] = '\0';
    atomic_store(&scope_notification, false);
}
