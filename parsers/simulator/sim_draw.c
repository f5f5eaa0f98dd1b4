#include "parsers/simulator/sim_draw.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/mem.h"
#include "parsers/code/code_map.h"

void sim_draw_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

void sim_draw_code(struct json_write *json,
                   const struct simulation *simulation,
                   uint64_t pc,
                   const char *key)
{
    struct code_frame frames[16];
    size_t count;
    struct text stack = {0};

    if (!simulation->code)
        return;
    count = code_map_find(simulation->code, pc, frames, COUNT(frames));
    for (size_t i = 0; i < count && i < COUNT(frames); i++)
        if (frames[i].file)
            text_printf(&stack, "%s%s:%u", stack.length ? "\n" : "", frames[i].file,
                        frames[i].line);
    if (stack.length)
        sim_draw_text(json, key, text_get(&stack));
    text_clear(&stack);
}

void sim_draw_args(struct json_write *json, const void *record)
{
    const struct sim_draw_instruction *drawn = record;
    struct text operands = {0};
    char pc[24], number[24];
    uint64_t bytes;

    sim_draw_code(json, drawn->draw->simulation, drawn->row->pc, "code");
    json_write_key(json, "detail");
    simlog_add_operands(&operands, drawn->row->detail);
    json_write_bytes(json, text_get(&operands), operands.length);
    text_clear(&operands);
    snprintf(pc, sizeof(pc), "0x%" PRIx64, drawn->row->pc);
    sim_draw_text(json, "pc_addr", pc);
    if (simlog_moved_bytes(drawn->row, &bytes) && bytes > 0) {
        snprintf(number, sizeof(number), "%" PRIu64, bytes);
        sim_draw_text(json, "process_bytes", number);
    }
}

const char *sim_draw_track(const struct sim_instruction *row,
                           char room[SIM_DRAW_TRACK_BYTES])
{
    if (row->warp < 0)
        return sim_pipe_name(row->pipe);
    snprintf(room, SIM_DRAW_TRACK_BYTES, "WARP_%d", row->warp);
    return room;
}
