/* check_load.c - the rules of the block types 0x0C and 0x0D
 *
 * The reader converts all numbers of these blocks to text, so both a text and a number
 * are valid. It stores core numbers in eight bits, and shows two blocks of a vector
 * operator as one core ("folding"). */
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/visualize_check/check_payload.h"

enum { FOLDED_MAX = 253 }; /* blocks of a vector operator that the viewer folds */

static void check_number(struct checker *checker,
                         const struct json_node *object,
                         const char *key,
                         double most)
{
    const struct json_node *node = json_tree_get(object, key);
    double value;

    check_scalar(checker, object, key);
    if (check_is_scalar(node) && !json_number_double(node->text, &value))
        check_error(checker, "number", "'%s' must be a number, not '%.40s'", key,
                    node->text);
    else if (check_is_scalar(node) && (value < 0 || value > most))
        check_error(checker, "number",
                    "'%s' is %.40s, outside the range that the reader stores", key,
                    node->text);
}

static bool is_vector(const struct json_node *root)
{
    const struct json_node *type = json_tree_get(root, "op_type");

    return json_tree_is(type, JSON_TEXT) && strcmp(type->text, "vector") == 0;
}

static void check_sub_core(struct checker *checker, const struct json_node *sub)
{
    static const struct {
        const char *key;
        double most;
    } numbers[] = {{"subcore_id", UINT8_MAX},
                   {"cycles", 1.8e19},
                   {"throughput", 1.8e19},
                   {"L2cache_hit_rate", 100}};
    const struct json_node *simt = json_tree_get(sub, "simt_vf_instructions");

    check_member(checker, sub, "subcore_type", JSON_TEXT);
    for (size_t i = 0; i < COUNT(numbers); i++)
        check_number(checker, sub, numbers[i].key, numbers[i].most);
    if (!simt)
        return;
    if (!json_tree_is(simt, JSON_OBJECT)) {
        check_error(checker, "kind", "'simt_vf_instructions' must be an object");
        return;
    }
    check_number(checker, simt, "instructions", 1.8e19);
    check_number(checker, simt, "instruction_per_cycle", 1.8e19);
}

void check_occupancy(struct checker *checker, const struct json_node *root)
{
    bool is_folded = is_vector(root);
    const struct json_node *cores =
        check_member(checker, root, "op_detail", JSON_ARRAY);

    check_member(checker, root, "soc", JSON_TEXT);
    check_member(checker, root, "op_type", JSON_TEXT);
    check_member(checker, root, "advice", JSON_TEXT);
    for (const struct json_node *it = cores ? cores->first : NULL; it; it = it->next) {
        const struct json_node *subs =
            check_member(checker, it, "core_detail", JSON_ARRAY);

        check_number(checker, it, "core_id", UINT8_MAX);
        for (const struct json_node *s = subs ? subs->first : NULL; s; s = s->next)
            check_sub_core(checker, s);
        if (is_folded && subs && subs->count > 1)
            check_warn(
                checker, "folding",
                "the viewer uses only the first sub-core of a vector operator's block");
    }
    if (is_folded && cores && cores->count > FOLDED_MAX)
        check_error(checker, "folding",
                    "the vector operator has %zu blocks; the viewer shows only 253",
                    cores->count);
}

static bool is_positive(const struct json_node *node)
{
    double value;

    return check_is_scalar(node) && json_number_double(node->text, &value) && value > 0;
}

static void check_line(struct checker *checker, const struct json_node *line)
{
    static const char *const scalars[] = {"bw", "computility", "ratio"};
    const struct json_node *point = check_member(checker, line, "point", JSON_ARRAY);

    for (size_t i = 0; i < COUNT(scalars); i++)
        check_scalar(checker, line, scalars[i]);
    check_member(checker, line, "bw_name", JSON_TEXT);
    check_member(checker, line, "computility_name", JSON_TEXT);
    if (point && (point->count != 2 || !check_is_scalar(point->first) ||
                  !check_is_scalar(point->first->next)))
        check_error(checker, "point",
                    "'point' must be two numbers; the viewer drops this line");
    else if (point && !(is_positive(point->first) && is_positive(point->first->next) &&
                        is_positive(json_tree_get(line, "bw")) &&
                        is_positive(json_tree_get(line, "computility"))))
        check_warn(
            checker, "point",
            "the viewer does not draw a line whose point or roofs are not above 0");
}

void check_roofline(struct checker *checker, const struct json_node *root)
{
    const struct json_node *views =
        check_member(checker, root, "multiple_rooflines", JSON_ARRAY);

    check_member(checker, root, "advice", JSON_TEXT);
    for (const struct json_node *it = views ? views->first : NULL; it; it = it->next) {
        const struct json_node *lines =
            check_member(checker, it, "rooflines", JSON_ARRAY);

        check_member(checker, it, "title", JSON_TEXT);
        for (const struct json_node *l = lines ? lines->first : NULL; l; l = l->next)
            check_line(checker, l);
    }
}
