/* exchange.h - exchanges packets with running processes: the floor for resident runners
 *
 * One packet out and one back over SOCK_SEQPACKET, several in flight. The processes do
 * no work and nothing is stored. */
#ifndef TESTS_BENCH_EXCHANGE_H
#define TESTS_BENCH_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"

enum {
    EXCHANGE_WORKERS = 2,
    EXCHANGE_AHEAD = 16, /* packets in flight per process */
    EXCHANGE_OUT_BYTES = 128,
    EXCHANGE_BACK_BYTES = 64,
    EXCHANGE_COUNT = 50000,
};

struct exchange {
    int epoll;
    int fd[EXCHANGE_WORKERS];
    pid_t pid[EXCHANGE_WORKERS];
};

static inline void exchange_check(bool good)
{
    if (!good) {
        perror("packet exchange");
        exit(1);
    }
}

static inline void exchange_serve(int fd)
{
    char packet[EXCHANGE_OUT_BYTES] = "";

    while (recv(fd, packet, sizeof(packet), 0) > 0)
        if (send(fd, packet, EXCHANGE_BACK_BYTES, MSG_NOSIGNAL) < 0)
            break;
    _exit(0);
}

/* Forks the processes. Call it while this process has only one thread. */
static inline void exchange_open(struct exchange *exchange)
{
    exchange->epoll = epoll_create1(EPOLL_CLOEXEC);
    exchange_check(exchange->epoll >= 0);
    for (int i = 0; i < EXCHANGE_WORKERS; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
        int ends[2];

        exchange_check(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ==
                       0);
        exchange->pid[i] = fork();
        exchange_check(exchange->pid[i] >= 0);
        if (exchange->pid[i] == 0) {
            for (int other = 0; other < i; other++)
                close(exchange->fd[other]); /* so that it gets end of file when the
                                               parent closes its end */
            close(ends[0]);
            exchange_serve(ends[1]);
        }
        close(ends[1]);
        exchange->fd[i] = ends[0];
        exchange_check(epoll_ctl(exchange->epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
    }
}

static inline void exchange_close(struct exchange *exchange)
{
    for (int i = 0; i < EXCHANGE_WORKERS; i++) {
        close(exchange->fd[i]);
        waitpid(exchange->pid[i], NULL, 0);
    }
    close(exchange->epoll);
}

/* Returns the mean time of one exchange, in microseconds. */
static inline double exchange_us(struct exchange *exchange)
{
    char packet[EXCHANGE_OUT_BYTES] = "";
    uint64_t start_ns = clock_mono_ns();
    int sent = 0, back = 0;

    for (int i = 0; i < EXCHANGE_WORKERS * EXCHANGE_AHEAD; i++, sent++)
        exchange_check(send(exchange->fd[i % EXCHANGE_WORKERS], packet, sizeof(packet),
                            MSG_NOSIGNAL) == sizeof(packet));
    while (back < EXCHANGE_COUNT) {
        struct epoll_event events[EXCHANGE_WORKERS];
        int ready = epoll_wait(exchange->epoll, events, EXCHANGE_WORKERS, -1);

        for (int i = 0; i < ready; i++) {
            int fd = exchange->fd[events[i].data.u32];

            while (recv(fd, packet, sizeof(packet), MSG_DONTWAIT) ==
                   EXCHANGE_BACK_BYTES) {
                back++;
                if (sent == EXCHANGE_COUNT)
                    continue;
                exchange_check(send(fd, packet, sizeof(packet), MSG_NOSIGNAL) ==
                               sizeof(packet));
                sent++;
            }
        }
    }
    return (double)(clock_mono_ns() - start_ns) / 1000 / EXCHANGE_COUNT;
}

#endif
