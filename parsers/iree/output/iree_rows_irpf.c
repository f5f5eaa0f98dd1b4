/* iree_rows_irpf.c - rows about IRPF profiles */
#include <stdio.h>

#include "parsers/iree/irpf_memory.h"
#include "parsers/iree/output/iree_cells.h"
#include "parsers/iree/output/iree_rows.h"

enum { NAME_BYTES = 256 };

static const char *const clocks[] = {
    [IRPF_CLOCK_UNKNOWN] = "unknown",
    [IRPF_CLOCK_HOST] = "host",
    [IRPF_CLOCK_DRIVER] = "driver",
};

static void add_device(struct iree_cells *row, uint32_t device)
{
    if (device == IRPF_NONE)
        iree_cells_none(row);
    else
        iree_cells_count(row, device);
}

void iree_rows_profiles(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct iree_cells row = {.fn = fn, .arg = arg};

    for (size_t i = 0; i < dump->profile_count; i++) {
        const struct irpf_profile *is = &dump->profiles[i];
        char version[16];

        snprintf(version, sizeof(version), "%u.%u", is->major, is->minor);
        iree_cells_count(&row, i);
        iree_cells_count(&row, is->offset);
        iree_cells_count(&row, is->bytes);
        iree_cells_text(&row, version);
        iree_cells_count(&row, is->records);
        iree_cells_count(&row, is->dropped);
        iree_cells_count(&row, is->truncated);
        iree_cells_count(&row, is->missing);
        iree_cells_number(&row, IREE_CELL_BOOL, is->has_end);
        if (is->has_end)
            iree_cells_count(&row, is->status);
        else
            iree_cells_none(&row);
        if (!iree_cells_end(&row))
            return;
    }
}

void iree_rows_devices(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct iree_cells row = {.fn = fn, .arg = arg};

    for (size_t i = 0; i < dump->profile_count; i++)
        for (size_t at = 0; at < dump->profiles[i].devices.count; at++) {
            const struct irpf_device *is = irpf_profile_device(&dump->profiles[i], at);

            iree_cells_count(&row, i);
            add_device(&row, is->device);
            iree_cells_text(&row, is->name);
            iree_cells_text(&row, is->uuid);
            iree_cells_count(&row, is->queues);
            iree_cells_text(&row, clocks[is->clock]);
            if (!iree_cells_end(&row))
                return;
        }
}

static void add_times(struct iree_cells *row, const struct irpf_operation *is)
{
    const double us = 1000;

    if (!is->timed) {
        for (int i = 0; i < 5; i++)
            iree_cells_none(row);
        return;
    }
    iree_cells_real(row, (double)is->total_ns / us);
    iree_cells_real(row, (double)is->total_ns / (double)is->timed / us);
    iree_cells_real(row, (double)is->min_ns / us);
    iree_cells_real(row, (double)is->max_ns / us);
    iree_cells_text(row,
                    clocks[is->is_driver_clock ? IRPF_CLOCK_DRIVER : IRPF_CLOCK_HOST]);
}

void iree_rows_operations(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct iree_cells row = {.fn = fn, .arg = arg};

    for (size_t i = 0; i < dump->profile_count; i++)
        for (size_t at = 0; at < dump->profiles[i].operations.count; at++) {
            const struct irpf_profile *profile = &dump->profiles[i];
            const struct irpf_operation *is = irpf_profile_operation(profile, at);
            char name[NAME_BYTES];

            irpf_profile_operation_name(name, sizeof(name), profile, is);
            iree_cells_count(&row, i);
            iree_cells_text(&row, irpf_content_name(is->content));
            iree_cells_text(&row, name);
            add_device(&row, is->device);
            iree_cells_count(&row, is->events);
            iree_cells_count(&row, is->operations);
            iree_cells_count(&row, is->payload);
            iree_cells_count(&row, is->failed);
            iree_cells_count(&row, is->timed);
            add_times(&row, is);
            if (!iree_cells_end(&row))
                return;
        }
}

struct events {
    struct iree_cells row;
    const struct irpf_profile *profile;
    size_t number;
    bool stopped;
};

static void add_event_times(struct iree_cells *row, const struct irpf_event *event)
{
    if (!event->has_time) {
        for (int i = 0; i < 4; i++)
            iree_cells_none(row);
        return;
    }
    iree_cells_number(row, IREE_CELL_WIDE, event->start_ns);
    iree_cells_number(row, IREE_CELL_WIDE, event->end_ns);
    if (event->item->ready_ns)
        iree_cells_number(row, IREE_CELL_WIDE, event->item->ready_ns);
    else
        iree_cells_none(row);
    iree_cells_text(
        row, clocks[event->is_driver_clock ? IRPF_CLOCK_DRIVER : IRPF_CLOCK_HOST]);
}

static void add_event(const struct irpf_event *event, void *arg)
{
    struct events *events = arg;
    struct iree_cells *row = &events->row;
    const struct irpf_item *item = event->item;
    char name[NAME_BYTES];

    if (events->stopped)
        return;
    irpf_profile_name(name, sizeof(name), events->profile, item);
    iree_cells_count(row, events->number);
    iree_cells_text(row, irpf_content_name(item->content));
    iree_cells_text(row, name);
    add_device(row, item->device);
    add_device(row, item->queue);
    iree_cells_number(row, IREE_CELL_WIDE, item->event);
    iree_cells_number(row, IREE_CELL_WIDE, item->submission);
    iree_cells_number(row, IREE_CELL_WIDE, item->executable);
    add_event_times(row, event);
    for (int i = 0; i < 3; i++)
        iree_cells_count(row, item->count[i]);
    iree_cells_count(row, item->payload);
    iree_cells_count(row, item->status);
    events->stopped = !iree_cells_end(row);
}

void iree_rows_events(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct events events = {.row = {.fn = fn, .arg = arg}};

    for (size_t i = 0; i < dump->profile_count && !events.stopped; i++) {
        events.profile = &dump->profiles[i];
        events.number = i;
        irpf_profile_each_event(events.profile, add_event, &events);
    }
}

static bool add_memory(struct iree_cells *row, size_t number, struct key_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct irpf_memory *is = key_table_at(table, i);

        iree_cells_count(row, number);
        add_device(row, is->device);
        iree_cells_text(row, irpf_memory_kind_name(is->kind));
        iree_cells_count(row, is->acquired);
        iree_cells_count(row, is->released);
        iree_cells_number(row, IREE_CELL_WIDE, is->acquired_bytes);
        iree_cells_number(row, IREE_CELL_WIDE, is->peak_bytes);
        iree_cells_number(row, IREE_CELL_WIDE, is->live_bytes);
        if (!iree_cells_end(row))
            return false;
    }
    return true;
}

void iree_rows_memory(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct iree_cells row = {.fn = fn, .arg = arg};
    bool goes_on = true;

    for (size_t i = 0; goes_on && i < dump->profile_count; i++) {
        struct key_table table;

        irpf_memory_read(&table, &dump->profiles[i]);
        goes_on = add_memory(&row, i, &table);
        key_table_clear(&table);
    }
}

static void add_memory_event(const struct irpf_item *item, void *arg)
{
    struct events *events = arg;
    struct iree_cells *row = &events->row;

    if (events->stopped)
        return;
    iree_cells_count(row, events->number);
    iree_cells_text(row, irpf_memory_event_name(item->type));
    add_device(row, item->device);
    add_device(row, item->queue);
    iree_cells_number(row, IREE_CELL_WIDE, item->event);
    iree_cells_number(row, IREE_CELL_WIDE, item->submission);
    iree_cells_number(row, IREE_CELL_WIDE, item->start);
    iree_cells_number(row, IREE_CELL_WIDE, item->allocation);
    iree_cells_number(row, IREE_CELL_HEX, item->pool);
    iree_cells_number(row, IREE_CELL_HEX, item->backing);
    iree_cells_number(row, IREE_CELL_WIDE, item->offset);
    iree_cells_number(row, IREE_CELL_WIDE, item->payload);
    add_device(row, item->status);
    events->stopped = !iree_cells_end(row);
}

void iree_rows_memory_events(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct events events = {.row = {.fn = fn, .arg = arg}};

    for (size_t i = 0; i < dump->profile_count && !events.stopped; i++) {
        events.number = i;
        irpf_profile_each_item(&dump->profiles[i], IRPF_MEMORY_EVENTS, add_memory_event,
                               &events);
    }
}
