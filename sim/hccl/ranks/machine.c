#include "sim/hccl/ranks/machine.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define PRIME   0x100000001B3u

static uint64_t id;

/* Without the file all processes count as processes of one machine. */
static void read_id(void)
{
    unsigned char text[64];
    int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof(text)) : 0;

    for (ssize_t i = 0; i < got; i++)
        id = (id ^ text[i]) * PRIME;
    if (fd >= 0)
        close(fd);
}

uint64_t machine_id(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_id);
    return id;
}
