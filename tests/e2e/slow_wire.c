/* slow_wire.c - a wire between two network namespaces that delays what goes over it
 *
 *   slow_wire DELAY_US PID NAME PID NAME
 *
 * Makes a device of each name in the namespace of each process, and carries packets
 * between them, each DELAY_US later, until it is ended. For kernels without netem. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { PACKET_MAX = 2048, QUEUE = 4096 };

struct packet {
    uint64_t due_ns;
    int to;
    ssize_t size;
    char bytes[PACKET_MAX];
};

static struct packet queue[QUEUE]; /* one order for both ways: the delay is the same */
static size_t first, count;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void give_up(const char *what)
{
    fprintf(stderr, "slow_wire: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int open_end(const char *pid, const char *name)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    char path[64];
    int space, device;

    snprintf(path, sizeof(path), "/proc/%s/ns/net", pid);
    space = open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, CLONE_NEWNET) < 0)
        give_up(path);
    close(space);
    device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
    if (device < 0 || ioctl(device, TUNSETIFF, &request) < 0)
        give_up(name);
    return device;
}

/* A packet that does not fit is lost, as on any wire. */
static void take(int from, int to, uint64_t delay_ns)
{
    while (count < QUEUE) {
        struct packet *packet = &queue[(first + count) % QUEUE];

        packet->size = read(from, packet->bytes, sizeof(packet->bytes));
        if (packet->size <= 0)
            return;
        packet->due_ns = now_ns() + delay_ns;
        packet->to = to;
        count++;
    }
}

static void give_due(void)
{
    while (count > 0 && queue[first].due_ns <= now_ns()) {
        if (write(queue[first].to, queue[first].bytes, (size_t)queue[first].size) < 0 &&
            errno == EBADFD)
            give_up("an end has gone");
        first = (first + 1) % QUEUE;
        count--;
    }
}

int main(int argc, char **argv)
{
    struct pollfd ends[2] = {{.events = POLLIN}, {.events = POLLIN}};
    uint64_t delay_ns;

    if (argc != 6) {
        fprintf(stderr, "usage: slow_wire DELAY_US PID NAME PID NAME\n");
        return 2;
    }
    delay_ns = strtoull(argv[1], NULL, 10) * 1000;
    ends[0].fd = open_end(argv[2], argv[3]);
    ends[1].fd = open_end(argv[4], argv[5]);
    prctl(PR_SET_TIMERSLACK, 1ul);
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        struct timespec wait = {.tv_sec = 1};
        uint64_t now = now_ns();

        if (count > 0) {
            uint64_t left = queue[first].due_ns > now ? queue[first].due_ns - now : 0;

            wait = (struct timespec){(time_t)(left / 1000000000u),
                                     (long)(left % 1000000000u)};
        }
        if (ppoll(ends, 2, &wait, NULL) < 0 && errno != EINTR)
            give_up("waiting");
        give_due();
        take(ends[0].fd, ends[1].fd, delay_ns);
        take(ends[1].fd, ends[0].fd, delay_ns);
    }
}
