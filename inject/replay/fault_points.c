#include "inject/replay/fault_points.h"

#ifdef MUSTER_TEST_SWITCHES

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const points[FAULT_POINTS] = {"prepare", "save", "restore", "arm",
                                                 "start",   "run",  "wait",    "end"};

static _Thread_local uint32_t own_rank = UINT32_MAX;
static _Thread_local uint32_t visits[FAULT_POINTS];

void fault_rank(uint32_t rank)
{
    own_rank = rank;
}

static void sleep_ms(unsigned ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

    while (nanosleep(&time, &time) < 0)
        ;
}

static bool execute(const char *action)
{
    unsigned ms;

    if (strcmp(action, "kill") == 0)
        raise(SIGKILL);
    else if (strcmp(action, "stop") == 0)
        raise(SIGSTOP);
    else if (sscanf(action, "late=%u", &ms) == 1)
        sleep_ms(ms);
    return strcmp(action, "fail") == 0;
}

bool fault_point(enum fault_place point)
{
    const char *at = getenv("MUSTER_TEST_FAULT_POINT");
    uint32_t n = ++visits[point];
    bool fails = false;

    for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        unsigned rank, count;
        char name[16], action[32];

        if (sscanf(at, "%u:%15[a-z]:%u:%31[a-z0-9=]", &rank, name, &count, action) ==
                4 &&
            rank == own_rank && count == n && strcmp(name, points[point]) == 0)
            fails = execute(action) || fails;
    }
    return fails;
}

#endif
