#include "sim/hccl/ranks/connector.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "sim/hccl/ranks/clock.h"

#define ATTEMPT_MS 3000 /* limit of one attempt; the caller tries again */

static bool wait_for(int fd, short events, uint64_t deadline_ms)
{
    struct pollfd ready = {.fd = fd, .events = events};
    int count;

    do
        count = poll(&ready, 1, clock_left(deadline_ms));
    while (count < 0 && errno == EINTR);
    if (count == 0)
        errno = ETIMEDOUT;
    return count > 0;
}

static bool connect_now(int fd, const struct address *address, uint64_t deadline_ms)
{
    socklen_t size = sizeof(int);
    int error = 0;

    if (connect(fd, &address->any, address->size) == 0)
        return true;
    if (errno != EINPROGRESS || !wait_for(fd, POLLOUT, deadline_ms))
        return false;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0)
        return true;
    errno = error;
    return false;
}

int connector_try(const struct address *address,
                  const void *words,
                  size_t size,
                  uint64_t deadline_ms)
{
    uint64_t limit = clock_ms() + ATTEMPT_MS;
    int fd =
        socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error;

    if (fd < 0)
        return -1;
    /* a new connection accepts so few bytes without waiting */
    if (connect_now(fd, address, limit < deadline_ms ? limit : deadline_ms) &&
        send(fd, words, size, MSG_NOSIGNAL) == (ssize_t)size)
        return fd;
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

bool connector_receive(int fd, void *answer, size_t size, uint64_t deadline_ms)
{
    char *at = answer;

    while (size > 0) {
        ssize_t got;

        if (!wait_for(fd, POLLIN, deadline_ms))
            return false;
        got = read(fd, at, size);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got == 0)
            errno = ECONNRESET;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

HcclResult connector_error(int error)
{
    switch (error) {
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EACCES:
        return HCCL_E_TCP_CONNECT;
    default:
        return HCCL_E_TIMEOUT; /* the rank may not have started */
    }
}
