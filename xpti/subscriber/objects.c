#include "xpti/subscriber/objects.h"

#include <string.h>

#include "inject/base/thread.h"
#include "lib/capture/format/records.h"
#include "xpti/subscriber/dispatcher_calls.h"
#include "xpti/subscriber/mix.h"
#include "xpti/subscriber/object_numbers.h"
#include "xpti/subscriber/output.h"
#include "xpti/subscriber/selection.h"
#include "xpti/subscriber/text_numbers.h"

enum { METADATA_MAX = 64, VALUE_MAX = 4096, NAME_MAX_BYTES = 1024 };

static bool has_metadata;

void objects_read_metadata(bool on)
{
    has_metadata = on;
}

static uint32_t number_of_text(const char *text)
{
    return text && *text
               ? text_numbers_add(text, text_length(text)) & ~(uint32_t)TEXT_LEFT_OUT
               : 0;
}

static uint64_t hash_of_text(uint64_t hash, const char *text)
{
    for (size_t i = 0; text && i < TEXT_MAX && text[i]; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ULL; /* FNV-1a */
    return hash * 31 + 1;
}

/* The same in all processes: from texts, not from numbers or addresses. */
static uint64_t place_of(const struct xpti_payload *payload)
{
    uint64_t hash = hash_of_text(0xcbf29ce484222325ULL, payload->file);

    hash = hash_of_text(hash, payload->name);
    return mix(hash, (uint64_t)payload->column << 32 | payload->line);
}

static void write_value(uint64_t object, const struct xpti_map_node *node)
{
    const struct dispatcher_calls *calls = dispatcher_calls_get();
    const struct xpti_object value = calls->lookup_object(node->value);
    struct record_xpti_metadata record = {
        .object = object,
        .key = number_of_text(calls->lookup_string(node->key)),
        .type = value.type,
    };

    record.bytes = (uint32_t)(value.size < VALUE_MAX ? value.size : VALUE_MAX);
    if (value.data && record.key)
        output_write_with_bytes(RECORD_XPTI_METADATA, &record, sizeof(record),
                                value.data, record.bytes);
}

/* Returns the first metadata node. The count bounds a walk over a damaged list. */
static const struct xpti_map_node *first_value(struct xpti_event *object, size_t *count)
{
    const struct xpti_map *map =
        has_metadata ? dispatcher_calls_get()->query_metadata(object) : NULL;

    *count = map && map->count < METADATA_MAX ? map->count : map ? METADATA_MAX : 0;
    return map ? map->first : NULL;
}

static void write_metadata(struct xpti_event *object, uint64_t number)
{
    size_t left;

    for (const struct xpti_map_node *node = first_value(object, &left);
         node && left > 0; node = node->next, left--)
        write_value(number, node);
}

/* Copies the name that the filter tests: the kernel's, or that of the place. */
static void copy_name(char out[NAME_MAX_BYTES],
                      struct xpti_event *object,
                      const struct xpti_payload *payload)
{
    const struct dispatcher_calls *calls = dispatcher_calls_get();
    size_t left;

    out[0] = '\0';
    if (payload && payload->name)
        strncat(out, payload->name, NAME_MAX_BYTES - 1);
    for (const struct xpti_map_node *node = first_value(object, &left);
         node && left > 0; node = node->next, left--) {
        const char *key = calls->lookup_string(node->key);
        struct xpti_object value;

        if (!key || strcmp(key, "kernel_name") != 0)
            continue;
        value = calls->lookup_object(node->value);
        if (value.data && value.size < NAME_MAX_BYTES) {
            memcpy(out, value.data, value.size);
            out[value.size] = '\0';
        }
        return;
    }
}

static void write_object(struct xpti_event *object,
                         const struct xpti_payload *payload,
                         uint64_t number)
{
    struct record_xpti_object record = {
        .object = number,
        .time_ns = thread_now_ns(),
        .uid = object->uid,
        .instance = object->instance,
        .event_type = object->event_type,
        .activity = object->activity,
    };

    if (payload) {
        record.place = place_of(payload);
        record.name = number_of_text(payload->name);
        record.file = number_of_text(payload->file);
        record.line = payload->line;
        record.column = payload->column;
    }
    output_write(RECORD_XPTI_OBJECT, &record, sizeof(record));
    write_metadata(object, number);
}

/* Only nodes are left out: queues, waits and the like give the nodes a meaning. */
static bool
is_left_out(struct xpti_event *object, const struct xpti_payload *payload, bool is_node)
{
    char name[NAME_MAX_BYTES];

    if (!is_node)
        return false;
    copy_name(name, object, payload);
    return !selection_has_name(name);
}

uint64_t objects_number(struct xpti_event *object, bool is_new)
{
    const uint64_t key = object_key(object);
    uint64_t number = is_new ? 0 : object_numbers_find(key);
    const struct xpti_payload *payload;

    if (number != 0)
        return number;
    payload = dispatcher_calls_get()->query_payload(object);
    number = object_numbers_next();
    if (is_left_out(object, payload, is_new))
        number |= OBJECT_LEFT_OUT;
    else
        write_object(object, payload, number);
    object_numbers_put(key, number);
    if (is_new)
        object_numbers_put(object_uid_key(object->uid), number);
    return number;
}

uint64_t objects_number_of_uid(uint64_t uid)
{
    return object_numbers_find(object_uid_key(uid));
}
