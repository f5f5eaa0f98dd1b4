/* stalls.c - block 0x0F: stall reasons of the warps of a 950 over the whole kernel */
#include "parsers/visualize/block_writers.h"

bool stalls_has_samples(const struct findings *findings)
{
    for (int stall = 0; stall < STALL_ACTIVE; stall++)
        if (pc_samples_sum(&findings->pc_samples, (enum stall)stall))
            return true;
    return false;
}

void stalls_write(const struct findings *findings, struct json_write *json)
{
    json_write_object(json);
    json_write_key(json, "top_stall_reason_table");
    json_write_object(json);
    for (int stall = 0; stall < STALL_ACTIVE; stall++) {
        json_write_key(json, stall_name((enum stall)stall));
        json_write_u64(json, pc_samples_sum(&findings->pc_samples, (enum stall)stall));
    }
    json_write_object_end(json);
    json_write_object_end(json);
}
