#include "coordinator/confirmation/confirmation_rotation.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/verdict/cause/rotation.h"

/* Returns how many of the places are on the host of the first one. */
static size_t cards_of_first_host(char *const *places, uint64_t ranks)
{
    size_t length = (size_t)(strrchr(places[0], ':') - places[0]) + 1, count = 0;

    for (uint64_t i = 0; i < ranks; i++)
        count += strncmp(places[i], places[0], length) == 0 &&
                 strcspn(places[i] + length, ":") == strlen(places[i] + length);
    return count;
}

static char *rotate(char *const *places, uint64_t ranks, size_t shift)
{
    struct text text = {0};

    for (uint64_t i = 0; i < ranks; i++)
        text_printf(&text, "%s%s", i ? " " : "", places[(i + shift) % ranks]);
    return text_take(&text);
}

void confirmation_rotation_fill(struct suspect *suspect,
                                char *const *places,
                                uint64_t ranks)
{
    size_t shifts[1 + SUSPECT_ROTATIONS], count;

    if (ranks < 2 || ranks > CONFIRMATION_ROTATED_RANKS_MAX)
        return;
    count = rotation_default_shifts(ranks, cards_of_first_host(places, ranks),
                                    COUNT(shifts), shifts);
    for (size_t i = 1; i < count; i++) /* the first shift is 0 */
        suspect->places[AB_PLACES + i - 1] = rotate(places, ranks, shifts[i]);
}
