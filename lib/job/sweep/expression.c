#include "lib/job/sweep/expression.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"

enum { DEPTH_MAX = 32, NODES_MAX = 256 };

enum kind { OR, AND, NOT, EQUAL, UNEQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL };

struct operand {
    const struct variable *variable; /* NULL: the operand is `literal` */
    struct value literal;
};

struct expression {
    enum kind kind;
    const struct expression *left,
        *right;          /* of OR and AND; NOT has the left one only */
    struct operand a, b; /* of a comparison: a on its left side, b on its right */
};

struct parser {
    const char *text, *at;
    const struct variables *variables;
    struct arena *arena;
    struct err *err;
    size_t *offset;
    unsigned depth, nodes;
};

static int fail(struct parser *parser, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(struct parser *parser, const char *at, const char *fmt, ...)
{
    char what[200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    *parser->offset = (size_t)(at - parser->text);
    return err_set(parser->err, ERR_INPUT, "%s", what);
}

static void skip_blanks(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

static bool take(struct parser *parser, const char *sign)
{
    skip_blanks(parser);
    if (strncmp(parser->at, sign, strlen(sign)) != 0)
        return false;
    parser->at += strlen(sign);
    return true;
}

static struct expression *add(struct parser *parser, enum kind kind)
{
    if (++parser->nodes > NODES_MAX) {
        fail(parser, parser->at,
             "the expression has more than %d comparisons and operators; shorten it",
             NODES_MAX);
        return NULL;
    }
    struct expression *node = arena_calloc(parser->arena, 1, sizeof(*node));
    node->kind = kind;
    return node;
}

static int read_quoted(struct parser *parser, struct operand *operand)
{
    const char *start = parser->at + 1, *end = strchr(start, *parser->at);

    if (!end)
        return fail(parser, parser->at, "the closing %c is missing", *parser->at);
    operand->literal.text = arena_strndup(parser->arena, start, (size_t)(end - start));
    parser->at = end + 1;
    return 0;
}

static size_t length_of_word(const char *at)
{
    size_t length = 0;

    while (isalnum((unsigned char)at[length]) ||
           (at[length] && strchr("_.:/-+", at[length])))
        length++;
    return length;
}

/* Sets *word to the start of an unquoted word that is neither a variable nor a number;
 * else to NULL. */
static int
read_operand(struct parser *parser, struct operand *operand, const char **word)
{
    const char *nearest;

    *operand = (struct operand){0};
    *word = NULL;
    skip_blanks(parser);
    if (*parser->at == '"' || *parser->at == '\'')
        return read_quoted(parser, operand);
    size_t length = length_of_word(parser->at);
    if (!length && *parser->at)
        return fail(parser, parser->at, "a name or a value is missing before '%c'",
                    *parser->at);
    if (!length)
        return fail(parser, parser->at, "a name or a value is missing at the end");
    operand->variable = variable_find(parser->variables, parser->at, length, &nearest);
    if (!operand->variable) {
        operand->literal = value_of(arena_strndup(parser->arena, parser->at, length));
        if (!operand->literal.is_number)
            *word = parser->at;
    }
    parser->at += length;
    return 0;
}

static int read_sign(struct parser *parser, enum kind *kind)
{
    static const struct {
        const char *text;
        enum kind kind;
    } signs[] = {
        {"==", EQUAL},         {"!=", UNEQUAL}, {"<=", LESS_EQUAL},
        {">=", GREATER_EQUAL}, {"<", LESS},     {">", GREATER},
    };

    for (size_t i = 0; i < COUNT(signs); i++)
        if (take(parser, signs[i].text)) {
            *kind = signs[i].kind;
            return 0;
        }
    if (*parser->at == '=')
        return fail(parser, parser->at, "'=' is not a comparison; did you mean '=='?");
    return fail(parser, parser->at, "expected a comparison: == != < <= > >=");
}

static int
check_order(struct parser *parser, const struct operand *operand, const char *at)
{
    if (operand->variable && !operand->variable->all_numbers)
        return fail(parser, at, "'%s' has values that are not numbers; use == or !=",
                    operand->variable->name);
    if (!operand->variable && !operand->literal.is_number)
        return fail(parser, at,
                    "'%s' is not a number; use == or !=", operand->literal.text);
    return 0;
}

static int fail_without_variable(struct parser *parser, const char *word)
{
    size_t length = length_of_word(word);
    const char *nearest;

    variable_find(parser->variables, word, length, &nearest);
    if (nearest)
        return fail(parser, word, "unknown variable '%.*s'; did you mean '%s'?",
                    (int)length, word, nearest);
    return fail(parser, word, "unknown variable '%.*s'; use one of the sweep",
                (int)length, word);
}

static const struct expression *read_comparison(struct parser *parser)
{
    struct expression *node = add(parser, EQUAL);
    const char *word_a, *word_b;

    if (!node)
        return NULL;
    skip_blanks(parser);
    const char *start_a = parser->at;
    if (read_operand(parser, &node->a, &word_a) < 0 ||
        read_sign(parser, &node->kind) < 0)
        return NULL;
    skip_blanks(parser);
    const char *start_b = parser->at;
    if (read_operand(parser, &node->b, &word_b) < 0)
        return NULL;
    if (!node->a.variable && !node->b.variable) {
        if (word_a || word_b)
            fail_without_variable(parser, word_a ? word_a : word_b);
        else
            fail(parser, start_a,
                 "both sides are constants; compare a variable of the sweep");
        return NULL;
    }
    if (node->kind >= LESS && (check_order(parser, &node->a, start_a) < 0 ||
                               check_order(parser, &node->b, start_b) < 0))
        return NULL;
    return node;
}

static const struct expression *read_or(struct parser *parser);

static const struct expression *read_not(struct parser *parser)
{
    const struct expression *inner = NULL;

    if (parser->depth == DEPTH_MAX) {
        fail(parser, parser->at, "nested deeper than %d levels; use fewer parentheses",
             DEPTH_MAX);
        return NULL;
    }
    parser->depth++;
    skip_blanks(parser);
    if (parser->at[0] == '!' && parser->at[1] != '=') {
        struct expression *node = add(parser, NOT);

        parser->at++;
        if (node && (node->left = read_not(parser)))
            inner = node;
    } else if (take(parser, "(")) {
        inner = read_or(parser);
        if (inner && !take(parser, ")")) {
            fail(parser, parser->at, "expected a closing )");
            inner = NULL;
        }
    } else {
        inner = read_comparison(parser);
    }
    parser->depth--;
    return inner;
}

static const struct expression *
read_chain(struct parser *parser,
           enum kind kind,
           const char *sign,
           const struct expression *(*next)(struct parser *))
{
    const struct expression *left = next(parser);

    while (left && take(parser, sign)) {
        struct expression *node = add(parser, kind);

        if (!node)
            return NULL;
        node->left = left;
        node->right = next(parser);
        left = node->right ? node : NULL;
    }
    return left;
}

static const struct expression *read_and(struct parser *parser)
{
    return read_chain(parser, AND, "&&", read_not);
}

static const struct expression *read_or(struct parser *parser)
{
    return read_chain(parser, OR, "||", read_and);
}

int expression_parse(const struct expression **out,
                     const char *text,
                     const struct variables *variables,
                     struct arena *arena,
                     size_t *offset,
                     struct err *err)
{
    struct parser parser = {.text = text,
                            .at = text,
                            .variables = variables,
                            .arena = arena,
                            .err = err,
                            .offset = offset};
    const struct expression *root = read_or(&parser);

    if (!root)
        return -1;
    skip_blanks(&parser);
    if (*parser.at)
        return fail(&parser, parser.at,
                    "unexpected '%.20s'; join comparisons with && or ||", parser.at);
    *out = root;
    return 0;
}

static struct value value_of_operand(const struct operand *operand,
                                     const size_t *digits)
{
    return operand->variable
               ? operand->variable->values[digits[operand->variable->axis]]
               : operand->literal;
}

static bool compare(const struct expression *node, const size_t *digits)
{
    struct value a = value_of_operand(&node->a, digits),
                 b = value_of_operand(&node->b, digits);
    bool numbers = a.is_number && b.is_number;

    switch (node->kind) {
    case EQUAL:
        return numbers ? a.number == b.number : strcmp(a.text, b.text) == 0;
    case UNEQUAL:
        return numbers ? a.number != b.number : strcmp(a.text, b.text) != 0;
    case LESS:
        return a.number < b.number;
    case LESS_EQUAL:
        return a.number <= b.number;
    case GREATER:
        return a.number > b.number;
    default:
        return a.number >= b.number;
    }
}

bool expression_is_true(const struct expression *expression, const size_t *digits)
{
    switch (expression->kind) {
    case OR:
        return expression_is_true(expression->left, digits) ||
               expression_is_true(expression->right, digits);
    case AND:
        return expression_is_true(expression->left, digits) &&
               expression_is_true(expression->right, digits);
    case NOT:
        return !expression_is_true(expression->left, digits);
    default:
        return compare(expression, digits);
    }
}
