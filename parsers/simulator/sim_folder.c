/* sim_write.c - the files of a simulation, where the vendor's tool has them: tables in
 * a folder a core, with its own timeline; that of all and the viewer's file beside
 * them */
#include <stdio.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/simulator/simulation.h"

struct writing {
    const struct simulation *simulation;
    const char *folder;
    void (*tell)(void *arg, const char *file);
    void *arg;
    struct text bytes;
};

static int write_one(struct writing *w, const char *name, struct err *err)
{
    struct text path = {0};
    int result;

    text_printf(&path, "%s/%s", w->folder, name);
    result = file_write(text_get(&path), text_get(&w->bytes), w->bytes.length, err);
    if (result == 0)
        w->tell(w->arg, name);
    text_clear(&path);
    text_reset(&w->bytes);
    return result;
}

static int
write_core(struct writing *w, const struct simulation_core *core, struct err *err)
{
    static const struct {
        const char *ending; /* behind the name of the core; NULL: trace.json */
        void (*make)(const struct simulation *simulation,
                     const struct simulation_core *core,
                     struct text *out);
    } tables[] = {
        {"_code_exe.csv", simulation_code_table},
        {"_instr_exe.csv", simulation_instruction_table},
        {NULL, simulation_core_trace},
    };
    struct text below = {0};
    char name[128];
    int result;

    text_printf(&below, "%s/%s", w->folder, core->name);
    result = folder_create(text_get(&below), err);
    text_clear(&below);
    for (size_t i = 0; result == 0 && i < COUNT(tables); i++) {
        if (tables[i].make == simulation_code_table && !w->simulation->code)
            continue;
        tables[i].make(w->simulation, core, &w->bytes);
        if (tables[i].ending)
            snprintf(name, sizeof(name), "%s/%s%s", core->name, core->name,
                     tables[i].ending);
        else
            snprintf(name, sizeof(name), "%s/trace.json", core->name);
        result = write_one(w, name, err);
    }
    return result;
}

int simulation_write(const struct simulation *simulation,
                     const char *folder,
                     void (*tell)(void *arg, const char *file),
                     void *arg,
                     struct err *err)
{
    struct writing w = {simulation, folder, tell, arg, {0}};
    int result = folder_create(folder, err);

    for (size_t i = 0; result == 0 && i < simulation->core_count; i++)
        result = write_core(&w, &simulation->cores[i], err);
    if (result == 0) {
        simulation_trace(simulation, &w.bytes);
        result = write_one(&w, "trace.json", err);
    }
    if (result == 0) {
        simulation_bin(simulation, &w.bytes);
        result = write_one(&w, "visualize_data.bin", err);
    }
    text_clear(&w.bytes);
    return result;
}
