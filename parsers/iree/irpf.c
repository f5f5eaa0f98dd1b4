#include "parsers/iree/irpf.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"

enum { MAJOR = 1, FILE_HEAD = 24, RECORD_HEAD = 104, FLAG_TRUNCATED = 1 };

static const char type_prefix[] = "application/vnd.iree.hal.profile.";

/* Content types whose items this reader decodes, with the least size of an item. */
static const struct {
    const char *name;
    uint32_t least;
} contents[] = {
    [IRPF_SESSION] = {"session", 0},
    [IRPF_DEVICES] = {"devices", 32},
    [IRPF_QUEUES] = {"queues", 24},
    [IRPF_FUNCTIONS] = {"executable-functions", 64},
    [IRPF_CLOCKS] = {"clock-correlations", 72},
    [IRPF_DISPATCHES] = {"dispatch-events", 88},
    [IRPF_QUEUE_EVENTS] = {"queue-events", 104},
    [IRPF_QUEUE_DEVICE_EVENTS] = {"queue-device-events", 96},
    [IRPF_HOST_EXECUTIONS] = {"host-execution-events", 152},
    [IRPF_MEMORY_EVENTS] = {"memory-events", 160},
    [IRPF_RELATIONSHIPS] = {"event-relationships", 72},
    [IRPF_OTHER] = {"other", 0},
};

static_assert(COUNT(contents) == IRPF_CONTENTS, "every content has its row");

#define FIELD(content, member, at)                                                     \
    {                                                                                  \
        content, at, offsetof(struct irpf_item, member),                               \
            sizeof(((struct irpf_item *)0)->member)                                    \
    }

/* Where the fields of each content lie in its items. */
static const struct {
    enum irpf_content content;
    uint16_t at, member, bytes;
} fields[] = {
    FIELD(IRPF_DEVICES, flags, 4),
    FIELD(IRPF_DEVICES, device, 8),
    FIELD(IRPF_DEVICES, queue_count, 12),
    FIELD(IRPF_QUEUES, device, 4),
    FIELD(IRPF_QUEUES, queue, 8),
    FIELD(IRPF_QUEUES, stream, 16),
    FIELD(IRPF_FUNCTIONS, executable, 8),
    FIELD(IRPF_FUNCTIONS, function, 16),
    FIELD(IRPF_FUNCTIONS, size, 32),
    FIELD(IRPF_CLOCKS, flags, 4),
    FIELD(IRPF_CLOCKS, device, 8),
    FIELD(IRPF_CLOCKS, tick, 24),
    FIELD(IRPF_CLOCKS, driver_ns, 32),
    FIELD(IRPF_CLOCKS, bracket_first_ns, 56),
    FIELD(IRPF_CLOCKS, bracket_last_ns, 64),
    FIELD(IRPF_DISPATCHES, flags, 4),
    FIELD(IRPF_DISPATCHES, event, 8),
    FIELD(IRPF_DISPATCHES, submission, 16),
    FIELD(IRPF_DISPATCHES, command_buffer, 24),
    FIELD(IRPF_DISPATCHES, executable, 32),
    FIELD(IRPF_DISPATCHES, command, 40),
    FIELD(IRPF_DISPATCHES, function, 44),
    FIELD(IRPF_DISPATCHES, count, 48),
    FIELD(IRPF_DISPATCHES, size, 60),
    FIELD(IRPF_DISPATCHES, start, 72),
    FIELD(IRPF_DISPATCHES, end, 80),
    FIELD(IRPF_QUEUE_EVENTS, type, 4),
    FIELD(IRPF_QUEUE_EVENTS, flags, 8),
    FIELD(IRPF_QUEUE_EVENTS, strategy, 12),
    FIELD(IRPF_QUEUE_EVENTS, event, 16),
    FIELD(IRPF_QUEUE_EVENTS, start, 24),
    FIELD(IRPF_QUEUE_EVENTS, submission, 32),
    FIELD(IRPF_QUEUE_EVENTS, command_buffer, 40),
    FIELD(IRPF_QUEUE_EVENTS, allocation, 48),
    FIELD(IRPF_QUEUE_EVENTS, stream, 56),
    FIELD(IRPF_QUEUE_EVENTS, device, 64),
    FIELD(IRPF_QUEUE_EVENTS, queue, 68),
    FIELD(IRPF_QUEUE_EVENTS, waits, 72),
    FIELD(IRPF_QUEUE_EVENTS, signals, 76),
    FIELD(IRPF_QUEUE_EVENTS, barriers, 80),
    /* 4 bytes in the file */
    {IRPF_QUEUE_EVENTS, 84, offsetof(struct irpf_item, operations), 4},
    FIELD(IRPF_QUEUE_EVENTS, payload, 88),
    FIELD(IRPF_QUEUE_EVENTS, ready_ns, 96),
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, type, 4),
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, flags, 8),
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, event, 16),
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, submission, 24),
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, command_buffer, 32),
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, allocation, 40),
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, stream, 48),
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, payload, 56),
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, device, 64),
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, queue, 68),
    {IRPF_QUEUE_DEVICE_EVENTS, 72, offsetof(struct irpf_item, operations), 4},
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, start, 80),
    FIELD(IRPF_QUEUE_DEVICE_EVENTS, end, 88),
    FIELD(IRPF_HOST_EXECUTIONS, type, 4),
    FIELD(IRPF_HOST_EXECUTIONS, flags, 8),
    FIELD(IRPF_HOST_EXECUTIONS, status, 12),
    FIELD(IRPF_HOST_EXECUTIONS, event, 16),
    FIELD(IRPF_HOST_EXECUTIONS, submission, 24),
    FIELD(IRPF_HOST_EXECUTIONS, command_buffer, 32),
    FIELD(IRPF_HOST_EXECUTIONS, executable, 40),
    FIELD(IRPF_HOST_EXECUTIONS, allocation, 48),
    FIELD(IRPF_HOST_EXECUTIONS, stream, 56),
    FIELD(IRPF_HOST_EXECUTIONS, device, 64),
    FIELD(IRPF_HOST_EXECUTIONS, queue, 68),
    FIELD(IRPF_HOST_EXECUTIONS, command, 72),
    FIELD(IRPF_HOST_EXECUTIONS, function, 76),
    FIELD(IRPF_HOST_EXECUTIONS, count, 80),
    FIELD(IRPF_HOST_EXECUTIONS, size, 92),
    FIELD(IRPF_HOST_EXECUTIONS, start, 104),
    FIELD(IRPF_HOST_EXECUTIONS, end, 112),
    FIELD(IRPF_HOST_EXECUTIONS, payload, 120),
    {IRPF_HOST_EXECUTIONS, 144, offsetof(struct irpf_item, operations), 4},
    FIELD(IRPF_MEMORY_EVENTS, type, 4),
    FIELD(IRPF_MEMORY_EVENTS, flags, 8),
    FIELD(IRPF_MEMORY_EVENTS, status, 12),
    FIELD(IRPF_MEMORY_EVENTS, event, 16),
    FIELD(IRPF_MEMORY_EVENTS, start, 24),
    FIELD(IRPF_MEMORY_EVENTS, allocation, 32),
    FIELD(IRPF_MEMORY_EVENTS, pool, 40),
    FIELD(IRPF_MEMORY_EVENTS, backing, 48),
    FIELD(IRPF_MEMORY_EVENTS, submission, 56),
    FIELD(IRPF_MEMORY_EVENTS, device, 64),
    FIELD(IRPF_MEMORY_EVENTS, queue, 68),
    FIELD(IRPF_MEMORY_EVENTS, offset, 96),
    FIELD(IRPF_MEMORY_EVENTS, payload, 104),
    FIELD(IRPF_RELATIONSHIPS, type, 4),
    FIELD(IRPF_RELATIONSHIPS, event, 8),
    FIELD(IRPF_RELATIONSHIPS, source_type, 16),
    FIELD(IRPF_RELATIONSHIPS, target_type, 20),
    FIELD(IRPF_RELATIONSHIPS, device, 24),
    FIELD(IRPF_RELATIONSHIPS, queue, 28),
    FIELD(IRPF_RELATIONSHIPS, stream, 32),
    FIELD(IRPF_RELATIONSHIPS, source_id, 40),
    FIELD(IRPF_RELATIONSHIPS, target_id, 56),
};

enum { DEVICE_UUID_AT = 16, FUNCTION_NAME_BYTES_AT = 44, FUNCTION_NAME_AT = 64 };

bool irpf_is_head(const uint8_t *bytes, uint64_t size)
{
    return size >= FILE_HEAD && memcmp(bytes, "IRPF", 4) == 0 &&
           load_u16(bytes + 4) == MAJOR && load_u32(bytes + 8) >= FILE_HEAD;
}

int irpf_open(struct irpf *irpf, const uint8_t *bytes, uint64_t size, struct err *err)
{
    uint32_t head;

    *irpf = (struct irpf){.bytes = bytes, .size = size};
    if (size < FILE_HEAD)
        return err_set(err, ERR_INPUT,
                       "the head of the profile has %" PRIu64 " of %d bytes", size,
                       FILE_HEAD);
    irpf->major = load_u16(bytes + 4);
    irpf->minor = load_u16(bytes + 6);
    head = load_u32(bytes + 8);
    irpf->stated = load_u64(bytes + 16);
    if (irpf->major != MAJOR)
        return err_set(err, ERR_INPUT,
                       "version: %u.%u is not supported; muster reads %d", irpf->major,
                       irpf->minor, MAJOR);
    if (head < FILE_HEAD || head > size)
        return err_set(err, ERR_INPUT,
                       "header length: %" PRIu32 " is not between %d and %" PRIu64,
                       head, FILE_HEAD, size);
    if (irpf->stated && irpf->stated < head)
        return err_set(err, ERR_INPUT,
                       "file length: %" PRIu64 " is less than its head of %" PRIu32
                       " bytes",
                       irpf->stated, head);
    irpf->at = head;
    if (irpf->stated > size)
        irpf->missing = irpf->stated - size;
    else if (irpf->stated)
        irpf->size = irpf->stated;
    return 0;
}

/* Profiles before version 1.6 have another name for the same items. */
static const char old_functions[] = "executable-exports";

static bool has_type(const struct irpf_record *record, const char *name)
{
    return strlen(name) == record->type_bytes &&
           memcmp(name, record->type, record->type_bytes) == 0;
}

static void find_content(struct irpf_record *record)
{
    size_t prefix = sizeof(type_prefix) - 1;

    record->content = IRPF_OTHER;
    if (record->type_bytes < prefix || memcmp(record->type, type_prefix, prefix) != 0)
        return;
    record->type += prefix;
    record->type_bytes -= (uint32_t)prefix;
    for (unsigned i = 0; i < IRPF_OTHER; i++)
        if (has_type(record, contents[i].name))
            record->content = i;
    if (has_type(record, old_functions))
        record->content = IRPF_FUNCTIONS;
}

static bool end_with(struct irpf *irpf, const char *field, uint64_t value)
{
    snprintf(irpf->problem, sizeof(irpf->problem),
             "record at %" PRIu64 ": %s %" PRIu64 " does not fit; %" PRIu64
             " bytes are not read",
             irpf->at, field, value, irpf->size - irpf->at);
    return false;
}

bool irpf_next(struct irpf *irpf, struct irpf_record *record)
{
    const uint8_t *bytes = irpf->bytes + irpf->at;
    uint64_t left = irpf->size - irpf->at, length, payload;
    uint32_t head, type_bytes, name_bytes;

    if (left == 0 || irpf->problem[0])
        return false;
    /* a profile without a stated length may be followed by another one */
    if (!irpf->stated && irpf_is_head(bytes, left))
        return false;
    if (left < RECORD_HEAD)
        return end_with(irpf, "its head of", RECORD_HEAD);
    length = load_u64(bytes);
    payload = load_u64(bytes + 8);
    head = load_u32(bytes + 56);
    type_bytes = load_u32(bytes + 60);
    name_bytes = load_u32(bytes + 64);
    if (length < RECORD_HEAD || length > left)
        return end_with(irpf, "record length", length);
    if (head < RECORD_HEAD || head > length)
        return end_with(irpf, "header length", head);
    if (type_bytes > length - head)
        return end_with(irpf, "content type length", type_bytes);
    if (name_bytes > length - head - type_bytes)
        return end_with(irpf, "name length", name_bytes);
    if (payload > length - head - type_bytes - name_bytes)
        return end_with(irpf, "payload length", payload);
    *record = (struct irpf_record){
        .offset = irpf->at,
        .bytes = length,
        .type = (const char *)bytes + head,
        .type_bytes = type_bytes,
        .name = (const char *)bytes + head + type_bytes,
        .name_bytes = name_bytes,
        .payload = bytes + head + type_bytes + name_bytes,
        .payload_bytes = payload,
        .session = load_u64(bytes + 16),
        .device = load_u32(bytes + 68),
        .queue = load_u32(bytes + 72),
        .is_truncated = load_u64(bytes + 80) & FLAG_TRUNCATED,
        .dropped = load_u64(bytes + 88),
        .status = load_u32(bytes + 96),
        .kind = load_u16(bytes + 100),
    };
    find_content(record);
    irpf->at += length;
    return true;
}

/* Copies the fields of an item; the file and this program are little endian. */
static void copy_fields(struct irpf_item *item, const uint8_t *bytes)
{
    for (size_t i = 0; i < COUNT(fields); i++)
        if (fields[i].content == item->content)
            memcpy((char *)item + fields[i].member, bytes + fields[i].at,
                   fields[i].bytes);
}

static int read_name(struct irpf_item *item,
                     const uint8_t *bytes,
                     uint32_t length,
                     struct err *err)
{
    item->name_bytes = load_u32(bytes + FUNCTION_NAME_BYTES_AT);
    item->name = (const char *)bytes + FUNCTION_NAME_AT;
    if (item->name_bytes <= length - FUNCTION_NAME_AT)
        return 0;
    return err_set(err, ERR_INPUT,
                   "name length %" PRIu32 " is more than the %" PRIu32
                   " bytes of the item",
                   item->name_bytes, length);
}

int irpf_next_item(const struct irpf_record *record,
                   uint64_t *at,
                   struct irpf_item *item,
                   struct err *err)
{
    uint64_t left = record->payload_bytes - *at;
    const uint8_t *bytes = record->payload + *at;
    uint32_t length, least = contents[record->content].least;

    if (left == 0 || least == 0)
        return 0;
    length = left < 4 ? 0 : load_u32(bytes);
    if (length < least || length > left)
        return err_set(err, ERR_INPUT,
                       "record at %" PRIu64 ": item of %s at byte %" PRIu64
                       " of its payload: length %" PRIu32 " is not between %" PRIu32
                       " and %" PRIu64,
                       record->offset, contents[record->content].name, *at, length,
                       least, left);
    *item = (struct irpf_item){.content = record->content,
                               .device = record->device,
                               .queue = record->queue,
                               .command = IRPF_NONE,
                               .function = IRPF_NONE};
    copy_fields(item, bytes);
    if (record->content == IRPF_DEVICES)
        item->uuid = bytes + DEVICE_UUID_AT;
    if (record->content == IRPF_FUNCTIONS && read_name(item, bytes, length, err) < 0)
        return -1;
    *at += length;
    return 1;
}

const char *irpf_content_name(enum irpf_content content)
{
    return contents[content].name;
}

const char *irpf_operation_name(uint32_t type)
{
    static const char *const names[] = {"other", "barrier", "dispatch", "execute",
                                        "copy",  "fill",    "update",   "read",
                                        "write", "alloca",  "dealloca", "host-call"};

    return type < COUNT(names) ? names[type] : names[0];
}
