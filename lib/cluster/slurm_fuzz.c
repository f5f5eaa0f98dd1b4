/* slurm_fuzz.c - any output of Slurm's commands: a number, a state and a list of cards
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/cluster/slurm.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Aborts on a list that is not "0,1,4". */
static void check_list(const char *cards, size_t room)
{
    if (strnlen(cards, room) == room || strspn(cards, "0123456789,") != strlen(cards))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *output = xstrndup(size ? (const char *)bytes : "", size);
    char cards[16], many[4096];
    uint64_t number = 0;
    struct err err;

    alloc_slurm_read_number(output, &number, &err);
    if (alloc_slurm_read_state(output, "muster-q-1", &number) >= ALLOC_STATE_END)
        abort();
    if (alloc_slurm_read_cards(output, "n0", "npu", cards, sizeof(cards), &err) == 0)
        check_list(cards, sizeof(cards));
    if (alloc_slurm_read_cards(output, "n0", "npu", many, sizeof(many), &err) == 0)
        check_list(many, sizeof(many));
    free(output);
    return 0;
}
