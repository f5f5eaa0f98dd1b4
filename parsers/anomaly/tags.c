#include "parsers/anomaly/tags.h"

const char *tag_name(enum tag tag)
{
    static const char *const names[] = {
        [TAG_DEVICE_IDLE_GAP_HEAVY] = "DEVICE_IDLE_GAP_HEAVY",
        [TAG_PRELAUNCH_GAP_HEAVY] = "PRELAUNCH_GAP_HEAVY",
        [TAG_TAIL_GAP_HEAVY] = "TAIL_GAP_HEAVY",
        [TAG_INTERNAL_BUBBLE_HEAVY] = "INTERNAL_BUBBLE_HEAVY",
        [TAG_RECURRING_BUBBLE_PATTERN] = "RECURRING_BUBBLE_PATTERN",
        [TAG_HOST_ORIGINATED_RISK] = "HOST_ORIGINATED_RISK",
        [TAG_UNTRACED_HOST_BLOCKING_RISK] = "UNTRACED_HOST_BLOCKING_RISK",
        [TAG_COMM_SYNC_RISK] = "COMM_SYNC_RISK",
        [TAG_WAIT_POLLUTION_RISK] = "WAIT_POLLUTION_RISK",
        [TAG_WAIT_ANCHOR_FALSE_HOTSPOT] = "WAIT_ANCHOR_FALSE_HOTSPOT",
        [TAG_AICPU_EXPOSED_RISK] = "AICPU_EXPOSED_RISK",
        [TAG_PARTIAL_CAPTURE_BOUNDARY] = "PARTIAL_CAPTURE_BOUNDARY",
        [TAG_VARIABLE_SHAPE_SAME_TEMPLATE] = "VARIABLE_SHAPE_SAME_TEMPLATE",
    };

    return names[tag];
}

bool tags_is_underfed(const struct bubbles *bubbles)
{
    return bubbles->service > 0 && bubbles->underfeed * 10 >= bubbles->service * 3;
}

unsigned tags_of_bubbles(const struct bubbles *bubbles)
{
    int64_t heavy = bubbles_heavy_ns(bubbles->service);
    unsigned tags = 0;

    if (bubbles->prelaunch >= heavy)
        tags |= 1u << TAG_PRELAUNCH_GAP_HEAVY;
    if (bubbles->tail >= heavy)
        tags |= 1u << TAG_TAIL_GAP_HEAVY;
    if (bubbles->largest >= heavy)
        tags |= 1u << TAG_INTERNAL_BUBBLE_HEAVY;
    if (tags || tags_is_underfed(bubbles))
        tags |= 1u << TAG_DEVICE_IDLE_GAP_HEAVY;
    return tags;
}
