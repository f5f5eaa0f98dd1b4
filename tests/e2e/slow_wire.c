/* slow_wire.c - link between two network namespaces that delays every packet
 *
 *   slow_wire DELAY_US PID NAME PID NAME
 *
 * Creates one TUN device in the network namespace of each process PID. Forwards packets
 * between the devices after DELAY_US microseconds, until a signal ends the program.
 * Replaces netem on kernels that lack it. */
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

/* One queue serves both directions: the delay is equal, so packets leave in this order.
 */
static struct packet queue[QUEUE];
static size_t first, count;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "slow_wire: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int open_tun(const char *pid, const char *name)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    char path[64];
    int namespace, device;

    snprintf(path, sizeof(path), "/proc/%s/ns/net", pid);
    namespace = open(path, O_RDONLY | O_CLOEXEC);
    if (namespace < 0 || setns(namespace, CLONE_NEWNET) < 0)
        fail(path);
    close(namespace);
    device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
    if (device < 0 || ioctl(device, TUNSETIFF, &request) < 0)
        fail(name);
    return device;
}

/* Queues the packets of one device. While the queue is full, packets wait in the
 * device. */
static void receive(int from, int to, uint64_t delay_ns)
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

static void forward_due(void)
{
    while (count > 0 && queue[first].due_ns <= now_ns()) {
        if (write(queue[first].to, queue[first].bytes, (size_t)queue[first].size) < 0 &&
            errno == EBADFD)
            fail("a TUN device was removed");
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
    ends[0].fd = open_tun(argv[2], argv[3]);
    ends[1].fd = open_tun(argv[4], argv[5]);
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
            fail("ppoll");
        forward_due();
        receive(ends[0].fd, ends[1].fd, delay_ns);
        receive(ends[1].fd, ends[0].fd, delay_ns);
    }
}
