#include "lib/job/kernel/kernel_config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/job/kernel/kernel_config_internal.h"

static void read_kernel_name(struct config *config, const struct yaml_node *node)
{
    config->entry = config_text(config, node);
}

static void read_kernel_path(struct config *config, const struct yaml_node *node)
{
    config->kernel = config_path(config, node);
}

static void read_blocks(struct config *config, const struct yaml_node *node)
{
    if (config_number(config, node, "blockdim"))
        config->blocks = node->text;
}

static void read_mode(struct config *config, const struct yaml_node *node)
{
    const char *mode = config_text(config, node);

    if (mode && strcmp(mode, "ca") == 0)
        config_complain(
            config, node, "mode",
            "'ca' runs the vendor's instruction simulator; write 'onboard', and "
            "'tool: simulator' in the section profile of the job");
    else if (mode && strcmp(mode, "onboard") != 0)
        config_complain(config, node, "mode", "unknown mode '%.40s'; write 'onboard'",
                        mode);
}

static void read_device(struct config *config, const struct yaml_node *node)
{
    if (!yaml_is(node, "0"))
        config_complain(config, node, "device_id",
                        "muster chooses the card; remove device_id and set cards.ids");
}

static void read_tiling_key(struct config *config, const struct yaml_node *node)
{
    config_complain(
        config, node, "tiling_key",
        "muster launches a kernel by its name; remove tiling_key and write the "
        "name with its key in kernel_name, such as add_custom_1");
}

/* The runtime reads the kind of a kernel from its file, so the value has no effect. */
static void read_magic(struct config *config, const struct yaml_node *node)
{
    static const char prefix[] = "RT_DEV_BINARY_MAGIC_ELF";
    const char *magic = config_text(config, node);

    if (magic &&
        (strncmp(magic, prefix, strlen(prefix)) != 0 ||
         (magic[strlen(prefix)] && strcmp(magic + strlen(prefix), "_AIVEC") != 0 &&
          strcmp(magic + strlen(prefix), "_AICUBE") != 0)))
        config_complain(config, node, "magic",
                        "unknown kind of kernel '%.40s'; use %s, %s_AIVEC or %s_AICUBE",
                        magic, prefix, prefix, prefix);
}

static void read_params(struct config *config, const struct yaml_node *node)
{
    config->params = node;
}

static void read_cases(struct config *config, const struct yaml_node *node)
{
    static const struct config_field fields[] = {
        {"case_name", true, NULL}, /* a name for people */
        {"param_desc", true, read_params},
        {0},
    };

    if (node->kind != YAML_LIST || node->count != 1)
        config_complain(
            config, node, "test_cases",
            "expected a list of one case, as the vendor's tool does; write a file "
            "for each case");
    else
        config_read_fields(config, node->first, fields);
}

static struct yaml_node *make_text(struct config *config, const char *text)
{
    struct yaml_node *node = arena_memdup(config->arena, config->at, sizeof(*node));

    node->text = text;
    node->length = strlen(text);
    node->next = NULL;
    return node;
}

static struct yaml_node *
add_member(struct config *config, struct yaml_node *node, const char *key)
{
    node->key = make_text(config, key);
    return node;
}

static const struct yaml_node *make_section(struct config *config)
{
    struct yaml_node *kernel =
        add_member(config, make_text(config, config->kernel), "kernel");
    struct yaml_node *entry =
        add_member(config, make_text(config, config->entry), "entry");
    struct yaml_node *blocks =
        add_member(config, make_text(config, config->blocks), "blocks");

    kernel->next = entry;
    entry->next = blocks;
    blocks->next = add_member(config, config->args, "args");
    return kernel;
}

static void read_root(struct config *config, const struct yaml_node *root)
{
    static const struct config_field fields[] = {
        {"kernel_name", true, read_kernel_name},
        {"kernel_path", true, read_kernel_path},
        {"blockdim", false, read_blocks},
        {"mode", true, read_mode},
        {"device_id", false, read_device},
        {"tiling_key", false, read_tiling_key},
        {"magic", true, read_magic},
        {"test_cases", true, read_cases},
        {0},
    };

    config_read_fields(config, root, fields);
    config_add_params(config);
}

const struct yaml_node *kernel_config_read(const char *path,
                                           const struct yaml_node *at,
                                           struct arena *arena,
                                           struct problems *problems)
{
    struct config config = {
        .path = path, .at = at, .arena = arena, .problems = problems, .blocks = "1"};
    const struct yaml_node *root;
    char folder[PATH_MAX], *text, *slash;
    size_t size;
    struct err err;

    if (file_read(&text, &size, path, YAML_FILE_MAX, &err) < 0) {
        problems_add(problems, at->file, at->line, at->column, "operator.config", "%s",
                     err.text);
        return NULL;
    }
    if (!realpath(path, folder)) {
        problems_add(problems, at->file, at->line, at->column, "operator.config",
                     "%.200s: %s", path, strerror(errno));
        free(text);
        return NULL;
    }
    slash = strrchr(folder, '/');
    *slash = '\0';
    config.folder = folder;
    config.args = arena_memdup(arena, at, sizeof(*at));
    *config.args = (struct yaml_node){
        .kind = YAML_LIST, .file = at->file, .line = at->line, .column = at->column};
    if (yaml_parse(&root, text, size, path, arena, &err) < 0) {
        problems_add_syntax(problems, path, err.text);
        config.failed = true;
    } else {
        read_root(&config, root);
    }
    free(text);
    return config.failed ? NULL : make_section(&config);
}
