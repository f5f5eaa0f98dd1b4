#include "inject/lifecycle.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "inject/base/private_fd.h"
#include "inject/base/real_functions.h"
#include "inject/base/thread.h"
#include "inject/device/deferred_errors.h"
#include "inject/device/device.h"
#include "inject/device/profiling_channel.h"
#include "inject/launch/launch_numbers.h"
#include "inject/launch/range_replay.h"
#include "inject/program/comm.h"
#include "inject/program/kernel_binaries.h"
#include "inject/program/kernel_names.h"
#include "inject/program/marked_ranges.h"
#include "inject/program/mc2.h"
#include "inject/program/run_ranks.h"
#include "inject/replay/instrument.h"
#include "inject/session/pass_context.h"
#include "inject/session/record_output.h"
#include "inject/session/session.h"
#include "inject/session/worker_connection.h"
#include "lib/shm/control_channel.h"

static int control_socket = -1;     /* all processes of the operator share it */
static bool control_socket_is_ours; /* true: muster_inject_restart() received it */

/* Resets everything that belongs to one connection with a worker. */
static void forget_run(void)
{
    session_reset();
    record_output_reset();
    deferred_errors_reset();
    kernel_names_reset();
    run_ranks_reset();
    comms_reset();
    mc2_reset();
    pass_context_reset();
    marked_ranges_reset();
    range_replay_reset();
}

/* A child of fork() has one thread, no channel, no NPU and no reader of its ring. */
static void reset_in_child(void)
{
    hook_depth = 0;
    thread_reset();
    forget_run();
    profiling_reset();
    devices_reset();
    kernel_binaries_reset();
    if (session_state() != SESSION_OFF || control_socket >= 0) {
        session_set_state(SESSION_UNKNOWN);
        hooks_set_bypass(0);
    }
}

static void prepare_for_fork(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&done))
        pthread_atfork(NULL, NULL, reset_in_child);
}

bool lifecycle_is_requested(void)
{
    enum session_state state = session_state();
    int saved = errno;

    if (state != SESSION_UNKNOWN)
        return state != SESSION_OFF;
    control_socket = worker_connection_find_socket();
    if (session_change_state(&state,
                             control_socket < 0 ? SESSION_OFF : SESSION_REQUESTED)) {
        if (control_socket < 0)
            hooks_set_bypass(1);
        else
            prepare_for_fork();
    }
    errno = saved;
    return control_socket >= 0;
}

/* Uses the descriptors of the worker's answer, and closes the others. */
static bool take_config(const struct control_config *config, int fds[CONTROL_FDS_MAX])
{
    bool good = record_output_start(fds[CONFIG_RING], config->ring_bytes,
                                    config->ring_lanes, fds[CONFIG_RING_WAKE]) == 0;

    if (good) {
        fds[CONFIG_RING_WAKE] = -1; /* the record output owns it */
        fds[CONFIG_BARRIER_WAKE] = private_fd_raise(fds[CONFIG_BARRIER_WAKE]);
        session_configure(config->flags);
        if (fds[CONFIG_BARRIER] >= 0 &&
            run_ranks_start(config, fds[CONFIG_BARRIER], fds[CONFIG_BARRIER_WAKE]))
            fds[CONFIG_BARRIER_WAKE] = -1; /* run_ranks owns it */
    }
    worker_connection_close_fds(fds);
    return good;
}

static bool connect_to_worker(void)
{
    int fds[CONTROL_FDS_MAX], channel;
    union control_message config;

    if (!worker_connection_open(control_socket, &channel, &config, fds))
        return false;
    if (!take_config(&config.config, fds) || devices_start() < 0) {
        close(channel);
        return false;
    }
    session_take_channel(channel);
    return true;
}

/* Waits while another thread connects. Without the wait, the first allocation of the
 * calling thread would not be recorded. */
static bool wait_for_connection(void)
{
    const struct timespec pause = {.tv_nsec = 200 * 1000};
    uint64_t deadline = thread_now_ns() + CONTROL_ANSWER_MS * 1000000ULL;

    while (session_state() == SESSION_CONNECTING && thread_now_ns() < deadline)
        nanosleep(&pause, NULL);
    return session_state() == SESSION_ON;
}

bool lifecycle_connect(void)
{
    enum session_state state = session_state();
    int saved = errno;
    bool on;

    if (state == SESSION_ON)
        return true;
    if (!lifecycle_is_requested())
        return false;
    state = SESSION_REQUESTED;
    if (session_change_state(&state, SESSION_CONNECTING)) {
        on = connect_to_worker();
        session_set_state(on ? SESSION_ON : SESSION_OFF);
        if (!on)
            hooks_set_bypass(1);
    } else {
        on = state == SESSION_ON ||
             (state == SESSION_CONNECTING && wait_for_connection());
    }
    errno = saved;
    return on;
}

/* Devices, their memory and loaded binaries belong to the process, so they stay known.
 */
int muster_inject_restart(int socket)
{
    if (hook_depth > 0 || session_state() == SESSION_CONNECTING)
        return -1;
    prepare_for_fork();
    forget_run();
    launch_numbers_restart();
    instrument_forget_sent_code();
    if (control_socket_is_ours)
        close(control_socket);
    control_socket = socket;
    control_socket_is_ours = socket >= 0;
    hooks_set_bypass(socket < 0);
    session_set_state(socket < 0 ? SESSION_OFF : SESSION_REQUESTED);
    return 0;
}
