/* tags.h - names of what is abnormal in a step or a group of steps */
#ifndef PARSERS_ANOMALY_TAGS_H
#define PARSERS_ANOMALY_TAGS_H

#include <stdbool.h>

#include "parsers/busy_time/bubbles.h"

/* In the order of the report. */
enum tag {
    TAG_DEVICE_IDLE_GAP_HEAVY,
    TAG_PRELAUNCH_GAP_HEAVY,
    TAG_TAIL_GAP_HEAVY,
    TAG_INTERNAL_BUBBLE_HEAVY,
    TAG_RECURRING_BUBBLE_PATTERN,
    TAG_HOST_ORIGINATED_RISK,
    TAG_UNTRACED_HOST_BLOCKING_RISK,
    TAG_COMM_SYNC_RISK,
    TAG_WAIT_POLLUTION_RISK,
    TAG_WAIT_ANCHOR_FALSE_HOTSPOT,
    TAG_AICPU_EXPOSED_RISK,
    TAG_PARTIAL_CAPTURE_BOUNDARY,
    TAG_VARIABLE_SHAPE_SAME_TEMPLATE,
    TAG_COUNT,
};

/* The tags that mean a large idle gap. */
enum {
    TAGS_HEAVY = 1 << TAG_DEVICE_IDLE_GAP_HEAVY | 1 << TAG_PRELAUNCH_GAP_HEAVY |
                 1 << TAG_TAIL_GAP_HEAVY | 1 << TAG_INTERNAL_BUBBLE_HEAVY,
};

const char *tag_name(enum tag tag);
/* Returns bit 1 << tag for each *_HEAVY tag. */
unsigned tags_of_bubbles(const struct bubbles *bubbles);
/* Returns true when at least 30 % of the service time is idle. */
bool tags_is_underfed(const struct bubbles *bubbles);

#endif
