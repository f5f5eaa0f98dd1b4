/* hooks_mstx.c - marks and ranges of the program (mstx)
 *
 * The mstx header is compiled into each binary. At its first mark, a binary looks up
 * InitInjectionMstx and passes tables, into which inject writes its functions. So the
 * function is called once for each binary. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "inject/base/runtime.h"
#include "inject/hooks/hook_frame.h"
#include "inject/launch/range_replay.h"
#include "inject/program/marked_ranges.h"
#include "inject/program/mem_event.h"
#include "inject/session/pass_context.h"
#include "inject/session/record_output.h"
#include "lib/capture/format/records.h"

typedef void pointer_fn(void);
typedef int get_table_fn(int module, pointer_fn ****table, unsigned *size);

enum { MODULE_CORE = 1, MODULE_DOMAIN, MODULE_MEMORY };
enum { TOOL_ID = 0x1001, UNKNOWN_DEVICE = 0xffffffff };

/* Id of a range that is not stored. For programs the id 0 is an error. */
static const uint64_t NOT_OPEN = UINT64_MAX;

/* The handle of a domain is an address in this array. */
static char handles[65];

static void *handle_of(uint32_t domain)
{
    return &handles[domain];
}

static uint32_t domain_of(const void *handle)
{
    const char *at = handle;

    return at >= handles && at < handles + sizeof(handles) ? (uint32_t)(at - handles)
                                                           : 0;
}

static void write_stamp(enum stamp_kind kind,
                        uint32_t domain,
                        uint64_t range,
                        const char *text,
                        void *stream)
{
    struct record_stamp stamp = {
        .time_ns = thread_now_ns(),
        .range = range,
        .domain = domain,
        .kind = kind,
        .thread = thread_number(),
        .stream = -1,
        .device = UNKNOWN_DEVICE,
    };
    struct pass_context context;
    int device;

    if (!session_is_on())
        return;
    if (pass_context_get(&context))
        stamp.launch = context.launch;
    device = runtime_device();
    if (device >= 0)
        stamp.device = (uint32_t)runtime_logical(device);
    if (stream)
        stamp.stream = runtime_stream_id(stream);
    domain_write(domain, stamp.domain_name);
    if (text)
        memcpy(stamp.text, text, strnlen(text, sizeof(stamp.text) - 1));
    record_output_if_room(RECORD_STAMP, &stamp, sizeof(stamp));
}

static void mark_in(void *domain, const char *text, void *stream)
{
    int saved = errno;

    if (hook_depth > 0) /* a signal handler of the program interrupted a hook */
        return;
    hook_depth++;
    write_stamp(STAMP_MARK, domain_of(domain), 0, text, stream);
    hook_leave();
    errno = saved;
}

static void mark(const char *text, void *stream)
{
    mark_in(NULL, text, stream);
}

static uint64_t start_in(void *domain, const char *text, void *stream)
{
    int saved = errno;
    uint64_t id;

    if (hook_depth > 0)
        return NOT_OPEN;
    hook_depth++;
    range_on_start(text);
    id = range_begin(domain_of(domain), text);
    write_stamp(STAMP_RANGE_START, domain_of(domain), id, text, stream);
    hook_leave();
    errno = saved;
    return id;
}

static uint64_t start(const char *text, void *stream)
{
    return start_in(NULL, text, stream);
}

static void end(uint64_t id)
{
    int saved = errno;
    struct range range;

    if (hook_depth > 0)
        return;
    hook_depth++;
    range_on_end(id);
    if (range_end(id, &range))
        write_stamp(STAMP_RANGE_END, range.domain, id, NULL, NULL);
    hook_leave();
    errno = saved;
}

static void end_in(void *domain, uint64_t id)
{
    (void)domain;
    end(id);
}

static void tool_id(uint64_t *id)
{
    if (id)
        *id = TOOL_ID;
}

static void *create_domain(const char *name)
{
    return handle_of(domain_open(name));
}

/* Keeps the name, because records refer to it. */
static void destroy_domain(void *domain)
{
    (void)domain;
}

/* Permissions are for memory checkers only. */
static void assign_permissions(void *domain, const void *permissions)
{
    (void)domain;
    (void)permissions;
}

static const struct row {
    int module;
    unsigned id;
    pointer_fn *function;
} rows[] = {
    {MODULE_CORE, 1, (pointer_fn *)mark},
    {MODULE_CORE, 2, (pointer_fn *)start},
    {MODULE_CORE, 3, (pointer_fn *)end},
    {MODULE_CORE, 4, (pointer_fn *)tool_id},
    {MODULE_DOMAIN, 1, (pointer_fn *)create_domain},
    {MODULE_DOMAIN, 2, (pointer_fn *)destroy_domain},
    {MODULE_DOMAIN, 3, (pointer_fn *)mark_in},
    {MODULE_DOMAIN, 4, (pointer_fn *)start_in},
    {MODULE_DOMAIN, 5, (pointer_fn *)end_in},
    {MODULE_MEMORY, 1, (pointer_fn *)heap_register},
    {MODULE_MEMORY, 2, (pointer_fn *)heap_unregister},
    {MODULE_MEMORY, 3, (pointer_fn *)regions_register},
    {MODULE_MEMORY, 4, (pointer_fn *)regions_unregister},
    {MODULE_MEMORY, 5, (pointer_fn *)assign_permissions},
};

EXPORT int InitInjectionMstx(get_table_fn *get_table);
EXPORT int InitInjectionMstx(get_table_fn *get_table)
{
    int saved = errno;

    if (!get_table)
        return 1;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && lifecycle_is_requested();
         i++) {
        pointer_fn ***table = NULL;
        unsigned size = 0;

        if (get_table(rows[i].module, &table, &size) == 0 && table &&
            rows[i].id < size && table[rows[i].id])
            *table[rows[i].id] = rows[i].function;
    }
    errno = saved;
    return 0;
}
