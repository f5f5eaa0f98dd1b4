/* static_wrapper.c - a program without a loader that starts an operator
 *
 *   static_wrapper [PROGRAM [ARGUMENT...]]
 *
 * Linked as a static PIE, so neither LD_PRELOAD nor a stub library reaches it. Removes
 * LD_PRELOAD and becomes PROGRAM; without PROGRAM it ends at once. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        puts("no program");
        return 0;
    }
    unsetenv("LD_PRELOAD");
    execv(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
