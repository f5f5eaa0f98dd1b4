/* describe_fields.c - what each block of visualize_data.bin is for, and each of its
 * fields
 *
 * A path goes down through members; [] stands for any element, * for any member. */
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/container/describe.h"

static const struct {
    unsigned type;
    const char *purpose;
} purposes[] = {
    {0x01,
     "a file of source code, with the path by which lines and instructions name it"},
    {0x02, "the timeline: events of Chrome's trace format"},
    {0x03, "lines of the source, and what each has done"},
    {0x04, "instructions, and what each has done"},
    {0x05, "what ran where, and how long each block took"},
    {0x06, "how busy cube and vector were: bars"},
    {0x07, "how busy cube and vector were: counts"},
    {0x08, "what went over each path of a block's memory, as a drawing"},
    {0x09, "what went where, as tables"},
    {0x0A, "allocations, loads and stores one by one; no viewer of today reads it"},
    {0x0B, "what each set of the L2 cache saw; no viewer of today reads it"},
    {0x0C, "is the work spread evenly over the cores?"},
    {0x0D, "operations against bytes, and what the card could do"},
    {0x0E, "the sets of the L2 cache, which of them hit and missed, and by which "
           "instructions"},
    {0x0F, "why warps waited, over the whole kernel"},
};

static const struct {
    unsigned type;
    const char *path, *meaning;
} fields[] = {
    {0x02, "displayTimeUnit",
     "how a viewer writes times; ts and dur are microseconds all the same"},
    {0x02, "profilingType", "'op': a trace of one operator"},
    {0x02, "schemaVersion", "1, or 2 where lanes are put in order"},
    {0x02, "muster.leftOutBelowUs",
     "shorter slices were left out to keep the file in bounds"},
    {0x02, "traceEvents",
     "X a bar, B and E a flag, s and t an arrow, C a sample, M a name or place of a "
     "lane"},
    {0x03, "Cores[]", "not read here: those of 0x04 count"},
    {0x03, "Files Dtype.Lines.*",
     "how a column is read: 0 not, 1 int, 2 float, 3 text, 4 percent, 100 share with "
     "details"},
    {0x03, "Files[].Source", "path of the file, as its 0x01 has it"},
    {0x03, "Files[].Lines[].Line", "number of the line, from 1"},
    {0x03, "Files[].Lines[].Address Range[][]",
     "where its code is: first and last address"},
    {0x03, "Files[].Lines[].Instructions Executed", "how often, by core"},
    {0x03, "Files[].Lines[].Cycles", "clock cycles, by core"},
    {0x03, "Files[].Lines[].GPR Count",
     "registers in use, by core; of a line the most"},
    {0x03, "Files[].Lines[].Process Bytes",
     "bytes moved to and from main memory; -1: does not apply"},
    {0x03, "Files[].Lines[].L2Cache Hit Rate", "percent; -1.0: does not apply"},
    {0x03, "Files[].Lines[].Stall Sampling(All Samples).Percent",
     "share of all samples of the kernel"},
    {0x03, "Files[].Lines[].Stall Sampling(All Samples).Details.*",
     "samples by what the warp waited for"},
    {0x03, "Files[].Lines[].Stall Sampling(Not Issue).Percent",
     "the same of samples without an instruction issued"},
    {0x03, "Files[].Lines[].Stall Sampling(Not Issue).Details.*",
     "samples by what the warp waited for"},
    {0x03, "Files[].Lines[].Vector Utilization Percentage",
     "elements computed over what a vector holds, percent"},
    {0x03, "Files[].Lines[].UB Read Conflict",
     "reads of the UB that met in a bank, by core"},
    {0x03, "Files[].Lines[].UB Write Conflict",
     "writes to the UB that met in a bank, by core"},
    {0x03, "Files[].Lines[].RealStallCycles", "cycles that it waited"},
    {0x03, "Files[].Lines[].TheoreticalStallCycles",
     "cycles that it should have waited"},
    {0x03, "Files[].Lines[].ICacheCycles", "cycles from fetch to control unit"},
    {0x03, "Files[].Lines[].CcuCycles", "cycles from control unit to start"},
    {0x03, "Files[].Lines[].ScalarCycles", "cycles of the scalar unit for it"},
    {0x04, "Cores[]",
     "the cores that can be chosen, in the order of all lists by core"},
    {0x04, "Instructions Dtype.Instructions.*",
     "how a column is read: 0 not, 1 int, 2 float, 3 text, 4 percent, 5 JSON, 100 "
     "share with details"},
    {0x04, "Instructions[].Address", "where it is, hexadecimal"},
    {0x04, "Instructions[].AscendC Inner Code", "file:line of the innermost frame"},
    {0x04, "Instructions[].Source", "text of the instruction"},
    {0x04, "Instructions[].Pipe", "which pipe it runs on"},
    {0x04, "Instructions[].GPR Status[].regIndex", "a register that lives there"},
    {0x04, "Instructions[].GPR Status[].regStatus",
     "0 space, 1 read, 2 write, 3 both, 4 in use"},
    {0x04, "Instructions[].GPR Status[].survivalTime",
     "how many instructions on end it lives"},
    {0x04, "Instructions[].Line", "number of the line, from 1"},
    {0x04, "Instructions[].Address Range[][]",
     "where its code is: first and last address"},
    {0x04, "Instructions[].Instructions Executed", "how often, by core"},
    {0x04, "Instructions[].Cycles", "clock cycles, by core"},
    {0x04, "Instructions[].GPR Count", "registers in use, by core; of a line the most"},
    {0x04, "Instructions[].Process Bytes",
     "bytes moved to and from main memory; -1: does not apply"},
    {0x04, "Instructions[].L2Cache Hit Rate", "percent; -1.0: does not apply"},
    {0x04, "Instructions[].Stall Sampling(All Samples).Percent",
     "share of all samples of the kernel"},
    {0x04, "Instructions[].Stall Sampling(All Samples).Details.*",
     "samples by what the warp waited for"},
    {0x04, "Instructions[].Stall Sampling(Not Issue).Percent",
     "the same of samples without an instruction issued"},
    {0x04, "Instructions[].Stall Sampling(Not Issue).Details.*",
     "samples by what the warp waited for"},
    {0x04, "Instructions[].Vector Utilization Percentage",
     "elements computed over what a vector holds, percent"},
    {0x04, "Instructions[].UB Read Conflict",
     "reads of the UB that met in a bank, by core"},
    {0x04, "Instructions[].UB Write Conflict",
     "writes to the UB that met in a bank, by core"},
    {0x04, "Instructions[].RealStallCycles", "cycles that it waited"},
    {0x04, "Instructions[].TheoreticalStallCycles",
     "cycles that it should have waited"},
    {0x04, "Instructions[].ICacheCycles", "cycles from fetch to control unit"},
    {0x04, "Instructions[].CcuCycles", "cycles from control unit to start"},
    {0x04, "Instructions[].ScalarCycles", "cycles of the scalar unit for it"},
    {0x05, "name", "of the operator"},
    {0x05, "soc", "the chip; the roofline takes it from here"},
    {0x05, "op_type", "vector, cube, mix or AiCore"},
    {0x05, "block_dim", "blocks"},
    {0x05, "mix_block_dim", "vector blocks of a mix operator"},
    {0x05, "duration", "us, of the whole operator"},
    {0x05, "device_id", "of the card"},
    {0x05, "pid", "of the process; empty: not shown"},
    {0x05, "cur_freq", "MHz; not read by the viewer"},
    {0x05, "rated_freq", "MHz; not read by the viewer"},
    {0x05, "advice[]", "on the clock; not read by the viewer"},
    {0x05, "block_detail.head_name[]", "names of the columns"},
    {0x05, "block_detail.size[]", "rows with the head, columns"},
    {0x05, "block_detail.row[].value[]", "cells; durations in us"},
    {0x05, "mix_block_detail.head_name[]", "names of the columns"},
    {0x05, "mix_block_detail.size[]", "rows with the head, columns"},
    {0x05, "mix_block_detail.row[].value[]", "cells; durations in us"},
    {0x06, "advice[]", "shown above"},
    {0x06, "subblock_detail[].block_id", "number of the block"},
    {0x06, "subblock_detail[].block_type", "its kind of core"},
    {0x06, "subblock_detail[].name", "what was counted"},
    {0x06, "subblock_detail[].unit", "0 us, 1 instructions, 2 bytes, 3 percent"},
    {0x06, "subblock_detail[].value", "as the unit says"},
    {0x06, "subblock_detail[].origin_value", "the counter behind the percentage"},
    {0x07, "advice[]", "shown above"},
    {0x07, "subblock_detail[].block_id", "number of the block"},
    {0x07, "subblock_detail[].block_type", "its kind of core"},
    {0x07, "subblock_detail[].name", "what was counted"},
    {0x07, "subblock_detail[].unit", "0 us, 1 instructions, 2 bytes, 3 percent"},
    {0x07, "subblock_detail[].value", "as the unit says"},
    {0x07, "subblock_detail[].origin_value", "the counter behind the percentage"},
    {0x08, "core_memory_map[].core_no", "number of the block"},
    {0x08, "core_memory_map[].op_type", "vector, cube, mix or AiCore"},
    {0x08, "core_memory_map[].soc",
     "family, by which the drawing is chosen: 910B, 310P, 910A5"},
    {0x08, "core_memory_map[].advice[]", "shown beside the drawing"},
    {0x08, "core_memory_map[].memory_unit[].memory_path", "which path of the drawing"},
    {0x08, "core_memory_map[].memory_unit[].request", "requests"},
    {0x08, "core_memory_map[].memory_unit[].request_suffix",
     "shown behind the requests"},
    {0x08, "core_memory_map[].memory_unit[].bandwidth", "GB/s of 2^30 bytes"},
    {0x08, "core_memory_map[].memory_unit[].bandwidth_suffix",
     "shown behind the bandwidth"},
    {0x08, "core_memory_map[].memory_unit[].peak_ratio",
     "percent of the best that was measured of the path"},
    {0x08, "core_memory_map[].memory_unit[].display", "1: the path is drawn"},
    {0x08, "core_memory_map[].L2cache.hit", "requests that hit"},
    {0x08, "core_memory_map[].L2cache.miss", "requests that missed"},
    {0x08, "core_memory_map[].L2cache.total_request", "both"},
    {0x08, "core_memory_map[].L2cache.hit_ratio", "percent"},
    {0x08, "core_memory_map[].Cube.cycle", "cycles that the unit worked"},
    {0x08, "core_memory_map[].Cube.total_cycles", "of all of these"},
    {0x08, "core_memory_map[].Cube.ratio", "percent"},
    {0x08, "core_memory_map[].Vector.cycle", "cycles that the unit worked"},
    {0x08, "core_memory_map[].Vector.total_cycles", "of all of these"},
    {0x08, "core_memory_map[].Vector.ratio", "percent"},
    {0x08, "core_memory_map[].Vector1.cycle", "cycles that the unit worked"},
    {0x08, "core_memory_map[].Vector1.total_cycles", "of all of these"},
    {0x08, "core_memory_map[].Vector1.ratio", "percent"},
    {0x08, "core_memory_map[].memory_detail",
     "1: made with transfer records; not read"},
    {0x09, "table_per_block[].block_id", "number of the block"},
    {0x09, "table_per_block[].table_op_type", "vector, cube, mix or AiCore"},
    {0x09, "table_per_block[].advice[]", "shown above"},
    {0x09, "table_per_block[].table_detail[].table_name", "of the memory or pipe"},
    {0x09, "table_per_block[].table_detail[].size[]", "rows, columns"},
    {0x09, "table_per_block[].table_detail[].header_name[]",
     "columns; the first is that of the row's name"},
    {0x09, "table_per_block[].table_detail[].row[].name", "of the row"},
    {0x09, "table_per_block[].table_detail[].row[].value[]",
     "cells, NA where not known"},
    {0x0C, "soc", "the chip: how many cores are drawn"},
    {0x0C, "op_type", "vector: two blocks are folded into one core"},
    {0x0C, "advice", "shown above"},
    {0x0C, "op_detail[].core_id", "number of the core or block, 8 bits"},
    {0x0C, "op_detail[].core_detail[].subcore_type", "cube or vector"},
    {0x0C, "op_detail[].core_detail[].subcore_id", "its number, 8 bits"},
    {0x0C, "op_detail[].core_detail[].cycles", "clock cycles"},
    {0x0C, "op_detail[].core_detail[].throughput", "bytes to and from main memory"},
    {0x0C, "op_detail[].core_detail[].L2cache_hit_rate", "percent"},
    {0x0C, "op_detail[].core_detail[].simt_vf_instructions.instructions",
     "of SIMT code"},
    {0x0C, "op_detail[].core_detail[].simt_vf_instructions.instruction_per_cycle",
     "of its cycles"},
    {0x0D, "advice", "what bounds the operator"},
    {0x0D, "multiple_rooflines[].title", "of the chart"},
    {0x0D, "multiple_rooflines[].rooflines[].bw", "slope, TB/s"},
    {0x0D, "multiple_rooflines[].rooflines[].bw_name", "of the path"},
    {0x0D, "multiple_rooflines[].rooflines[].computility", "roof, Tops/s"},
    {0x0D, "multiple_rooflines[].rooflines[].computility_name",
     "which operations, and their shares"},
    {0x0D, "multiple_rooflines[].rooflines[].point[]",
     "operations a byte, Tops/s reached"},
    {0x0D, "multiple_rooflines[].rooflines[].ratio",
     "reached over the roof above the point"},
    {0x0E, "Cacheline Records[].Cacheline Id",
     "number of the set: 128 in a row are drawn"},
    {0x0E, "Cacheline Records[].Hit.Value[]", "count, share of the set's requests"},
    {0x0E, "Cacheline Records[].Hit.Address Range[][]",
     "instructions: first and last address"},
    {0x0E, "Cacheline Records[].Miss.Value[]", "count, share of the set's requests"},
    {0x0E, "Cacheline Records[].Miss.Address Range[][]",
     "instructions: first and last address"},
    {0x0F, "top_stall_reason_table.*", "samples"},
};

const char *describe_block(unsigned type)
{
    for (size_t i = 0; i < COUNT(purposes); i++)
        if (purposes[i].type == type)
            return purposes[i].purpose;
    return NULL;
}

/* A star at the end stands for any one member. */
static bool is_path(const char *wanted, const char *path)
{
    size_t length = strlen(wanted);

    if (length && wanted[length - 1] == '*')
        return strncmp(wanted, path, length - 1) == 0;
    return strcmp(wanted, path) == 0;
}

const char *describe_field(unsigned type, const char *path)
{
    for (size_t i = 0; i < COUNT(fields); i++)
        if (fields[i].type == type && is_path(fields[i].path, path))
            return fields[i].meaning;
    return NULL;
}
