#include "cli/fleet/alloc_node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/cluster/slurm.h"

enum { CARDS_TEXT = 512, OUTPUT_MAX = 1 << 20 };

/* A cluster that supports the vendor's cards sets one of these to the allocated cards.
 */
static const char *const card_variables[] = {
    "ASCEND_RT_VISIBLE_DEVICES",
    "ASCEND_VISIBLE_DEVICES",
    "SLURM_STEP_NPUS",
    "SLURM_JOB_NPUS",
};

static bool has_card_variable(void)
{
    for (size_t i = 0; i < COUNT(card_variables); i++) {
        const char *value = getenv(card_variables[i]);

        if (value && *value)
            return true;
    }
    return false;
}

static char *read_scontrol(const char *job, struct err *err)
{
    char *line = xasprintf("scontrol show job --details %s", job);
    FILE *pipe = popen(line, "re");
    char *output = xcalloc(1, OUTPUT_MAX + 1);
    size_t size = pipe ? fread(output, 1, OUTPUT_MAX, pipe) : 0;

    free(line);
    output[size] = '\0';
    if (pipe && pclose(pipe) == 0)
        return output;
    free(output);
    err_set(err, ERR_SYSTEM,
            "scontrol show job failed, so the allocated cards are unknown");
    return NULL;
}

/* Finds the allocated cards of this node. A cluster that counts cards as generic
 * resources sets no variable, but scontrol prints the list. */
static int find_cards(const struct alloc_node *node, struct err *err)
{
    const char *job = getenv("SLURM_JOB_ID"), *name = getenv("SLURMD_NODENAME");
    char cards[CARDS_TEXT];
    char *output;

    if (has_card_variable())
        return 0;
    if (!job || !name || job[strspn(job, "0123456789")])
        return err_set(err, ERR_CONFLICT,
                       "this process does not run in a Slurm allocation: SLURM_JOB_ID "
                       "and SLURMD_NODENAME are not set");
    if (!(output = read_scontrol(job, err)))
        return -1;
    int result =
        alloc_slurm_read_cards(output, name, node->resource, cards, sizeof(cards), err);
    free(output);
    if (result == 0)
        setenv("ASCEND_VISIBLE_DEVICES", cards, 1);
    return result;
}

/* Returns the spool folder, whose name has the allocation and the node. */
static char *spool_of(const struct alloc_node *node, const char *host)
{
    const char *place = getenv("TMPDIR");

    return xasprintf("%s/muster-spool-%s-%s", place && *place == '/' ? place : "/tmp",
                     node->name, host);
}

int alloc_node_serve(const struct alloc_node *node, struct err *err)
{
    char program[4096], host[256] = "", idle[32];
    const char *name = getenv("SLURMD_NODENAME");

    if (find_cards(node, err) < 0 ||
        file_next_to_program(program, sizeof(program), "muster-worker", err) < 0)
        return -1;
    if (name)
        snprintf(host, sizeof(host), "%s", name);
    else if (gethostname(host, sizeof(host) - 1) < 0)
        return err_errno(err, "reading the host name");
    snprintf(idle, sizeof(idle), "%" PRIu64 "ms", node->idle_ms);
    setenv("MUSTER_ALLOCATION", node->name, 1);
    const char *arguments[16] = {
        program,   "--ticket",           "--host",        host, "--idle", idle,
        "--spool", spool_of(node, host), "--remove-spool"};
    size_t count = 9;

    if (*node->model) {
        arguments[count++] = "--model";
        arguments[count++] = node->model;
    }
    if (node->simulated)
        arguments[count++] = "--simulated";
    execv(program, (char *const *)arguments);
    return err_errno(err, "starting %s", program);
}
