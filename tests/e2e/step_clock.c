/* step_clock.c - preloaded library that steps the wall clock of a running program
 *
 * The file that MUSTER_TEST_CLOCK_FILE names contains the offset in seconds. While the
 * file is missing or empty, the offset is 0. The monotonic clock is not changed. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long offset_seconds(void)
{
    const char *path = getenv("MUSTER_TEST_CLOCK_FILE");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    char text[32] = "";

    if (fd < 0)
        return 0;
    if (read(fd, text, sizeof(text) - 1) < 0)
        text[0] = '\0';
    close(fd);
    return strtol(text, NULL, 10);
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int result = (int)syscall(SYS_clock_gettime, clock, out);

    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        out->tv_sec += offset_seconds();
    return result;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) < 0)
        return -1;
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) < 0)
        return -1;
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
