#include "parsers/architecture/arch_report_internal.h"
#include "parsers/architecture/arch_roles.h"

void arch_report_roles(struct text *out,
                       const struct architecture *architecture,
                       const struct arch_layer *layer)
{
    struct arch_role_time times[ROLE_COUNT];
    int64_t wall = layer->end - layer->start;

    arch_roles_measure(architecture, layer, times);
    text_add(out, "| Component | Wall time (ms) | Share of layer | Largest kernel |\n"
                  "| --- | ---: | ---: | --- |\n");
    for (enum arch_role role = 0; role < ROLE_COUNT; role++)
        if (times[role].kernels > 0)
            text_printf(
                out, "| %s | %.3f | %.1f %% | `%s` |\n", arch_role_name(role),
                ns_to_ms(times[role].wall),
                wall > 0 ? 100 * (double)times[role].wall / (double)wall : 0,
                names_text(architecture->analysis->input->names, times[role].largest));
    text_add(out, "\n");
}
