#include "parsers/metrics/formula.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/transfers/transfer_reader.h"

/* Enough for the tables of any chip. A formula for which there is no room is read again
 * each time. */
enum { TERMS_MAX = 32, TERMS_KEPT = 1024, BYTES_KEPT = 8192, PLACES = 512 };

/* A text that was read. The address alone is no proof, because a caller may write
 * another text into the same buffer. */
struct place {
    const char *address;
    const char *text; /* a copy */
    struct formula formula;
};

/* The programs that evaluate formulas have one thread. Memory of a thread would be
 * cleared at the start of every program. */
static struct {
    struct place places[PLACES];
    struct formula_term terms[TERMS_KEPT], unkept[TERMS_MAX];
    char bytes[BYTES_KEPT];
    size_t term_count, byte_count, place_count;
} kept;

/* Reads digits and moves *at after them. */
static uint32_t read_number(const char **at)
{
    uint32_t value = 0;

    for (; **at >= '0' && **at <= '9'; ++*at)
        value = value * 10 + (uint32_t)(**at - '0');
    return value;
}

static bool find_memory(const char *name, size_t length, uint8_t *memory)
{
    for (unsigned i = 0; i < MEMORY_KINDS; i++) {
        const char *known = transfer_memory_name(i);

        if (strlen(known) == length && strncmp(name, known, length) == 0) {
            *memory = (uint8_t)i;
            return true;
        }
    }
    return false;
}

/* Reads a path like "UB>GM" and moves *at after it. */
static bool read_path(const char **at, struct formula_term *term)
{
    static const char letters[] = "ABCDEGILMPRTUV01";
    size_t first = strspn(*at, letters), second;
    const char *next = *at + first + 1;

    if (!first || (*at)[first] != '>')
        return false;
    second = strspn(next, letters);
    if (!find_memory(*at, first, &term->from) || !find_memory(next, second, &term->to))
        return false;
    *at = next + second;
    return true;
}

static void read_memory_term(const char **at, struct formula_term *term)
{
    bool is_whole;

    if (!read_path(at, term)) {
        term->kind = FORMULA_UNKNOWN;
        return;
    }
    term->kind = FORMULA_BYTES;
    if (**at != '/')
        return;
    is_whole = (*at)[1] == '/';
    *at += 1 + is_whole;
    term->divisor = read_number(at);
    term->kind = is_whole               ? FORMULA_WHOLE_REQUESTS
                 : term->divisor == 128 ? FORMULA_REQUESTS_128
                                        : FORMULA_REQUESTS_256;
    if (term->divisor == 0)
        term->kind = FORMULA_UNKNOWN;
}

/* Reads one term after its sign: [factor*]event[/divisor], or a path. */
static void read_term(const char **at, struct formula_term *term)
{
    const char *start = *at;

    if (*start > '9') {
        read_memory_term(at, term);
        return;
    }
    term->event = read_number(at);
    if (**at == '*') {
        ++*at;
        term->factor = term->event;
        term->event = read_number(at);
    }
    if (**at == '/') {
        ++*at;
        term->divisor = read_number(at);
    }
    if (*at == start || term->divisor == 0)
        term->kind = FORMULA_UNKNOWN;
}

/* Returns the number of terms. Nothing is read after a term that is unknown, or from an
 * '@' on, which divides the two formulas of a column. */
static size_t read_terms(const char *text, struct formula_term terms[TERMS_MAX])
{
    size_t count = 0;

    while (*text && *text != '@') {
        struct formula_term *term = &terms[count++];

        if (count > TERMS_MAX)
            abort(); /* no table has such a formula */
        *term = (struct formula_term){.factor = 1, .divisor = 1, .minus = *text == '-'};
        text += *text == '-' || *text == '+';
        read_term(&text, term);
        if (term->kind == FORMULA_UNKNOWN)
            break;
    }
    return count;
}

static struct formula read_formula(const char *text)
{
    return (struct formula){kept.unkept, read_terms(text, kept.unkept)};
}

static struct formula keep(struct place *place, const char *text)
{
    struct formula formula = read_formula(text);
    size_t size = strlen(text) + 1;

    if (place->address || /* another text at the same address */
        kept.place_count == PLACES / 2 ||
        kept.term_count + formula.count > TERMS_KEPT ||
        kept.byte_count + size > BYTES_KEPT)
        return formula;
    struct formula_term *terms = kept.terms + kept.term_count;
    memcpy(terms, formula.terms, formula.count * sizeof(*terms));
    kept.term_count += formula.count;
    formula.terms = terms;
    place->address = text;
    place->text = memcpy(kept.bytes + kept.byte_count, text, size);
    kept.byte_count += size;
    place->formula = formula;
    kept.place_count++;
    return formula;
}

struct formula formula_terms(const char *text)
{
    uint64_t hash = (uint64_t)(uintptr_t)text * 0x9E3779B97F4A7C15u;
    size_t at = (size_t)(hash >> 32) % PLACES;

    while (kept.places[at].address && kept.places[at].address != text)
        at = (at + 1) % PLACES;
    struct place *place = &kept.places[at];
    if (place->address && strcmp(place->text, text) == 0)
        return place->formula;
    return keep(place, text);
}
