#include "parsers/visualize_check/check_report.h"

#include <stdarg.h>
#include <stdio.h>

#include "lib/base/map.h"

static void report(struct checker *checker,
                   bool is_error,
                   const char *rule,
                   const char *fmt,
                   va_list args)
{
    struct check_problem problem = {.is_error = is_error, .rule = rule};

    if (checker->block) {
        problem.block = checker->block->index;
        problem.type = checker->block->type;
        problem.offset = checker->block->offset;
    }
    vsnprintf(problem.text, sizeof(problem.text), fmt, args);
    checker->errors += is_error;
    checker->fn(&problem, checker->arg);
}

void check_error(struct checker *checker, const char *rule, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(checker, true, rule, fmt, args);
    va_end(args);
}

void check_warn(struct checker *checker, const char *rule, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(checker, false, rule, fmt, args);
    va_end(args);
}

bool check_is_scalar(const struct json_node *node)
{
    return json_tree_is(node, JSON_TEXT) || json_tree_is(node, JSON_NUMBER);
}

const struct json_node *check_member(struct checker *checker,
                                     const struct json_node *object,
                                     const char *key,
                                     enum json_kind kind)
{
    const struct json_node *node = json_tree_get(object, key);

    if (json_tree_is(node, kind))
        return node;
    if (node)
        check_error(checker, "kind", "'%s' must be %s", key, json_kind_name(kind));
    else
        check_error(checker, "key", "'%s' is missing", key);
    return NULL;
}

void check_scalar(struct checker *checker,
                  const struct json_node *object,
                  const char *key)
{
    const struct json_node *node = json_tree_get(object, key);

    if (!node)
        check_error(checker, "key", "'%s' is missing", key);
    else if (!check_is_scalar(node))
        check_error(checker, "kind", "'%s' must be a text or a number", key);
}

void check_texts(struct checker *checker,
                 const struct json_node *object,
                 const char *key)
{
    const struct json_node *array = check_member(checker, object, key, JSON_ARRAY);

    for (const struct json_node *it = array ? array->first : NULL; it; it = it->next)
        if (!json_tree_is(it, JSON_TEXT)) {
            check_error(checker, "kind", "all elements of '%s' must be texts", key);
            return;
        }
}

void check_unique(struct checker *checker,
                  const struct json_node *array,
                  const char *key)
{
    struct map *seen = map_create();

    for (const struct json_node *it = array ? array->first : NULL; it; it = it->next) {
        const struct json_node *value = json_tree_get(it, key);

        if (value && value->text && map_put(seen, value->text, seen))
            check_error(checker, "unique", "two elements have the same '%s' %.60s", key,
                        value->text);
    }
    map_destroy(seen);
}
