#include "inject/replay/range_launches.h"

#include <stdio.h>

#include "inject/base/runtime.h"
#include "inject/device/device.h"
#include "inject/program/kernel_names.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/launch_kind.h"
#include "inject/session/record_output.h"

bool range_launches_is_full(const struct range_launches *launches)
{
    return launches->count == RANGE_LAUNCHES_MAX;
}

void range_launches_add(struct range_launches *launches,
                        const struct launch *launch,
                        const struct device *device,
                        const char *kernel,
                        uint64_t number)
{
    struct record_range_launch *row = &launches->rows[launches->count];

    *row = (struct record_range_launch){
        .launch = number,
        .args_bytes = launch->args_bytes,
        .place = launches->count++,
        .segment = launches->segment,
        .device = (uint32_t)device->logical,
        .stream = runtime_stream_id(launch->stream),
        .block_dim = launch->blocks,
        .kind = launch_kind_of(launch),
        .order = kernel_name_count_launch(kernel, device->visible),
    };
    snprintf(row->kernel, sizeof(row->kernel), "%s", kernel);
}

void range_launches_write(const struct range_launches *launches, uint64_t range)
{
    for (uint32_t i = 0; i < launches->count; i++) {
        struct record_range_launch row = launches->rows[i];

        row.range = range;
        row.segment = launches->segment;
        record_output_record(RECORD_RANGE_LAUNCH, &row, sizeof(row));
    }
}
