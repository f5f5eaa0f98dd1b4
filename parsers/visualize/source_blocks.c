/* source_blocks.c - blocks 0x01, 0x03 and 0x04: source files, and the counters of lines
 * and instructions
 *
 * The viewer reads a number of more than 32 bits as 0, so larger numbers are clamped.
 * -1 means "not applicable". */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/container/bin.h"
#include "parsers/visualize/block_writers.h"

/* Data types of columns. */
enum {
    AS_HIDDEN = 0,
    AS_INT = 1,
    AS_TEXT = 3,
    AS_PERCENT = 4,
    AS_JSON = 5,
    AS_SHARE = 100, /* a share with details */
};

static int64_t clamp_i32(uint64_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int64_t)value;
}

static void write_type(struct json_write *json, const char *column, int type)
{
    json_write_key(json, column);
    json_write_i64(json, type);
}

static void write_work_types(struct json_write *json,
                             const struct code_hot_spots *spots)
{
    if (spots->has_counts)
        write_type(json, "Instructions Executed", AS_INT);
    if (spots->has_memory)
        write_type(json, "Process Bytes", AS_INT);
    if (spots->has_cache)
        write_type(json, "L2Cache Hit Rate", AS_PERCENT);
    if (spots->has_registers)
        write_type(json, "GPR Count", AS_INT);
    if (spots->has_samples) {
        write_type(json, "Stall Sampling(All Samples)", AS_SHARE);
        write_type(json, "Stall Sampling(Not Issue)", AS_SHARE);
    }
}

/* Writes the share of this place in all samples of the kernel. */
static void write_samples(struct json_write *json,
                          const char *column,
                          const struct code_hot_spots *spots,
                          const struct hot_work *work,
                          int reasons)
{
    double here = 0, all = 0;

    for (int i = 0; i < reasons; i++) {
        here += (double)work->stalls[i];
        all += (double)spots->stall_totals[i];
    }
    json_write_key(json, column);
    json_write_object(json);
    json_write_key(json, "Percent");
    json_write_fixed(json, all > 0 ? here / all : 0, 6);
    json_write_key(json, "Details");
    json_write_object(json);
    for (int i = 0; i < reasons; i++) {
        json_write_key(json, stall_name((enum stall)i));
        json_write_i64(json, clamp_i32(work->stalls[i]));
    }
    json_write_object_end(json);
    json_write_object_end(json);
}

static void write_work(struct json_write *json,
                       const struct code_hot_spots *spots,
                       const struct hot_work *work)
{
    uint64_t touched = work->hits + work->misses;

    if (spots->has_counts) {
        json_write_key(json, "Instructions Executed");
        json_write_array(json);
        json_write_i64(json, clamp_i32(work->executed));
        json_write_array_end(json);
    }
    if (spots->has_memory) {
        json_write_key(json, "Process Bytes");
        json_write_array(json);
        json_write_i64(json, work->gm_bytes ? clamp_i32(work->gm_bytes) : -1);
        json_write_array_end(json);
    }
    if (spots->has_cache) {
        json_write_key(json, "L2Cache Hit Rate");
        json_write_fixed(
            json, touched ? 100.0 * (double)work->hits / (double)touched : -1.0, 6);
    }
    if (spots->has_registers) {
        json_write_key(json, "GPR Count");
        json_write_array(json);
        json_write_i64(json, clamp_i32(work->registers));
        json_write_array_end(json);
    }
    if (spots->has_samples) {
        write_samples(json, "Stall Sampling(All Samples)", spots, work, STALLS);
        write_samples(json, "Stall Sampling(Not Issue)", spots, work, STALL_ACTIVE);
    }
}

static void write_address(struct json_write *json, uint64_t address)
{
    char text[32];

    snprintf(text, sizeof(text), "0x%08llx", (unsigned long long)address);
    json_write_text(json, text);
}

static void write_cores(struct json_write *json)
{
    json_write_key(json, "Cores");
    json_write_array(json);
    json_write_text(json, "ALL");
    json_write_array_end(json);
}

bool source_blocks_has_instructions(const struct findings *findings)
{
    return findings->detail.spots.place_count > 0;
}

bool source_blocks_has_lines(const struct findings *findings)
{
    return findings->detail.spots.line_count > 0;
}

static void write_line(struct json_write *json,
                       const struct code_hot_spots *spots,
                       const struct hot_line *line,
                       uint64_t start)
{
    json_write_object(json);
    json_write_key(json, "Line");
    json_write_i64(json, clamp_i32(line->line));
    json_write_key(json, "Address Range");
    json_write_array(json);
    for (size_t i = 0; i < line->range_count; i++) {
        json_write_array(json);
        write_address(json, start + line->ranges[i].from);
        /* the viewer includes both ends */
        write_address(json, start + line->ranges[i].to - 1);
        json_write_array_end(json);
    }
    json_write_array_end(json);
    write_work(json, spots, &line->work);
    json_write_object_end(json);
}

/* Writes one object per file; the lines are sorted by file. */
static void write_files(struct json_write *json, const struct findings *findings)
{
    const struct code_hot_spots *spots = &findings->detail.spots;
    const char *file = NULL;

    for (size_t i = 0; i < spots->line_count; i++) {
        const struct hot_line *line = &spots->lines[i];

        if (!file || strcmp(file, line->file) != 0) {
            if (file) {
                json_write_array_end(json);
                json_write_object_end(json);
            }
            file = line->file;
            json_write_object(json);
            json_write_key(json, "Source");
            json_write_text(json, file);
            json_write_key(json, "Lines");
            json_write_array(json);
        }
        write_line(json, spots, line, findings->launch->pc_start);
    }
    if (file) {
        json_write_array_end(json);
        json_write_object_end(json);
    }
}

void source_blocks_write_lines(const struct findings *findings, struct json_write *json)
{
    json_write_object(json);
    write_cores(json);
    json_write_key(json, "Files Dtype");
    json_write_object(json);
    json_write_key(json, "Lines");
    json_write_object(json);
    write_type(json, "Line", AS_INT);
    write_type(json, "Address Range", AS_HIDDEN);
    write_work_types(json, &findings->detail.spots);
    json_write_object_end(json);
    json_write_object_end(json);
    json_write_key(json, "Files");
    json_write_array(json);
    write_files(json, findings);
    json_write_array_end(json);
    json_write_object_end(json);
}

static const char *pipe_of(const struct hot_place *place)
{
    if (!place->is_transfer)
        return "ALL";
    if (place->from == MEMORY_L0C)
        return "FIXP";
    if (place->from == MEMORY_GM)
        return "MTE2";
    return place->from == MEMORY_L1 && place->to != MEMORY_GM ? "MTE1" : "MTE3";
}

/* Writes each live register, its lifetime, and how the instruction uses it. */
static void write_registers(struct json_write *json,
                            const struct live_registers *registers,
                            const struct hot_place *place)
{
    const struct register_line *line = &registers->lines[place->register_line];

    json_write_key(json, "GPR Status");
    json_write_array(json);
    for (size_t i = 0; place->has_registers && i < line->count; i++) {
        const struct register_entry *entry = &registers->entries[line->first + i];
        char name[16];

        snprintf(name, sizeof(name), "%c%u",
                 register_letter((enum register_kind)entry->kind), entry->number);
        json_write_object(json);
        json_write_key(json, "regIndex");
        json_write_text(json, name);
        json_write_key(json, "regStatus");
        json_write_u64(json, entry->use);
        json_write_key(json, "survivalTime");
        json_write_i64(json, clamp_i32(entry->life));
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static void write_place(struct json_write *json,
                        const struct code_hot_spots *spots,
                        const struct live_registers *registers,
                        const struct hot_place *place,
                        uint64_t start)
{
    char text[512] = "";

    json_write_object(json);
    json_write_key(json, "Address");
    write_address(json, start + place->address);
    json_write_key(json, "AscendC Inner Code");
    if (place->file)
        snprintf(text, sizeof(text), "%s:%u", place->file, place->line);
    json_write_text(json, text);
    if (place->is_transfer)
        snprintf(text, sizeof(text), "transfer %s to %s",
                 transfer_memory_name(place->from), transfer_memory_name(place->to));
    else
        snprintf(text, sizeof(text), "in %s", place->function ? place->function : "?");
    json_write_key(json, "Source");
    json_write_text(json, text);
    json_write_key(json, "Pipe");
    json_write_text(json, pipe_of(place));
    write_work(json, spots, &place->work);
    if (spots->has_registers)
        write_registers(json, registers, place);
    json_write_object_end(json);
}

void source_blocks_write_instructions(const struct findings *findings,
                                      struct json_write *json)
{
    const struct code_hot_spots *spots = &findings->detail.spots;

    json_write_object(json);
    write_cores(json);
    json_write_key(json, "Instructions Dtype");
    json_write_object(json);
    json_write_key(json, "Instructions");
    json_write_object(json);
    write_type(json, "Address", AS_TEXT);
    write_type(json, "AscendC Inner Code", AS_TEXT);
    write_type(json, "Source", AS_TEXT);
    write_type(json, "Pipe", AS_TEXT);
    write_work_types(json, spots);
    if (spots->has_registers)
        write_type(json, "GPR Status", AS_JSON);
    json_write_object_end(json);
    json_write_object_end(json);
    json_write_key(json, "Instructions");
    json_write_array(json);
    for (size_t i = 0; i < spots->place_count; i++)
        write_place(json, spots, &findings->registers, &spots->places[i],
                    findings->launch->pc_start);
    json_write_array_end(json);
    json_write_object_end(json);
}

/* Returns true for a regular file with the name of a source file. The paths come from
 * the binary, which is not trusted, so no other file may be copied into the output. */
static bool is_source(const char *path)
{
    static const char *const endings[] = {".c",   ".cc",  ".cpp", ".cxx",
                                          ".h",   ".hh",  ".hpp", ".hxx",
                                          ".inc", ".inl", ".cce", ".asc"};
    const char *dot = strrchr(path, '.');
    struct stat facts;

    for (size_t i = 0; dot && i < COUNT(endings); i++)
        if (strcmp(dot, endings[i]) == 0)
            return *path == '/' && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
    return false;
}

void source_blocks_add_file(const char *path, struct text *out)
{
    struct text text = {0};
    struct err err;

    if (!is_source(path) ||
        file_read(&text.bytes, &text.length, path, BIN_CODE_MAX, &err) < 0)
        return;
    text.room = text.length + 1;
    bin_add_code(out, path, &text);
    text_clear(&text);
}

void source_blocks_add_files(const struct findings *findings, struct text *out)
{
    const struct code_hot_spots *spots = &findings->detail.spots;

    for (size_t i = 0; i < spots->line_count; i++)
        if (i == 0 || strcmp(spots->lines[i].file, spots->lines[i - 1].file) != 0)
            source_blocks_add_file(spots->lines[i].file, out);
}
