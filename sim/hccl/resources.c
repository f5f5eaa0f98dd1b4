#include "sim/hccl/resources.h"

#include <assert.h>
#include <string.h>

#include "sim/card/card.h"
#include "sim/hccl/window.h"

#define CONTEXT_BYTES 4096
/* used by the two halves of a fused operator, which need a part for each turn and rank
 */
#define WORKSPACE_BYTES (512u << 10)

static_assert(sizeof(struct npu_sim_comm_context) <= CONTEXT_BYTES, "room for it");

void resources_init(struct resources *resources,
                    const struct group *group,
                    uint32_t number)
{
    *resources = (struct resources){.group = group, .number = number};
    pthread_mutex_init(&resources->mutex, NULL);
}

static uint32_t own_card(const struct resources *resources)
{
    return group_card(resources->group, resources->group->rank);
}

/* Called locked. */
static HcclResult need_window(struct resources *resources)
{
    uint64_t bytes = group_buffer_bytes(resources->group);
    HcclResult result;

    if (resources->window)
        return HCCL_SUCCESS;
    if (!npu_sim_memory_take(own_card(resources), bytes))
        return HCCL_E_OOM;
    result = window_open(&resources->window, resources->group, resources->number);
    if (result)
        npu_sim_memory_give(own_card(resources), bytes);
    return result;
}

HcclResult resources_buffer(struct resources *resources, void **out, uint64_t *bytes)
{
    HcclResult result;

    pthread_mutex_lock(&resources->mutex);
    result = need_window(resources);
    pthread_mutex_unlock(&resources->mutex);
    if (!result) {
        *out = window_of(resources->window, resources->group->rank);
        *bytes = group_buffer_bytes(resources->group);
    }
    return result;
}

/* Allocates the context; the workspace follows it and is filled with zeros. */
static void fill(struct npu_sim_comm_context *context,
                 const struct resources *resources)
{
    const struct group *group = resources->group;
    char *workspace = (char *)context + CONTEXT_BYTES;

    memset(workspace, 0, WORKSPACE_BYTES);
    context->workspace = (uintptr_t)workspace;
    context->workspace_bytes = WORKSPACE_BYTES;
    context->rank = group->rank;
    context->ranks = group->ranks;
    context->window_bytes = group_buffer_bytes(group) / 2;
    for (uint32_t rank = 0; rank < group->ranks; rank++) {
        char *window = window_of(resources->window, rank);

        if (!window)
            continue;
        context->windows_in[rank] = (uintptr_t)window;
        context->windows_out[rank] = (uintptr_t)(window + context->window_bytes);
    }
}

HcclResult resources_context(struct resources *resources,
                             const struct npu_sim_comm_context *like,
                             struct npu_sim_comm_context **out)
{
    HcclResult result;

    pthread_mutex_lock(&resources->mutex);
    result = need_window(resources);
    if (!result && !resources->context) {
        resources->context =
            npu_sim_memory_alloc(own_card(resources), CONTEXT_BYTES + WORKSPACE_BYTES);
        if (resources->context) {
            *resources->context = *like;
            fill(resources->context, resources);
        } else {
            result = HCCL_E_OOM;
        }
    }
    *out = resources->context;
    pthread_mutex_unlock(&resources->mutex);
    return result;
}

/* Called locked. */
static void end_stream(struct resources *resources)
{
    if (resources->stream)
        aclrtDestroyStream(resources->stream);
    for (int i = 0; i < RESOURCES_NOTIFIES; i++)
        if (resources->notifies[i])
            aclrtDestroyNotify(resources->notifies[i]);
    memset(resources->notifies, 0, sizeof(resources->notifies));
    resources->stream = NULL;
}

/* Called locked. Creates the stream and all notifies, or nothing. */
static HcclResult make_stream(struct resources *resources)
{
    bool made = !aclrtGetCurrentContext(&resources->owner) &&
                !aclrtCreateStream(&resources->stream);

    for (int i = 0; made && i < RESOURCES_NOTIFIES; i++)
        made = !aclrtCreateNotify(&resources->notifies[i], 0);
    if (made)
        return HCCL_SUCCESS;
    end_stream(resources);
    return HCCL_E_RUNTIME;
}

HcclResult resources_stream(struct resources *resources,
                            uint8_t notifies,
                            aclrtStream *stream,
                            aclrtNotify *out)
{
    HcclResult result = HCCL_SUCCESS;

    pthread_mutex_lock(&resources->mutex);
    if (!resources->stream)
        result = make_stream(resources);
    if (!result) {
        *stream = resources->stream;
        memcpy(out, resources->notifies, notifies * sizeof(*out));
    }
    pthread_mutex_unlock(&resources->mutex);
    return result;
}

/* A reset of the card since then has destroyed its streams. */
void resources_end_stream(struct resources *resources)
{
    aclrtContext before = NULL;

    pthread_mutex_lock(&resources->mutex);
    if (resources->stream) {
        bool had_one = !aclrtGetCurrentContext(&before);

        if (!aclrtSetCurrentContext(resources->owner))
            end_stream(resources);
        if (had_one)
            aclrtSetCurrentContext(before);
    }
    pthread_mutex_unlock(&resources->mutex);
}

void resources_clear(struct resources *resources)
{
    if (resources->window)
        npu_sim_memory_give(own_card(resources), group_buffer_bytes(resources->group));
    if (resources->context)
        npu_sim_memory_free(resources->context);
    window_close(resources->window);
    pthread_mutex_destroy(&resources->mutex);
}
