#include "parsers/anomaly/templates.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

/* Cuts digits at the end and groups of _ and digits: trans_TransData_12, a_3_4. */
static size_t length_without_numbers(const char *name)
{
    size_t length = strlen(name), end = length;

    while (end > 0) {
        size_t digits = end;

        while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
            digits--;
        if (digits == end)
            break;
        end = digits;
        if (end > 0 && name[end - 1] == '_')
            end--;
    }
    return end > 0 ? end : length;
}

static uint32_t token_of(struct names *names, const struct kernel *kernel)
{
    const char *name = names_text(names, kernel->name);
    const char *numbers = text_has_prefix(name, "hcom_") ? strstr(name, "__") : NULL;
    size_t length;
    char *copy;
    uint32_t token;

    if (!numbers && kernel->type)
        return kernel->type;
    length = numbers ? (size_t)(numbers - name) : length_without_numbers(name);
    copy = xstrndup(name, length);
    token = names_add(names, copy);
    free(copy);
    return token;
}

uint32_t *template_tokens(const struct kernel_list *kernels)
{
    size_t names = names_count(kernels->names);
    uint32_t *tokens = xcalloc(kernels->count + 1, sizeof(*tokens));
    uint32_t *by_name =
        xcalloc(names, sizeof(*by_name)); /* of kernels without a type */

    for (size_t i = 0; i < kernels->count; i++) {
        const struct kernel *kernel = &kernels->rows[i];

        if (kernel->is_shadow)
            continue;
        if (kernel->type && kernel->unit_class != UNIT_COMM) {
            tokens[i] = kernel->type;
            continue;
        }
        if (!by_name[kernel->name])
            by_name[kernel->name] = token_of(kernels->names, kernel);
        tokens[i] = by_name[kernel->name];
    }
    free(by_name);
    return tokens;
}

static int compare_pairs(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

/* Returns the sorted pairs of neighbours. The caller frees them. */
static uint64_t *pairs_of(const uint32_t *tokens, size_t count)
{
    uint64_t *pairs = xcalloc(count + 1, sizeof(*pairs));

    for (size_t i = 1; i < count; i++)
        pairs[i - 1] = (uint64_t)tokens[i - 1] << 32 | tokens[i];
    if (count > 2)
        qsort(pairs, count - 1, sizeof(*pairs), compare_pairs);
    return pairs;
}

double
template_likeness(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count)
{
    size_t a_pairs = a_count > 0 ? a_count - 1 : 0,
           b_pairs = b_count > 0 ? b_count - 1 : 0, common = 0;
    uint64_t *left, *right;

    if (a_count > 0 && a_count == b_count && memcmp(a, b, a_count * sizeof(*a)) == 0)
        return 1; /* the usual case */
    left = pairs_of(a, a_count);
    right = pairs_of(b, b_count);

    for (size_t i = 0, j = 0; i < a_pairs && j < b_pairs;) {
        if (left[i] == right[j]) {
            common++;
            i++;
            j++;
        } else if (left[i] < right[j]) {
            i++;
        } else {
            j++;
        }
    }
    free(left);
    free(right);
    return a_pairs + b_pairs > 0 ? 2 * (double)common / (double)(a_pairs + b_pairs) : 1;
}
