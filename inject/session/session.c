#include "inject/session/session.h"

#include <unistd.h>

#include "inject/base/private_fd.h"
#include "inject/base/real_functions.h"
#include "inject/session/worker_connection.h"
#include "lib/shm/control_channel.h"

atomic_int session_state_now;
static atomic_bool restore_off, ranges;
static struct private_fd channel = PRIVATE_FD_NONE;

void session_set_state(enum session_state state)
{
    atomic_store(&session_state_now, (int)state);
}

bool session_change_state(enum session_state *from, enum session_state to)
{
    int present = (int)*from;
    bool changed =
        atomic_compare_exchange_strong(&session_state_now, &present, (int)to);

    *from = (enum session_state)present;
    return changed;
}

void session_take_channel(int fd)
{
    private_fd_take(&channel, fd);
}

void session_configure(uint32_t flags)
{
    atomic_store(&restore_off, (flags & CONTROL_RESTORE_OFF) != 0);
    atomic_store(&ranges, (flags & CONTROL_RANGES) != 0);
}

void session_reset(void)
{
    private_fd_close(&channel);
}

void session_end(void)
{
    session_set_state(SESSION_OFF);
    hooks_set_bypass(1);
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
    int ends[2], fds[CONTROL_FDS_MAX] = {-1, -1, -1, -1};
    bool good;

    if (control_pair(ends) < 0)
        return false;
    good = control_send(private_fd_get(&channel), question, &ends[1], 1) == 0;
    close(ends[1]);
    good = good && worker_connection_receive(ends[0], answer, CONTROL_DECISION, fds) &&
           answer->decision.launch == question->prepare.launch;
    worker_connection_close_fds(fds);
    close(ends[0]);
    return good;
}
