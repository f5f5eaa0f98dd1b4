/* barrier_arrivals.c - who stands at barriers, and who is known of each group */
#include <stdlib.h>
#include <string.h>

#include "coordinator/barrier/barrier_internal.h"
#include "lib/base/mem.h"

enum { GROUPS_MAX = 64 }; /* of a run */

struct barriers *barriers_create(barrier_fn *release, void *arg)
{
    struct barriers *barriers = xcalloc(1, sizeof(*barriers));

    barriers->release = release;
    barriers->arg = arg;
    return barriers;
}

static void free_group(struct barrier_group *group)
{
    for (size_t i = 0; i < group->party_count; i++) {
        free(group->parties[i].host);
        free(group->parties[i].ranks);
    }
    free(group->parties);
    free(group->members);
    free(group);
}

void barrier_free_gang(struct barrier_gang *gang)
{
    while (gang->groups) {
        struct barrier_group *group = gang->groups;

        gang->groups = group->next;
        free_group(group);
    }
    free(gang);
}

void barriers_destroy(struct barriers *barriers)
{
    if (!barriers)
        return;
    while (barriers->gangs) {
        struct barrier_gang *gang = barriers->gangs;

        barriers->gangs = gang->next;
        barrier_free_gang(gang);
    }
    free(barriers);
}

bool barriers_are_empty(const struct barriers *barriers)
{
    return !barriers->gangs;
}

struct barrier_gang *barrier_find_gang(const struct barriers *barriers, uint64_t run_id)
{
    struct barrier_gang *gang = barriers->gangs;

    while (gang && gang->run_id != run_id)
        gang = gang->next;
    return gang;
}

struct barrier_gang *
barrier_get_gang(struct barriers *barriers, uint64_t run_id, uint32_t world)
{
    struct barrier_gang *gang = barrier_find_gang(barriers, run_id);

    if (gang)
        return gang;
    gang = xcalloc(1, sizeof(*gang));
    gang->run_id = run_id;
    gang->world = world;
    gang->next = barriers->gangs;
    barriers->gangs = gang;
    return gang;
}

struct barrier_group *barrier_find_group(const struct barrier_gang *gang, uint64_t key)
{
    struct barrier_group *group = gang->groups;

    while (group && group->key != key)
        group = group->next;
    return group;
}

struct barrier_group *
barrier_get_group(struct barrier_gang *gang, uint64_t key, uint64_t size)
{
    struct barrier_group *group = barrier_find_group(gang, key);

    if (group || gang->group_count == GROUPS_MAX)
        return group;
    group = xcalloc(1, sizeof(*group));
    group->key = key;
    group->size = size;
    group->next = gang->groups;
    gang->groups = group;
    gang->group_count++;
    return group;
}

struct barrier_party *barrier_get_party(struct barrier_group *group,
                                        const struct barrier_host *of)
{
    for (size_t i = 0; i < group->party_count; i++)
        if (strcmp(group->parties[i].host, of->host) == 0) {
            group->parties[i].card = of->card; /* another worker speaks for it now */
            return &group->parties[i];
        }
    group->parties =
        xreallocarray(group->parties, group->party_count + 1, sizeof(*group->parties));
    struct barrier_party *party = &group->parties[group->party_count++];
    *party = (struct barrier_party){.host = xstrdup(of->host), .card = of->card};
    return party;
}

size_t barrier_count(const struct barrier_group *group)
{
    size_t count = 0;

    for (size_t i = 0; i < group->party_count; i++)
        count += group->parties[i].count;
    return count;
}
