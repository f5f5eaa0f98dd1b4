#include "parsers/source/source_launches.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/source/source_detail.h"

struct source *source_create(void)
{
    return xcalloc(1, sizeof(struct source));
}

void source_launch_clear(struct source_launch *launch)
{
    for (size_t i = 0; i < launch->pass_count; i++) {
        text_clear(&launch->passes[i].counters);
        text_clear(&launch->passes[i].task_log);
    }
    text_clear(&launch->plain_log);
    text_clear(&launch->l2);
    text_clear(&launch->stamps);
    text_clear(&launch->ai_cpu);
    text_clear(&launch->pipes);
    text_clear(&launch->regions);
    text_clear(&launch->tune_log);
    text_clear(&launch->warps);
    text_clear(&launch->pc_samples);
    text_clear(&launch->operands);
    text_clear(&launch->registers);
    free(launch->inner_tasks);
    launch->inner_tasks = NULL;
    source_launch_clear_detail(launch);
    launch->ai_cpu_pass_at = 0;
    launch->ai_cpu_pass = 0;
}

void source_launch_destroy(struct source_launch *launch)
{
    source_launch_clear(launch);
    source_notes_clear(&launch->notes);
    free(launch->folder);
    free(launch->range);
    free(launch->inner);
    free(launch->replays);
    free(launch->tokens.rows);
    free(launch);
}

void source_launch_fill(struct source *source, struct source_launch *launch)
{
    if (source->origin.load && !launch->is_loaded)
        source->origin.load(source, launch);
    launch->is_loaded = true;
}

void source_destroy(struct source *source)
{
    if (!source)
        return;
    for (size_t i = 0; i < source->count; i++)
        source_launch_destroy(source->launches[i]);
    free(source->launches);
    source_clear_binaries(source);
    source_notes_clear(&source->notes);
    if (source->origin.close)
        source->origin.close(source->origin.from);
    free(source);
}

struct source_launch *source_add_launch(struct source *source)
{
    if (source->count == source->room) {
        source->room = source->room ? source->room * 2 : 8;
        source->launches =
            xreallocarray(source->launches, source->room, sizeof(*source->launches));
    }
    struct source_launch *launch = xcalloc(1, sizeof(*launch));
    launch->info.chip = CHIP_UNKNOWN;
    source->launches[source->count++] = launch;
    return launch;
}

struct source_pass *source_launch_pass(struct source_launch *launch, uint32_t number)
{
    size_t at = 0;

    while (at < launch->pass_count && launch->passes[at].number < number)
        at++;
    if (at < launch->pass_count && launch->passes[at].number == number)
        return &launch->passes[at];
    if (launch->pass_count == SOURCE_PASSES_MAX)
        return NULL;
    for (size_t i = launch->pass_count++; i > at; i--)
        launch->passes[i] = launch->passes[i - 1];
    launch->passes[at] = (struct source_pass){.number = number};
    return &launch->passes[at];
}

int64_t source_root_ns(const struct source_launch *launch, uint64_t ticks)
{
    __int128 ns = (__int128)ticks - launch->clock.device_ticks;

    ns = ns * 1000000 / launch->info.ticks_khz + launch->clock.host_ns;
    ns += launch->offset.ns;
    return ns > INT64_MAX ? INT64_MAX : ns < 0 ? 0 : (int64_t)ns;
}

const char *source_group_found(uint32_t kind)
{
    static const char *const ways[] = {
        [LAUNCH_SINGLE] = "one card",    [LAUNCH_MIX] = "one card",
        [LAUNCH_MC2] = "AI CPU task",    [LAUNCH_MTE] = "windows",
        [LAUNCH_LCCL] = "shared memory", [LAUNCH_COLLECTIVE] = "call",
        [LAUNCH_POINT_TO_POINT] = "call"};

    return kind < COUNT(ways) && ways[kind] ? ways[kind] : "";
}

const char *source_restored(uint32_t restore_class)
{
    static const char *const classes[] = {[RESTORE_ALL] = "all",
                                          [RESTORE_NONE] = "nothing allocated",
                                          [RESTORE_OFF] = "off",
                                          [RESTORE_NO_ROOM] = "no room",
                                          [RESTORE_NOT_NEEDED] = "not needed"};

    return restore_class < COUNT(classes) && classes[restore_class]
               ? classes[restore_class]
               : "";
}
