/* operator.c - for tests: a library whose entry behave() acts as its first word names
 */
#include "runner/operator.h"

#include <acl/acl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

muster_operator_fn behave, rest;

int rest(const struct muster_call *call)
{
    (void)call;
    return 0;
}

static int keep_memory(void)
{
    void *kept = NULL;

    return aclrtMalloc(&kept, 4 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
}

/* Point 0 ends when the test writes to the pipe `gate`; each third point fails. */
static int be_one_of_many(int number, const char *gate)
{
    printf("this is point %d\n", number);
    if (number == 0 && close(open(gate, O_RDONLY)) < 0)
        return 3;
    return number % 3 == 2 ? 4 : 0;
}

int behave(const struct muster_call *call)
{
    const char *how = call->count > 0 ? call->words[0] : "";
    void *memory = NULL;

    if (aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
        aclrtMemsetAsync(memory, 4096, 1, 4096, call->stream) != 0 ||
        aclrtSynchronizeStream(call->stream) != 0 || aclrtFree(memory) != 0)
        return 3;
    printf("%s pid=%d\n", how, (int)getpid());
    if (strcmp(how, "crash") == 0)
        abort();
    if (strcmp(how, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(how, "leave") == 0)
        _exit(5);
    if (strcmp(how, "many") == 0 && call->count == 3)
        return be_one_of_many(atoi(call->words[1]), call->words[2]);
    if (strcmp(how, "keep") == 0)
        return keep_memory();
    return strcmp(how, "wrong") == 0 ? 4 : 0;
}
