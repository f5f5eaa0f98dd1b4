#include "lib/base/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

static const struct option_row *find_letter(const struct option_row *rows, char letter)
{
    for (; rows->name; rows++)
        if (rows->letter == letter)
            return rows;
    return NULL;
}

static const struct option_row *
find_name(const struct option_row *rows, const char *name, size_t length)
{
    for (; rows->name; rows++)
        if (strlen(rows->name) == length && memcmp(rows->name, name, length) == 0)
            return rows;
    return NULL;
}

static int unknown(const struct option_row *rows, const char *word, struct err *err)
{
    const char *known[128];
    size_t count = 0;

    for (; rows->name && count + 1 < COUNT(known); rows++)
        if (option_is_listed(rows))
            known[count++] = rows->name;
    known[count] = NULL;
    const char *nearest = text_nearest(word, known);
    if (nearest)
        return err_set(err, ERR_INPUT, "unknown option --%s; did you mean --%s?", word,
                       nearest);
    return err_set(err, ERR_INPUT, "unknown option --%s", word);
}

static int wrong(const struct option_row *row,
                 const char *value,
                 const char *expected,
                 struct err *err)
{
    return err_set(err, ERR_INPUT, "--%s: '%s' is not %s", row->name, value, expected);
}

static int set_choice(const struct option_row *row, const char *value, struct err *err)
{
    struct text all = {0};

    for (int i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], value) == 0) {
            *(int *)row->target = i;
            text_clear(&all);
            return 0;
        }
        text_printf(&all, "%s%s", i ? ", " : "", row->choices[i]);
    }
    err_set(err, ERR_INPUT, "--%s: '%s' is not one of: %s", row->name, value,
            text_get(&all));
    text_clear(&all);
    return -1;
}

static void add_text(struct option_texts *texts, const char *value)
{
    texts->items = xreallocarray(texts->items, texts->count + 2, sizeof(*texts->items));
    texts->items[texts->count++] = value;
    texts->items[texts->count] = NULL;
}

/* Programs and their children have different working folders, so a path is made
 * absolute where it enters. The list keeps each path reachable. */
static int set_path(const struct option_row *row, const char *value, struct err *err)
{
    static struct option_texts paths;
    char here[PATH_MAX];

    if (*value == '/' || !*value) {
        *(const char **)row->target = value;
        return 0;
    }
    if (!getcwd(here, sizeof(here)))
        return err_errno(err, "--%s: reading the path of the current folder",
                         row->name);
    add_text(&paths, xasprintf("%s/%s", strcmp(here, "/") ? here : "", value));
    *(const char **)row->target = paths.items[paths.count - 1];
    return 0;
}

static int set_count(const struct option_row *row, const char *value, struct err *err)
{
    uint64_t count;

    if (!num_parse_u64(value, &count) || count == 0)
        return wrong(row, value, "a whole number of at least 1", err);
    *(uint64_t *)row->target = count;
    return 0;
}

int options_set(const struct option_row *row, const char *value, struct err *err)
{
    switch (row->kind) {
    case OPTION_PATH:
        return set_path(row, value, err);
    case OPTION_FLAG:
        *(bool *)row->target = true;
        return 0;
    case OPTION_TEXT:
        *(const char **)row->target = value;
        return 0;
    case OPTION_TEXTS:
        add_text(row->target, value);
        return 0;
    case OPTION_U64:
        return num_parse_u64(value, row->target)
                   ? 0
                   : wrong(row, value, "a whole number of at least 0", err);
    case OPTION_COUNT:
        return set_count(row, value, err);
    case OPTION_I64:
        return num_parse_i64(value, row->target)
                   ? 0
                   : wrong(row, value, "a whole number", err);
    case OPTION_DOUBLE:
        return num_parse_double(value, row->target)
                   ? 0
                   : wrong(row, value, "a number", err);
    case OPTION_DURATION:
        return num_parse_duration_ms(value, row->target)
                   ? 0
                   : wrong(row, value, "a time such as 250ms, 10s, 5m, 2h, 1d", err);
    case OPTION_BYTES:
        return num_parse_bytes(value, row->target)
                   ? 0
                   : wrong(row, value, "a size such as 4096, 64KiB, 1MiB, 2GiB", err);
    case OPTION_CHOICE:
        return set_choice(row, value, err);
    case OPTION_RENAMED: /* take_long() replaces the row */
        break;
    }
    return err_set(err, ERR_INTERNAL, "--%s: unknown kind of option", row->name);
}

/* Returns the row of the new name for an old one, with a warning. */
static const struct option_row *follow_rename(const struct option_row *rows,
                                              const struct option_row *row)
{
    if (!row || row->kind != OPTION_RENAMED)
        return row;
    log_warning("option renamed: old=--%s new=--%s valid_until=next_release", row->name,
                row->value);
    return find_name(rows, row->value, strlen(row->value));
}

/* Reads --name, --name=value, or --name and the value in the next word. Returns the
 * number of words read, or -1. */
static int take_long(const struct option_row *rows, char **words, struct err *err)
{
    char *name = words[0] + 2;
    size_t length = strcspn(name, "=");
    const struct option_row *row = follow_rename(rows, find_name(rows, name, length));
    char *value = name[length] ? name + length + 1 : NULL;

    if (!row) {
        char *word = xstrndup(name, length);

        unknown(rows, word, err);
        free(word);
        return -1;
    }
    if (row->kind == OPTION_FLAG) {
        if (value)
            return err_set(err, ERR_INPUT, "--%s takes no value", row->name);
        return options_set(row, NULL, err) < 0 ? -1 : 1;
    }
    if (!value && !words[1])
        return err_set(err, ERR_INPUT, "--%s needs a value: %s", row->name, row->value);
    return options_set(row, value ? value : words[1], err) < 0 ? -1 : value ? 1 : 2;
}

/* Reads -a, -abc, -nVALUE, or -n and the value in the next word. */
static int take_letters(const struct option_row *rows, char **words, struct err *err)
{
    for (char *letter = words[0] + 1; *letter; letter++) {
        const struct option_row *row = find_letter(rows, *letter);

        if (!row)
            return err_set(err, ERR_INPUT, "unknown option -%c", *letter);
        if (row->kind == OPTION_FLAG) {
            if (options_set(row, NULL, err) < 0)
                return -1;
            continue;
        }
        char *value = letter[1] ? letter + 1 : words[1];
        if (!value)
            return err_set(err, ERR_INPUT, "-%c needs a value: %s", *letter,
                           row->value);
        return options_set(row, value, err) < 0 ? -1 : letter[1] ? 1 : 2;
    }
    return 1;
}

int options_parse(const struct option_row *rows,
                  int argc,
                  char **argv,
                  char ***args,
                  struct err *err)
{
    char **words = argv + (argc > 0), **kept = words;

    *args = kept;
    while (*words) {
        int took;

        if (strcmp(*words, "--") == 0) {
            for (words++; *words; words++)
                *kept++ = *words;
            break;
        }
        if (words[0][0] != '-' || words[0][1] == '\0') { /* "-" is an argument */
            *kept++ = *words++;
            continue;
        }
        took = words[0][1] == '-' ? take_long(rows, words, err)
                                  : take_letters(rows, words, err);
        if (took < 0)
            return -1;
        words += took;
    }
    *kept = NULL;
    return 0;
}

/* Returns the number of words of the options that begin at words[0], and whether one of
 * them is `searched`. A wrong option has one word: options_parse() reports it. */
static size_t count_words(const struct option_row *rows,
                          char *const *words,
                          const struct option_row *searched,
                          bool *found)
{
    const char *letter = words[0] + 1;
    const struct option_row *row;

    if (*letter == '-') {
        size_t length = strcspn(letter + 1, "=");

        row = find_name(rows, letter + 1, length);
        if (row && row->kind == OPTION_RENAMED)
            row = find_name(rows, row->value, strlen(row->value));
        *found = *found || row == searched;
        return row && row->kind != OPTION_FLAG && !letter[1 + length] && words[1] ? 2
                                                                                  : 1;
    }
    for (; *letter && (row = find_letter(rows, *letter)); letter++) {
        *found = *found || row == searched;
        if (row->kind != OPTION_FLAG)
            return letter[1] || !words[1] ? 1 : 2;
    }
    return 1;
}

bool options_has(const struct option_row *rows, char *const *argv, const char *name)
{
    const struct option_row *searched = find_name(rows, name, strlen(name));
    bool found = false;

    for (char *const *words = argv + (*argv != NULL);
         searched && *words && strcmp(*words, "--") != 0;)
        words += words[0][0] == '-' ? count_words(rows, words, searched, &found) : 1;
    return found;
}

static int head_of(const struct option_row *row, char *out, size_t size)
{
    bool flag = row->kind == OPTION_FLAG;
    char letter[5] = "    ";

    if (row->letter)
        snprintf(letter, sizeof(letter), "-%c, ", row->letter);
    return snprintf(out, size, "  %s--%s%s%s", letter, row->name, flag ? "" : " ",
                    flag ? "" : row->value);
}

/* Returns the number of words that form one of the named options; 0: none of them. */
static size_t words_of_option(char *const *words, const char *const *names)
{
    for (; text_has_prefix(words[0], "--") && *names; names++) {
        size_t length = strlen(*names);

        if (strncmp(words[0] + 2, *names, length) != 0)
            continue;
        if (words[0][2 + length] == '=')
            return 1;
        if (words[0][2 + length] == '\0')
            return words[1] ? 2 : 1;
    }
    return 0;
}

const char **options_without(char *const *argv, const char *const *names)
{
    const char **kept;
    size_t count = 0, used = 0;

    while (argv[count])
        count++;
    kept = xcalloc(count + 1, sizeof(*kept));
    for (size_t i = 1; i < count;) {
        size_t skipped = words_of_option(argv + i, names);

        if (skipped == 0)
            kept[used++] = argv[i++];
        i += skipped;
    }
    return kept;
}

bool option_is_listed(const struct option_row *row)
{
    return row->kind != OPTION_RENAMED;
}

/* Prints text in lines of 80 columns; all lines but the first start with `indent`
 * spaces. A longer word has a line of its own. */
static void print_wrapped(const char *text, int indent, FILE *out)
{
    const int width = indent < 50 ? 80 - indent : 30;
    int used = 0;

    while (*text) {
        int length = (int)strcspn(text, " ");

        if (used > 0 && used + 1 + length > width) {
            fprintf(out, "\n%*s", indent, "");
            used = 0;
        }
        used += fprintf(out, "%s%.*s", used ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
}

void options_print(const struct option_row *rows, FILE *out)
{
    int width = 0;
    char head[128];

    for (const struct option_row *row = rows; row->name; row++) {
        int length = option_is_listed(row) ? head_of(row, head, sizeof(head)) : 0;

        if (length > width && length < 40)
            width = length;
    }
    for (; rows->name; rows++) {
        if (!option_is_listed(rows))
            continue;
        head_of(rows, head, sizeof(head));
        struct text text = {0};
        text_add(&text, rows->help);
        for (int i = 0; rows->kind == OPTION_CHOICE && rows->choices[i]; i++)
            text_printf(&text, "%s%s", i ? ", " : "; one of ", rows->choices[i]);
        int length = fprintf(out, "%-*s  ", width, head);
        if (length > width + 2) /* a long head: the text starts on the next line */
            fprintf(out, "\n%*s", width + 2, "");
        print_wrapped(text_get(&text), width + 2, out);
        text_clear(&text);
        fputc('\n', out);
    }
}
