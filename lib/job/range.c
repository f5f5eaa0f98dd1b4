#include "lib/job/range.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

enum { FROM, TO, STEP, TIMES, PARTS };

static const char *const parts[PARTS + 1] = {"from", "to", "step", "times", NULL};

/* A double is exact for whole numbers up to this limit, and prints without exponent. */
static const double number_most = 1e15;

struct reading {
    struct job_reader *reader;
    const struct yaml_node *nodes[PARTS];
    double numbers[PARTS];
};

static void complain_of_key(struct job_reader *reader,
                            const struct yaml_node *name,
                            const char *key)
{
    const char *nearest = text_nearest(name->text, parts);

    if (nearest)
        job_reader_complain(reader, name, key,
                            "unknown key '%.64s'; did you mean '%s'?", name->text,
                            nearest);
    else
        job_reader_complain(
            reader, name, key,
            "unknown key '%.64s'; a range has from, to, and step or times", name->text);
}

static bool
read_part(struct reading *reading, const struct yaml_node *node, const char *key)
{
    for (int part = 0; part < PARTS; part++) {
        double *number = &reading->numbers[part];

        if (!yaml_is(node->key, parts[part]))
            continue;
        reading->nodes[part] = node;
        if (!job_reader_is(reading->reader, node, key, YAML_TEXT))
            return false;
        if (num_parse_double(node->text, number) && fabs(*number) <= number_most)
            return true;
        job_reader_complain(reading->reader, node, key,
                            "expected a number from -1e15 to 1e15, found '%.64s'",
                            node->text);
        return false;
    }
    complain_of_key(reading->reader, node->key, key);
    return false;
}

static size_t count_steps(double from, double to, double step)
{
    /* the factors compensate rounding: 0.3 is not exactly three times 0.1 */
    double count = floor((to - from) / step * (1 + 1e-12) + 1e-9) + 1;

    return count > RANGE_VALUES_MAX ? RANGE_VALUES_MAX + 1 : (size_t)count;
}

static size_t count_products(double from, double to, double times)
{
    size_t count = 0;

    for (double value = from; value <= to * (1 + 1e-12); value *= times)
        if (++count > RANGE_VALUES_MAX)
            break;
    return count;
}

/* Returns the error in how the parts are combined, or NULL. */
static const char *check_parts(const struct reading *reading)
{
    const double *n = reading->numbers;

    if (reading->nodes[STEP] && reading->nodes[TIMES])
        return "a range has either step or times; remove one of them";
    if (reading->nodes[TIMES])
        return n[TIMES] <= 1     ? "times must be greater than 1"
               : n[FROM] <= 0    ? "a range with times must start above 0; raise from"
               : n[TO] < n[FROM] ? "to is less than from; exchange them"
                                 : NULL;
    return n[STEP] == 0 ? "step must not be 0"
           : (n[TO] - n[FROM]) / n[STEP] < 0
               ? "the step leads away from to; change its sign"
               : NULL;
}

bool range_read(struct job_reader *reader,
                const struct yaml_node *map,
                const char *key,
                struct range *range)
{
    struct reading reading = {.reader = reader, .numbers = {[STEP] = 1}};
    bool good = true;

    if (!yaml_get(map, "from") && !yaml_get(map, "to") && map->count < 2) {
        job_reader_complain(
            reader, map, key,
            "expected a list or a range, such as [1, 2] or {from: 1, to: 8, times: 2}");
        return false;
    }
    for (const struct yaml_node *node = map->first; node; node = node->next)
        good = read_part(&reading, node, key) && good;
    for (int part = FROM; part <= TO; part++)
        if (!reading.nodes[part]) {
            job_reader_complain(reader, map, key, "the range has no '%s'; add it",
                                parts[part]);
            good = false;
        }
    if (!good)
        return false;
    const char *wrong = check_parts(&reading);
    if (wrong) {
        job_reader_complain(reader, map, key, "%s", wrong);
        return false;
    }
    const double *n = reading.numbers;
    *range = (struct range){.from = n[FROM], .times = reading.nodes[TIMES] != NULL};
    range->by = range->times ? n[TIMES] : n[STEP];
    range->count = range->times ? count_products(n[FROM], n[TO], n[TIMES])
                                : count_steps(n[FROM], n[TO], n[STEP]);
    if (range->count <= RANGE_VALUES_MAX)
        return true;
    job_reader_complain(
        reader, map, key,
        "the range has more than %d values; shorten it or use larger steps",
        RANGE_VALUES_MAX);
    return false;
}

void range_value(const struct range *range, size_t place, char out[RANGE_TEXT_MAX])
{
    double value = range->times ? range->from * pow(range->by, (double)place)
                                : range->from + range->by * (double)place;

    if (value == rint(value) && fabs(value) <= number_most)
        snprintf(out, RANGE_TEXT_MAX, "%.0f", value + 0.0);
    else
        snprintf(out, RANGE_TEXT_MAX, "%.12g", value);
}
