/* sim_folder.c - writes the files of a simulation with the layout of the vendor's tool
 *
 * Each core has a folder with its tables and its own trace.json. trace.json of all
 * cores and visualize_data.bin lie beside these folders. */
#include "parsers/simulator/sim_folder.h"

#include <stdio.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/simulator/sim_bin.h"
#include "parsers/simulator/sim_core_trace.h"
#include "parsers/simulator/sim_tables.h"
#include "parsers/simulator/sim_trace.h"

struct writing {
    const struct simulation *simulation;
    const char *folder;
    sim_folder_written_fn *on_written;
    void *arg;
    struct text bytes;
};

static int write_file(struct writing *w, const char *name, struct err *err)
{
    struct text path = {0};
    int result;

    text_printf(&path, "%s/%s", w->folder, name);
    result = file_write(text_get(&path), text_get(&w->bytes), w->bytes.length, err);
    if (result == 0)
        w->on_written(w->arg, name);
    text_clear(&path);
    text_reset(&w->bytes);
    return result;
}

static int
write_core(struct writing *w, const struct simulation_core *core, struct err *err)
{
    static const struct {
        const char *suffix; /* after the core's name; NULL: trace.json */
        void (*make)(const struct simulation *simulation,
                     const struct simulation_core *core,
                     struct text *out);
    } files[] = {
        {"_code_exe.csv", sim_tables_code},
        {"_instr_exe.csv", sim_tables_instructions},
        {NULL, sim_core_trace_write},
    };
    struct text subfolder = {0};
    char name[128];
    int result;

    text_printf(&subfolder, "%s/%s", w->folder, core->name);
    result = folder_create(text_get(&subfolder), err);
    text_clear(&subfolder);
    for (size_t i = 0; result == 0 && i < COUNT(files); i++) {
        if (files[i].make == sim_tables_code && !w->simulation->code)
            continue;
        files[i].make(w->simulation, core, &w->bytes);
        if (files[i].suffix)
            snprintf(name, sizeof(name), "%s/%s%s", core->name, core->name,
                     files[i].suffix);
        else
            snprintf(name, sizeof(name), "%s/trace.json", core->name);
        result = write_file(w, name, err);
    }
    return result;
}

int sim_folder_write(const struct simulation *simulation,
                     const char *folder,
                     sim_folder_written_fn *on_written,
                     void *arg,
                     struct err *err)
{
    struct writing w = {simulation, folder, on_written, arg, {0}};
    int result = folder_create(folder, err);

    for (size_t i = 0; result == 0 && i < simulation->core_count; i++)
        result = write_core(&w, &simulation->cores[i], err);
    if (result == 0) {
        sim_trace_write(simulation, &w.bytes);
        result = write_file(&w, "trace.json", err);
    }
    if (result == 0) {
        sim_bin_write(simulation, &w.bytes);
        result = write_file(&w, "visualize_data.bin", err);
    }
    text_clear(&w.bytes);
    return result;
}
