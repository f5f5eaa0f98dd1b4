#include "lib/job/problem/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

static size_t kept(const struct problems *problems)
{
    return problems->count < PROBLEMS_MAX ? problems->count : PROBLEMS_MAX;
}

void problems_add(struct problems *problems,
                  const char *file,
                  unsigned line,
                  unsigned column,
                  const char *key,
                  const char *fmt,
                  ...)
{
    va_list args;

    if (problems->count++ >= PROBLEMS_MAX)
        return;
    va_start(args, fmt);
    problems->items[problems->count - 1] = (struct problem){
        .file = xstrdup(file),
        .line = line,
        .column = column,
        .key = xstrdup(key),
        .text = xvasprintf(fmt, args),
    };
    va_end(args);
}

void problems_clear(struct problems *problems)
{
    for (size_t i = 0; i < kept(problems); i++) {
        free(problems->items[i].file);
        free(problems->items[i].key);
        free(problems->items[i].text);
    }
    problems->count = 0;
}

static int is_before(const struct problem *a, const struct problem *b)
{
    int files = strcmp(a->file, b->file);

    if (files)
        return files < 0;
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

void problems_sort(struct problems *problems)
{
    for (size_t i = 1; i < kept(problems);
         i++) { /* insertion sort: at most PROBLEMS_MAX items, nearly in order */
        struct problem moving = problems->items[i];
        size_t j = i;

        for (; j > 0 && is_before(&moving, &problems->items[j - 1]); j--)
            problems->items[j] = problems->items[j - 1];
        problems->items[j] = moving;
    }
}

void problems_print(const struct problems *problems, const char *name, struct text *out)
{
    for (size_t i = 0; i < kept(problems); i++) {
        const struct problem *it = &problems->items[i];

        text_printf(out, "%s:%u:%u: %s%s%s\n", *it->file ? it->file : name, it->line,
                    it->column, it->key, it->key[0] ? ": " : "", it->text);
    }
    if (problems->count > PROBLEMS_MAX)
        text_printf(out, "%s: %zu more problems are not shown\n", name,
                    problems->count - PROBLEMS_MAX);
}

void problems_add_syntax(struct problems *problems, const char *file, const char *text)
{
    unsigned line = 1, column = 1;
    int used = 0;

    text += text_has_prefix(text, file) ? strlen(file) : 0;
    if (sscanf(text, ":%u:%u: %n", &line, &column, &used) < 2)
        used = (int)strspn(text, ": ");
    problems_add(problems, file, line, column, "", "%s", text + used);
}
