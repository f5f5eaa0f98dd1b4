#include "cli/reference/markdown.h"
#include "cli/reference/reference_internal.h"
#include "lib/daemon/coordinator_settings.h"
#include "lib/daemon/worker_settings.h"

int reference_settings(struct text *out, const char *schema, struct err *err)
{
    struct coordinator_settings coordinator;
    struct worker_settings worker;

    (void)schema;
    (void)err;
    coordinator_settings_init(&coordinator);
    worker_settings_init(&worker);
    markdown_title(out, "Settings of the programs");
    text_add(out,
             "\nThe coordinator and the worker read their settings from the command "
             "line only.\nThe systemd units in `deploy/systemd/` and the manifests in "
             "`deploy/kubernetes/` pass these options.\n");
    markdown_section(out, "muster-coordinator");
    text_printf(out, "\n    muster-coordinator %s\n", coordinator_settings_usage);
    markdown_options(out, coordinator.rows);
    markdown_section(out, "muster-worker");
    text_printf(out, "\n    muster-worker %s\n", worker_settings_usage);
    markdown_options(out, worker.rows);
    return 0;
}
