#include "worker/host/card_list.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static int
add(struct card_list *out, uint64_t number, const char *list, struct err *err)
{
    for (size_t i = 0; i < out->count; i++)
        if (out->numbers[i] == number)
            return err_set(err, ERR_INPUT, "'%s' names card %llu twice", list,
                           (unsigned long long)number);
    if (out->count == HOST_CARDS_MAX || number >= HOST_CARDS_MAX)
        return err_set(err, ERR_LIMIT, "'%s': muster serves cards 0 to %d", list,
                       HOST_CARDS_MAX - 1);
    out->numbers[out->count++] = (uint32_t)number;
    return 0;
}

/* Adds NUMBER, FIRST-LAST or MODEL-NUMBER. */
static int
add_item(struct card_list *out, const char *item, const char *list, struct err *err)
{
    const char *digits = item;
    uint64_t low, high;
    char *end;

    if (isalpha((unsigned char)*item) && strrchr(item, '-'))
        digits = strrchr(item, '-') + 1;
    if (!isdigit((unsigned char)*digits))
        return err_set(err, ERR_INPUT,
                       "'%s' is not a list of cards such as 0,2-3: '%s'", list, item);
    low = high = strtoull(digits, &end, 10);
    if (digits == item && *end == '-' && isdigit((unsigned char)end[1]))
        high = strtoull(end + 1, &end, 10);
    if (*end || high < low)
        return err_set(err, ERR_INPUT,
                       "'%s' is not a list of cards such as 0,2-3: '%s'", list, item);
    for (uint64_t number = low; number <= high; number++)
        if (add(out, number, list, err) < 0)
            return -1;
    return 0;
}

int card_list_parse(const char *list, struct card_list *out, struct err *err)
{
    char *copy = xstrdup(list), *rest = copy;
    int result = 0;

    out->count = 0;
    for (char *item; result == 0 && (item = strsep(&rest, ","));) {
        item += strspn(item, " \t");
        for (size_t end = strlen(item); end > 0 && strchr(" \t\n", item[end - 1]);)
            item[--end] = '\0';
        if (*item)
            result = add_item(out, item, list, err);
    }
    free(copy);
    if (result == 0 && out->count == 0)
        return err_set(err, ERR_INPUT, "'%s' names no card", list);
    return result;
}

/* Translates physical numbers to the driver's numbers. A container can have
 * other numbers for its cards: when a number is unknown, and as many cards exist as are
 * named, all cards are taken. */
static int translate_physical(const struct card_lookup *lookup,
                              struct card_list *cards,
                              struct err *err)
{
    struct card_list all, translated = {.from = cards->from};

    for (size_t i = 0; i < cards->count; i++) {
        uint32_t logical;

        if (lookup->logical(lookup->arg, cards->numbers[i], &logical) == 0) {
            if (add(&translated, logical, cards->from, err) < 0)
                return -1;
            continue;
        }
        if (lookup->all(lookup->arg, &all, err) < 0)
            return err_wrap(err, "%s", cards->from);
        if (all.count != cards->count)
            return err_set(
                err, ERR_NOT_FOUND,
                "%s names card %u, which does not exist, and %zu cards; this "
                "host has %zu cards",
                cards->from, cards->numbers[i], cards->count, all.count);
        all.from = cards->from;
        *cards = all;
        return 0;
    }
    *cards = translated;
    return 0;
}

int card_list_find(const char *list,
                   const struct card_lookup *lookup,
                   struct card_list *out,
                   struct err *err)
{
    static const struct {
        const char *variable;
        bool is_physical;
    } places[] = {
        {"ASCEND_RT_VISIBLE_DEVICES", false},
        {"ASCEND_VISIBLE_DEVICES", true},
        {"SLURM_STEP_NPUS", true},
        {"SLURM_JOB_NPUS", true},
    };

    out->from = "--cards";
    if (list)
        return card_list_parse(list, out, err) < 0 ? err_wrap(err, "--cards") : 0;
    for (size_t i = 0; i < COUNT(places); i++) {
        const char *value = getenv(places[i].variable);

        if (!value || !*value)
            continue;
        out->from = places[i].variable;
        if (card_list_parse(value, out, err) < 0)
            return err_wrap(err, "%s", places[i].variable);
        return places[i].is_physical ? translate_physical(lookup, out, err) : 0;
    }
    out->from = "all cards of the host";
    return lookup->all(lookup->arg, out, err);
}
