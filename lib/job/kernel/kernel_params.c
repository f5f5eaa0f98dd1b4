/* kernel_params.c - turns the parameters of a kernel's description into arguments of
 * the runner */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/job/kernel/kernel_config_internal.h"

static const char *type_of(struct config *config, const struct yaml_node *node)
{
    static const struct {
        const char *vendor, *own;
    } types[] = {
        {"float16", "fp16"},  {"half", "fp16"},    {"float32", "fp32"},
        {"float", "fp32"},    {"float64", "fp64"}, {"double", "fp64"},
        {"bfloat16", "bf16"}, {"bool", "u8"},      {"int8", "i8"},
        {"uint8", "u8"},      {"int16", "i16"},    {"uint16", "u16"},
        {"int32", "i32"},     {"uint32", "u32"},   {"int64", "i64"},
        {"uint64", "u64"},
    };
    const char *name = config_text(config, node);

    for (size_t i = 0; name && i < COUNT(types); i++)
        if (strcmp(name, types[i].vendor) == 0)
            return types[i].own;
    if (name)
        config_complain(
            config, node, "type",
            "muster has no buffers of type '%.40s'; use float16, bfloat16, float32 "
            "or a whole number",
            name);
    return NULL;
}

/* Returns "8*2048" for the shape [8, 2048], and its product. */
static const char *
count_of(struct config *config, const struct yaml_node *shape, size_t *count)
{
    const char *text = NULL;

    *count = 1;
    if (shape->kind != YAML_LIST || !shape->first) {
        config_complain(config, shape, "shape", "expected a list such as [8, 2048]");
        return NULL;
    }
    for (const struct yaml_node *node = shape->first; node; node = node->next) {
        uint64_t value = config_number(config, node, "shape");

        if (!value)
            return NULL;
        if (!num_mul(*count, value, count)) {
            config_complain(config, shape, "shape", "the shape has too many values");
            return NULL;
        }
        text =
            text ? arena_printf(config->arena, "%s*%s", text, node->text) : node->text;
    }
    return text;
}

/* Checks the size of a file that exists. The runner checks it again before a launch. */
static void check_size(struct config *config,
                       const struct yaml_node *node,
                       const char *path,
                       uint64_t bytes)
{
    struct stat facts;

    if (stat(path, &facts) == 0 && (uint64_t)facts.st_size != bytes)
        config_complain(config, node, node->key->text,
                        "%.100s has %llu bytes, the parameter needs %llu", path,
                        (unsigned long long)facts.st_size, (unsigned long long)bytes);
}

static uint64_t bytes_of_type(const char *type)
{
    return strtoul(type + strcspn(type, "0123456789"), NULL, 10) / 8;
}

static void add_arg(struct config *config, const struct yaml_node *at, const char *text)
{
    struct yaml_node *node = arena_calloc(config->arena, 1, sizeof(*node));

    *node = (struct yaml_node){.kind = YAML_TEXT,
                               .file = config->path,
                               .line = at->line,
                               .column = at->column,
                               .text = text,
                               .length = strlen(text)};
    *(config->last_arg ? &config->last_arg->next : &config->args->first) = node;
    config->last_arg = node;
    config->args->count++;
}

static void
add_buffer(struct config *config, const struct yaml_node *param, const char *word)
{
    static const struct config_field inputs[] = {
        {"param_type", true, NULL},
        {"name", true, NULL},
        {"type", true, NULL},
        {"shape", true, NULL},
        {"data_path", false, NULL},
        {"value_range", false, NULL},
        {0},
    };
    static const struct config_field outputs[] = {
        {"param_type", true, NULL},
        {"name", true, NULL},
        {"type", true, NULL},
        {"shape", true, NULL},
        {0},
    };
    bool is_input = strcmp(word, "in") == 0;
    const struct yaml_node *data = yaml_get(param, "data_path");
    const char *type, *count, *path = NULL;
    size_t values;

    config_read_fields(config, param, is_input ? inputs : outputs);
    if (config->failed)
        return;
    type = type_of(config, yaml_get(param, "type"));
    count = count_of(config, yaml_get(param, "shape"), &values);
    if (is_input && (!data || yaml_is(data, "null")))
        config_complain(
            config, data ? data : param, "data_path",
            "muster needs a file with the values of an input; it makes none from "
            "value_range and passes no empty address");
    else if (is_input)
        path = config_path(config, data);
    if (config->failed)
        return;
    if (path)
        check_size(config, data, path, values * bytes_of_type(type));
    add_arg(config, param,
            arena_printf(config->arena, "%s %s %s%s%s", word, type, count,
                         path ? " from " : "", path ? path : ""));
}

static void
add_workspace(struct config *config, const struct yaml_node *param, const char *word)
{
    static const struct config_field fields[] = {
        {"param_type", true, NULL},
        {"name", false, NULL},
        {"user_workspace_size", true, NULL},
        {0},
    };

    config_read_fields(config, param, fields);
    if (!config->failed && config_number(config, yaml_get(param, "user_workspace_size"),
                                         "user_workspace_size"))
        add_arg(config, param,
                arena_printf(config->arena, "%s u8 %s", word,
                             yaml_get(param, "user_workspace_size")->text));
}

static void
add_tiling(struct config *config, const struct yaml_node *param, const char *word)
{
    static const struct config_field fields[] = {
        {"param_type", true, NULL},
        {"name", false, NULL},
        {"tiling_data_size", true, NULL},
        {"tiling_data_path", true, NULL},
        {0},
    };
    const struct yaml_node *size = yaml_get(param, "tiling_data_size");
    const struct yaml_node *data = yaml_get(param, "tiling_data_path");
    const char *path;
    uint64_t bytes;

    config_read_fields(config, param, fields);
    if (config->failed)
        return;
    bytes = config_number(config, size, "tiling_data_size");
    path = config_path(config, data);
    if (config->failed)
        return;
    check_size(config, data, path, bytes);
    add_arg(config, param,
            arena_printf(config->arena, "%s u8 %s from %s", word, size->text, path));
}

static void
refuse_ffts(struct config *config, const struct yaml_node *param, const char *word)
{
    (void)word;
    config_complain(
        config, param, "param_type",
        "muster passes no 'fftsAddr'; the runtime adds this address when it loads "
        "the kernel, so remove the parameter");
}

static void add_param(struct config *config, const struct yaml_node *param)
{
    static const struct {
        const char *type, *word;
        void (*add)(struct config *, const struct yaml_node *, const char *);
    } kinds[] = {
        {"input", "in", add_buffer},           {"output", "out", add_buffer},
        {"workspace", "inout", add_workspace}, {"tiling", "in", add_tiling},
        {"fftsAddr", NULL, refuse_ffts},
    };
    const struct yaml_node *type = yaml_get(param, "param_type");

    for (size_t i = 0; type && i < COUNT(kinds); i++)
        if (yaml_is(type, kinds[i].type)) {
            kinds[i].add(config, param, kinds[i].word);
            return;
        }
    config_complain(config, type ? type : param, "param_type",
                    "expected input, output, workspace or tiling");
}

void config_add_params(struct config *config)
{
    const struct yaml_node *params = config->params;

    if (params && (params->kind != YAML_LIST || !params->first)) {
        config_complain(config, params, "param_desc", "expected a list of parameters");
        return;
    }
    for (const struct yaml_node *it = params ? params->first : NULL; it; it = it->next)
        add_param(config, it);
}
