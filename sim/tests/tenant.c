/* tenant.c - uses a card until its input ends: tenant CARD MIB LAUNCHES */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/tests/device.h"

static void need(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "tenant: %s: %d\n", what, error);
    exit(1);
}

int main(int argc, char **argv)
{
    struct probe_args args = {NULL, 0, NULL};
    aclrtFuncHandle work;
    aclrtBinHandle binary;
    char letter;

    need(argc != 4, "CARD MIB LAUNCHES");
    need(aclrtSetDevice(atoi(argv[1])), "device");
    need(!(work = device_kernel(&binary, "probe_work")), "kernel");
    need(
        aclrtMalloc(&args.seen, (size_t)atoi(argv[2]) << 20, ACL_MEM_MALLOC_HUGE_FIRST),
        "memory");
    for (int i = atoi(argv[3]); i > 0; i--)
        need(aclrtLaunchKernelWithHostArgs(work, 4, NULL, NULL, &args, sizeof(args),
                                           NULL, 0),
             "launch");
    need(aclrtSynchronizeStream(NULL), "synchronise");
    printf("ready\n");
    fflush(stdout);
    while (read(STDIN_FILENO, &letter, 1) > 0)
        ;
    need(aclrtFree(args.seen), "free");
    need(aclrtResetDeviceForce(atoi(argv[1])), "reset");
    return 0;
}
