#include "tests/xpti/cpp_view.h"

#include <unordered_map>

enum class activity : int {};

struct payload_object {
    virtual ~payload_object() = default;
    virtual const char *name() const = 0;
    virtual const char *file() const = 0;
    virtual uint32_t line() const = 0;
    virtual uint32_t column() const = 0;
    virtual uint64_t flags() const = 0;
    virtual int32_t name_number() const = 0;
    virtual int32_t file_number() const = 0;
    virtual uint64_t uid() const = 0;
    virtual bool is_valid() const = 0;
    virtual void *payload_ref() = 0;
};

struct metadata_object {
    virtual ~metadata_object() = default;
    virtual int32_t first_item(char **key, int32_t &value) = 0;
    virtual int32_t next_item(char **key, int32_t &value) = 0;
    virtual int32_t add_item(const char *key, int32_t value) = 0;
    virtual size_t count() = 0;
};

struct event_object {
    virtual ~event_object() = default;
    virtual payload_object *payload() = 0;
    virtual metadata_object *metadata() = 0;
    virtual uint64_t uid() const = 0;
    virtual uint64_t instance() const = 0;
    virtual uint16_t event_type() const = 0;
    virtual uint16_t activity_type() const = 0;
    virtual uint64_t source() const = 0;
    virtual uint64_t target() const = 0;
    virtual uint64_t flags() const = 0;
    virtual void set_activity(activity type) = 0;
    virtual void set_event_type(uint16_t type) = 0;
    virtual void *payload_ref() = 0;
    virtual void *event_ref() = 0;
};

struct tracepoint_object {
    virtual ~tracepoint_object() = default;
    virtual payload_object *payload() = 0;
    virtual metadata_object *metadata() = 0;
    virtual event_object *event() = 0;
    virtual uint64_t uid() const = 0;
    virtual uint64_t instance() const = 0;
    virtual void *event_ref() = 0;
    virtual void *payload_ref() = 0;
};

using map = std::unordered_map<uint32_t, int32_t>;

static void read_metadata(metadata_object *metadata, cpp_view *out)
{
    char *key = nullptr;
    int32_t value = 0;
    int32_t result = metadata->first_item(&key, value);

    for (; result == 0 && out->key_count < CPP_VIEW_KEYS;
         result = metadata->next_item(&key, value)) {
        out->keys[out->key_count] = key;
        out->values[out->key_count++] = value;
    }
    out->metadata_count = metadata->count();
}

bool cpp_view_read(void *tracepoint, cpp_view *out)
{
    tracepoint_object *point = static_cast<tracepoint_object *>(tracepoint);
    payload_object *payload = point->payload();
    event_object *event = point->event();

    *out = cpp_view();
    out->uid = event->uid();
    out->instance = event->instance();
    out->source = event->source();
    out->target = event->target();
    out->flags = event->flags();
    out->event_type = event->event_type();
    out->activity = event->activity_type();
    out->name = payload->name();
    out->file = payload->file();
    out->line = payload->line();
    out->column = payload->column();
    out->name_number = payload->name_number();
    out->file_number = payload->file_number();
    out->payload_uid = payload->uid();
    out->payload_is_valid = payload->is_valid() && payload->flags() != 0;
    out->payload = payload->payload_ref();
    out->event = event->event_ref();
    read_metadata(point->metadata(), out);
    return point->uid() == out->uid && point->instance() == out->instance &&
           point->event_ref() == out->event && point->payload_ref() == out->payload &&
           event->payload_ref() == out->payload && event->payload() == payload &&
           event->metadata() == point->metadata();
}

void cpp_view_change(void *tracepoint, uint16_t event_type, int activity_type)
{
    event_object *event = static_cast<tracepoint_object *>(tracepoint)->event();

    event->set_event_type(event_type);
    event->set_activity(static_cast<activity>(activity_type));
}

int32_t cpp_view_add_metadata(void *tracepoint, const char *key, int32_t value)
{
    return static_cast<tracepoint_object *>(tracepoint)
        ->metadata()
        ->add_item(key, value);
}

int32_t cpp_view_find(const void *address, uint32_t key)
{
    const map *values = static_cast<const map *>(address);
    map::const_iterator found = values->find(key);

    return found == values->end() ? 0 : found->second;
}

int32_t cpp_view_sum(const void *address)
{
    int32_t sum = 0;

    for (const map::value_type &value : *static_cast<const map *>(address))
        sum += value.second;
    return sum;
}
