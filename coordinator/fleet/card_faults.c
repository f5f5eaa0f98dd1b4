#include "coordinator/fleet/card_faults.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

struct fault {
    struct fault *next;
    char *host;
    int32_t card;
    uint32_t count;
    char *what; /* description of the last fault */
};

/* A list is enough: few cards have faults. */
static struct fault **find(struct card_faults *faults, const char *host, int32_t card)
{
    struct fault **at = &faults->first;

    while (*at && ((*at)->card != card || strcmp((*at)->host, host) != 0))
        at = &(*at)->next;
    return at;
}

static void free_fault(struct fault **at)
{
    struct fault *fault = *at;

    *at = fault->next;
    free(fault->host);
    free(fault->what);
    free(fault);
}

void card_faults_clear(struct card_faults *faults)
{
    while (faults->first)
        free_fault(&faults->first);
}

uint32_t card_faults_add(struct card_faults *faults,
                         const char *host,
                         int32_t card,
                         const char *what)
{
    struct fault **at = find(faults, host, card);

    if (!*at) {
        *at = xcalloc(1, sizeof(**at));
        (*at)->host = xstrdup(host);
        (*at)->card = card;
    }
    free((*at)->what);
    (*at)->what = xstrdup(what);
    return ++(*at)->count;
}

uint32_t card_faults_count(const struct card_faults *faults,
                           const char *host,
                           int32_t card,
                           const char **what)
{
    const struct fault *fault = faults->first;

    while (fault && (fault->card != card || strcmp(fault->host, host) != 0))
        fault = fault->next;
    *what = fault ? fault->what : "";
    return fault ? fault->count : 0;
}

void card_faults_remove(struct card_faults *faults, const char *host, int32_t card)
{
    struct fault **at = find(faults, host, card);

    if (*at)
        free_fault(at);
}
