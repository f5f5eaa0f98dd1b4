#include "inject/session/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "inject/base/private_fd.h"
#include "inject/base/real_functions.h"
#include "inject/base/thread.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/hooks/hook_frame.h"
#include "inject/lifecycle.h"
#include "inject/program/comm.h"
#include "inject/program/kernel_binaries.h"
#include "inject/program/kernel_names.h"
#include "inject/program/marked_ranges.h"
#include "inject/program/mc2.h"
#include "inject/program/run_ranks.h"
#include "inject/replay/deferred_errors.h"
#include "inject/replay/instrument.h"
#include "inject/replay/launch.h"
#include "inject/replay/range_replay.h"
#include "inject/session/pass_context.h"
#include "inject/session/record_output.h"
#include "lib/shm/control_channel.h"

enum session_state { UNKNOWN, OFF, WANTED, CONNECTING, ON };

static atomic_int state;
static atomic_bool restore_off, ranges;
static int rendezvous = -1;     /* the operator's, shared by its processes */
static bool rendezvous_is_ours; /* to close: it came by muster_inject_restart() */
static struct private_fd channel = PRIVATE_FD_NONE; /* this process's own */

/* What belongs to one talk with a worker. */
static void forget_talk(void)
{
    private_fd_close(&channel);
    record_output_forget();
    deferred_errors_forget();
    kernel_names_after_fork();
    run_ranks_forget();
    comms_forget();
    mc2_forget();
    moments_forget();
    marked_ranges_forget();
    range_forget();
}

/* A child of fork() has one thread, no channel, no NPU and no reader. */
static void start_anew_in_child(void)
{
    hook_depth = 0;
    thread_forget();
    forget_talk();
    driver_forget();
    devices_forget();
    kernel_binaries_forget();
    if (atomic_load(&state) != OFF || rendezvous >= 0) {
        atomic_store(&state, UNKNOWN);
        hooks_set_bypass(0);
    }
}

static void prepare_for_fork(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&done))
        pthread_atfork(NULL, NULL, start_anew_in_child);
}

/* The descriptor must still be the socket that the worker made. */
static int find_rendezvous(void)
{
    const char *text = getenv(CONTROL_ENV);
    unsigned long long inode;
    struct stat is;
    int fd;

    if (!text || sscanf(text, "%d:%llu", &fd, &inode) != 2 || fd < 0)
        return -1;
    if (fstat(fd, &is) < 0 || !S_ISSOCK(is.st_mode) || is.st_ino != inode)
        return -1;
    return fd;
}

bool lifecycle_is_requested(void)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);
    int saved = errno;

    if (now != UNKNOWN)
        return now != OFF;
    rendezvous = find_rendezvous();
    if (atomic_compare_exchange_strong(&state, &now, rendezvous < 0 ? OFF : WANTED)) {
        if (rendezvous < 0)
            hooks_set_bypass(1);
        else
            prepare_for_fork();
    }
    errno = saved;
    return rendezvous >= 0;
}

static bool receive(int socket, union control_message *message, int kind, int *fds)
{
    ssize_t received = control_wait(socket, CONTROL_ANSWER_MS)
                           ? control_receive(socket, message, fds)
                           : -1;

    return received > 0 &&
           control_message_fits(message, (size_t)received, (enum control_kind)kind);
}

static bool say_hello(int theirs)
{
    union control_message hello;
    ssize_t length;

    control_message_init(&hello, CONTROL_HELLO);
    hello.hello.pid = (uint32_t)getpid();
    hello.hello.parent_pid = (uint32_t)getppid();
    length = readlink("/proc/self/exe", hello.hello.program,
                      sizeof(hello.hello.program) - 1);
    if (length < 0)
        hello.hello.program[0] = '\0';
    return control_send(rendezvous, &hello, &theirs, 1) == 0;
}

static bool take_config(int ours)
{
    union control_message config;
    int fds[CONTROL_FDS_MAX] = {-1, -1, -1, -1};
    bool good = receive(ours, &config, CONTROL_CONFIG, fds) && fds[CONFIG_RING] >= 0 &&
                record_output_start(fds[CONFIG_RING], config.config.ring_bytes,
                                    fds[CONFIG_BELL]) == 0;

    if (good) {
        fds[CONFIG_BELL] = -1; /* kept */
        fds[CONFIG_MEETING_BELL] = private_fd_raise(fds[CONFIG_MEETING_BELL]);
        atomic_store(&restore_off, (config.config.flags & CONTROL_RESTORE_OFF) != 0);
        atomic_store(&ranges, (config.config.flags & CONTROL_RANGES) != 0);
        if (fds[CONFIG_MEETING] >= 0 &&
            run_ranks_start(&config.config, fds[CONFIG_MEETING],
                            fds[CONFIG_MEETING_BELL]))
            fds[CONFIG_MEETING_BELL] = -1; /* kept */
    }
    for (int i = 0; i < CONTROL_FDS_MAX; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return good;
}

static bool connect_to_worker(void)
{
    int ends[2];
    bool good;

    if (control_pair(ends) < 0)
        return false;
    good = say_hello(ends[1]);
    close(ends[1]);
    good = good && take_config(ends[0]) && devices_start() == 0;
    if (good)
        private_fd_take(&channel, ends[0]);
    else
        close(ends[0]);
    return good;
}

/* Another thread connects just now: its first allocation must not be missed, so ours
 * waits too. */
static bool wait_for_connection(void)
{
    const struct timespec moment = {.tv_nsec = 200 * 1000};
    uint64_t deadline = thread_now_ns() + CONTROL_ANSWER_MS * 1000000ULL;

    while (atomic_load(&state) == CONNECTING && thread_now_ns() < deadline)
        nanosleep(&moment, NULL);
    return atomic_load(&state) == ON;
}

bool lifecycle_connect(void)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);
    int saved = errno;
    bool on;

    if (now == ON)
        return true;
    if (!lifecycle_is_requested())
        return false;
    now = WANTED;
    if (atomic_compare_exchange_strong(&state, &now, CONNECTING)) {
        on = connect_to_worker();
        atomic_store(&state, on ? ON : OFF);
        if (!on)
            hooks_set_bypass(1);
    } else {
        on = now == ON || (now == CONNECTING && wait_for_connection());
    }
    errno = saved;
    return on;
}

bool session_is_on(void)
{
    return atomic_load_explicit(&state, memory_order_acquire) == ON;
}

void session_end(void)
{
    atomic_store(&state, OFF);
    hooks_set_bypass(1);
    run_ranks_leave();
}

/* Devices, their memory and loaded binaries are the process's, and stay known. */
int muster_inject_restart(int their_end)
{
    if (hook_depth > 0 || atomic_load(&state) == CONNECTING)
        return -1;
    prepare_for_fork();
    forget_talk();
    replay_count_anew();
    instrument_tell_anew();
    if (rendezvous_is_ours)
        close(rendezvous);
    rendezvous = their_end;
    rendezvous_is_ours = their_end >= 0;
    hooks_set_bypass(their_end < 0);
    atomic_store(&state, their_end < 0 ? OFF : WANTED);
    return 0;
}

bool session_has_ranges(void)
{
    return atomic_load_explicit(&ranges, memory_order_relaxed);
}

bool session_restore_is_off(void)
{
    return atomic_load(&restore_off);
}

bool session_ask(union control_message *question, union control_message *answer)
{
    int ends[2], fds[CONTROL_FDS_MAX] = {-1, -1};
    bool good;

    if (control_pair(ends) < 0)
        return false;
    good = control_send(private_fd_get(&channel), question, &ends[1], 1) == 0;
    close(ends[1]);
    good = good && receive(ends[0], answer, CONTROL_DECISION, fds) &&
           answer->decision.launch == question->prepare.launch;
    for (int i = 0; i < CONTROL_FDS_MAX; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    close(ends[0]);
    return good;
}
