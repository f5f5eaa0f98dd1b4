/* proxy.h - the part of an instrumented program that reaches the XPTI dispatcher
 *
 * A program links these functions. Without XPTI_FRAMEWORK_DISPATCHER, or when the
 * dispatcher lacks a function, nothing is traced. The declarations belong to the
 * program: a vendor's library has its own, too. */
#ifndef SIM_XPTI_PROXY_H
#define SIM_XPTI_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct place { /* 80 bytes, a payload */
    const char *name, *stack, *file;
    uint32_t line, column;
    const void *code;
    uint64_t more[5]; /* the first one after the unused number: flags */
};

struct event { /* 128 bytes */
    uint64_t uid, data, instance;
    uint16_t event_type, activity;
    uint32_t unused;
    uint64_t source, target;
    const struct place *place;
    unsigned char metadata[56];
    void *user;
    uint64_t flags;
};

typedef void callback_fn(uint16_t type,
                         struct event *parent,
                         struct event *object,
                         uint64_t instance,
                         const void *user);

struct proxy {
    void (*framework_initialize)(void);
    void (*framework_finalize)(void);
    int32_t (*initialize)(const char *stream,
                          uint32_t major,
                          uint32_t minor,
                          const char *version);
    void (*finalize)(const char *stream);
    uint64_t (*unique_id)(void);
    uint32_t (*register_string)(const char *text, char **interned);
    int32_t (*register_object)(const char *data, size_t size, uint8_t type);
    uint8_t (*register_stream)(const char *name);
    int32_t (*register_callback)(uint8_t stream, uint16_t type, callback_fn *fn);
    struct event *(*make_event)(const char *name,
                                struct place *place,
                                uint16_t event_type,
                                int activity,
                                uint64_t *instance);
    int32_t (*notify)(uint8_t stream,
                      uint16_t type,
                      struct event *parent,
                      struct event *object,
                      uint64_t instance,
                      const void *user);
    int32_t (*add_metadata)(struct event *event, const char *key, int32_t value);
    bool (*trace_enabled)(void);
    bool (*check_enabled)(uint16_t stream, uint16_t type);
    void (*release_event)(struct event *event);
    int32_t (*stash)(const char *key, uint64_t value);
    void (*unstash)(void);
    uint8_t (*detail_level)(uint8_t stream);
};

enum { PROXY_YEAR = 2026 };

/* Loads the dispatcher as a program of the year does: it needs the functions that such
 * programs bind. Returns false when nothing is traced. */
bool proxy_open(unsigned year);
/* Returns the dispatcher's functions. Each function of this file that sends something
 * tests `proxy_is_open` first. */
const struct proxy *proxy_get(void);
extern bool proxy_is_open;
/* Unloads the dispatcher, as a program does that unloads its libraries early. */
void proxy_close(void);

#endif
