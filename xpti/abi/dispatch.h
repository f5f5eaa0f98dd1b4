/* dispatch.h - the functions that a dispatcher exports
 *
 * A producer's proxy binds all of them by name, and refuses a dispatcher that lacks
 * one. */
#ifndef XPTI_ABI_DISPATCH_H
#define XPTI_ABI_DISPATCH_H

#include "xpti/abi/abi.h"

#pragma GCC visibility push(default)

struct xpti_tracepoint; /* objects with a C++ interface */
struct xpti_event_view;
struct xpti_payload_view;

void xptiFrameworkInitialize(void);
void xptiFrameworkFinalize(void);
int32_t
xptiInitialize(const char *stream, uint32_t major, uint32_t minor, const char *version);
void xptiFinalize(const char *stream);
uint64_t xptiGetUniversalId(void); /* of the thread */
void xptiSetUniversalId(uint64_t id);
uint64_t xptiGetUniqueId(void);
uint32_t xptiRegisterString(const char *text, char **interned);
const char *xptiLookupString(uint32_t id);
int32_t xptiRegisterObject(const char *data, size_t size, uint8_t type);
struct xpti_object xptiLookupObject(int32_t id);
uint8_t xptiRegisterStream(const char *name);
int32_t xptiUnregisterStream(const char *name);
uint16_t xptiRegisterUserDefinedTracePoint(const char *tool, uint8_t number);
uint16_t xptiRegisterUserDefinedEventType(const char *tool, uint8_t number);
struct xpti_event *xptiMakeEvent(const char *name,
                                 struct xpti_payload *payload,
                                 uint16_t event_type,
                                 int activity,
                                 uint64_t *instance);
const struct xpti_event *xptiFindEvent(uint64_t uid);
const struct xpti_payload *xptiQueryPayload(struct xpti_event *event);
int32_t xptiRegisterCallback(uint8_t stream, uint16_t type, xpti_callback_fn *fn);
int32_t xptiUnregisterCallback(uint8_t stream, uint16_t type, xpti_callback_fn *fn);
int32_t xptiNotifySubscribers(uint8_t stream,
                              uint16_t type,
                              struct xpti_event *parent,
                              struct xpti_event *object,
                              uint64_t instance,
                              const void *user);
int32_t xptiAddMetadata(struct xpti_event *event, const char *key, int32_t value);
struct xpti_map *xptiQueryMetadata(struct xpti_event *event);
bool xptiTraceEnabled(void);
uint64_t xptiRegisterPayload(struct xpti_payload *payload);
const struct xpti_payload *xptiQueryPayloadByUID(uint64_t uid);
void xptiForceSetTraceEnabled(bool on);
bool xptiCheckTraceEnabled(uint16_t stream, uint16_t type); /* 0: any */
void xptiReleaseEvent(struct xpti_event *event);
int32_t xptiStashTuple(const char *key, uint64_t value);
int32_t xptiGetStashedTuple(char **key, uint64_t *value);
void xptiUnstashTuple(void);
void xptiEnableTracepointScopeNotification(bool on);
bool xptiCheckTracepointScopeNotification(void);
struct xpti_payload_view *xptiLookupPayload(uint64_t uid);
struct xpti_event_view *xptiLookupEvent(uint64_t uid);
struct xpti_tracepoint *xptiCreateTracepoint(const char *function,
                                             const char *file,
                                             uint32_t line,
                                             uint32_t column,
                                             const void *code);
int32_t xptiDeleteTracepoint(struct xpti_tracepoint *tracepoint);
struct xpti_tracepoint *xptiGetTracepointScopeData(void);
int32_t xptiSetTracepointScopeData(struct xpti_tracepoint *tracepoint);
void xptiUnsetTracepointScopeData(void);
struct xpti_tracepoint *xptiRegisterTracepointScope(const char *function,
                                                    const char *file,
                                                    uint32_t line,
                                                    uint32_t column);
uint8_t xptiGetDefaultStreamID(void);
int32_t xptiSetDefaultStreamID(uint8_t stream);
uint16_t xptiGetDefaultEventType(void);
int32_t xptiSetDefaultEventType(uint16_t type);
uint16_t xptiGetDefaultTraceType(void);
int32_t xptiSetDefaultTraceType(uint16_t type);
uint8_t xptiGetEffectiveStreamDetailLevel(uint8_t stream);

/* Forgets all state, for tests. Not part of a proxy. */
void xptiReset(void);

#pragma GCC visibility pop

#endif
