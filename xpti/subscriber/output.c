#include "xpti/subscriber/output.h"

#include <unistd.h>

#include "inject/base/private_fd.h"
#include "inject/session/record_output.h"
#include "inject/session/worker_connection.h"
#include "lib/capture/format/records.h"

atomic_int output_state_now;
static struct private_fd channel = PRIVATE_FD_NONE;

static bool connect_to_worker(void)
{
    int fds[CONTROL_FDS_MAX], own = -1, control = worker_connection_find_socket();
    union control_message config;
    bool good;

    if (control < 0 || !worker_connection_open(control, &own, &config, fds))
        return false;
    good = record_output_start(fds[CONFIG_RING], config.config.ring_bytes,
                               config.config.ring_lanes, fds[CONFIG_RING_WAKE]) == 0;
    if (good)
        fds[CONFIG_RING_WAKE] = -1; /* the record output owns it */
    worker_connection_close_fds(fds);
    if (good)
        private_fd_take(&channel, own);
    else
        close(own);
    return good;
}

bool output_open(void)
{
    bool good;

    if (atomic_load(&output_state_now) != OUTPUT_CLOSED)
        return output_is_open();
    good = connect_to_worker();
    atomic_store_explicit(&output_state_now, good ? OUTPUT_OPEN : OUTPUT_OFF,
                          memory_order_release);
    return good;
}

void output_end(void)
{
    atomic_store(&output_state_now, OUTPUT_OFF);
    record_output_stop();
    private_fd_close(&channel);
}

void output_reset(void)
{
    record_output_reset();
    private_fd_close(&channel);
    if (atomic_load(&output_state_now) == OUTPUT_OPEN)
        atomic_store(&output_state_now, OUTPUT_CLOSED);
}

void output_write(uint16_t kind, const void *record, size_t size)
{
    record_output_record(kind, record, size);
}

void output_write_with_bytes(uint16_t kind,
                             void *head,
                             size_t head_bytes,
                             const void *bytes,
                             size_t size)
{
    record_output_with_bytes(kind, head, head_bytes, bytes, (uint32_t)size);
}

void output_write_event(uint64_t time_ns, const void *record, size_t size)
{
    record_output_quick(RECORD_XPTI_EVENT, time_ns, record, size);
}

void output_count_drop(uint16_t kind)
{
    record_output_count_drop(kind);
}
