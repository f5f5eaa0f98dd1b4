/* kernel_fields.c - reads single fields of a kernel's description */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/num.h"
#include "lib/job/kernel/kernel_config_internal.h"

enum { PATH_WORD_MAX = 480 }; /* bytes of a path in an argument of the runner */

void config_complain(struct config *config,
                     const struct yaml_node *node,
                     const char *key,
                     const char *fmt,
                     ...)
{
    char text[300];
    va_list list;

    va_start(list, fmt);
    vsnprintf(text, sizeof(text), fmt, list);
    va_end(list);
    problems_add(config->problems, config->path, node->line, node->column, key, "%s",
                 text);
    config->failed = true;
}

const char *config_text(struct config *config, const struct yaml_node *node)
{
    if (node->kind == YAML_TEXT && node->length > 0)
        return node->text;
    config_complain(config, node, node->key->text, "expected a text, found %s",
                    node->kind == YAML_TEXT ? "an empty one"
                                            : yaml_kind_name(node->kind));
    return NULL;
}

uint64_t
config_number(struct config *config, const struct yaml_node *node, const char *key)
{
    uint64_t value = 0;

    if (node->kind == YAML_TEXT && num_parse_u64(node->text, &value) && value > 0)
        return value;
    config_complain(config, node, key, "expected a whole number from 1");
    return 0;
}

/* Returns the absolute path of a file that the description names. */
const char *config_path(struct config *config, const struct yaml_node *node)
{
    const char *name = config_text(config, node);

    if (!name)
        return NULL;
    if (strpbrk(name, " \t\n$") || strlen(name) > PATH_WORD_MAX) {
        config_complain(
            config, node, node->key->text,
            "the path has a blank, a $ or more than %d bytes; rename the file",
            PATH_WORD_MAX);
        return NULL;
    }
    name += strncmp(name, "./", 2) == 0 ? 2 : 0;
    return *name == '/' ? name
                        : arena_printf(config->arena, "%s/%s", config->folder, name);
}

void config_read_fields(struct config *config,
                        const struct yaml_node *map,
                        const struct config_field *fields)
{
    if (map->kind != YAML_MAP) {
        config_complain(config, map, "", "expected a map, found %s",
                        yaml_kind_name(map->kind));
        return;
    }
    for (const struct yaml_node *node = map->first; node; node = node->next) {
        const struct config_field *field = fields;

        while (field->name && !yaml_is(node->key, field->name))
            field++;
        if (!field->name)
            config_complain(config, node->key, node->key->text,
                            "unknown field; remove it");
        else if (field->read)
            field->read(config, node);
    }
    for (const struct config_field *field = fields; field->name; field++)
        if (field->required && !yaml_get(map, field->name))
            config_complain(config, map, field->name, "the field is missing; add it");
}
