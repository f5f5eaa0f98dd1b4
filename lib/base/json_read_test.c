#include "lib/base/json_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/json_cases.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/support/unit.h"

struct source {
    const char *bytes;
    size_t left;
    size_t piece;
};

static ssize_t read_pieces(void *arg, void *bytes, size_t size)
{
    struct source *source = arg;

    if (size > source->piece)
        size = source->piece;
    if (size > source->left)
        size = source->left;
    memcpy(bytes, source->bytes, size);
    source->bytes += size;
    source->left -= size;
    return (ssize_t)size;
}

/* Writes all tokens with their positions, and the final result, as one text. */
static void
describe(struct text *out, const char *bytes, size_t size, size_t piece, unsigned depth)
{
    struct source source = {bytes, size, piece};
    struct json_limits limits = {.depth = depth, .text_bytes = 1 << 20};
    struct json_read *read = json_read_create("in", read_pieces, &source, limits);
    struct json_token token;
    struct err err;

    do {
        if (json_read_next(read, &token, &err) < 0) {
            text_printf(out, "error %s", err.text);
            break;
        }
        text_printf(out, "%llu:%llu %s %zu '", (unsigned long long)token.line,
                    (unsigned long long)token.column, json_kind_name(token.kind),
                    token.length);
        text_add_bytes(out, token.text, token.length);
        text_add(out, "'\n");
        assert_int_equal(token.text[token.length], '\0');
    } while (token.kind != JSON_END);
    json_read_destroy(read);
}

static bool is_accepted(const char *bytes, size_t size, size_t piece)
{
    struct text out = {0};

    describe(&out, bytes, size, piece, 128);
    bool accepted = !strstr(text_get(&out), "error ");
    if (!accepted)
        assert_non_null(strstr(text_get(&out), "error in:"));
    text_clear(&out);
    return accepted;
}

static void valid_json_is_accepted(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(accepted_cases); i++)
        if (!is_accepted(accepted_cases[i].bytes, accepted_cases[i].size, SIZE_MAX))
            fail_msg("refused: %s", accepted_cases[i].bytes);
}

static void invalid_json_is_refused(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(refused_cases); i++)
        if (is_accepted(refused_cases[i].bytes, refused_cases[i].size, SIZE_MAX))
            fail_msg("accepted: %s", refused_cases[i].bytes);
}

static void pieces_of_any_size_give_the_same_tokens(void **ctx)
{
    const struct json_case *tables[] = {accepted_cases, refused_cases};
    const size_t counts[] = {COUNT(accepted_cases), COUNT(refused_cases)};

    (void)ctx;
    for (size_t table = 0; table < 2; table++)
        for (size_t i = 0; i < counts[table]; i++)
            for (size_t piece = 1; piece < 6; piece++) {
                const struct json_case *it = &tables[table][i];
                struct text whole = {0}, cut = {0};

                describe(&whole, it->bytes, it->size, SIZE_MAX, 128);
                describe(&cut, it->bytes, it->size, piece, 128);
                assert_int_equal(whole.length, cut.length);
                assert_memory_equal(whole.bytes, cut.bytes, cut.length);
                text_clear(&whole);
                text_clear(&cut);
            }
}

static void every_prefix_of_a_document_is_refused(void **ctx)
{
    const char *document = "{\"a\": [1, -2.5e3, \"x\\u00e9\\ud83d\\ude00\xc3\xa9\", "
                           "true, false, null, {}], \"b\": {\"c\": []}}";

    (void)ctx;
    for (size_t size = 0; size < strlen(document); size++)
        assert_false(is_accepted(document, size, SIZE_MAX));
    assert_true(is_accepted(document, strlen(document), SIZE_MAX));
}

static void tokens_have_text_line_and_column(void **ctx)
{
    const char *document = "{\"a\": [1,\n  \"x\\n\\u00e9\"], \"\": null}\n";
    struct text out = {0};

    (void)ctx;
    describe(&out, document, strlen(document), SIZE_MAX, 128);
    assert_string_equal(text_get(&out), "1:1 an object 0 ''\n"
                                        "1:2 a key 1 'a'\n"
                                        "1:7 an array 0 ''\n"
                                        "1:8 a number 1 '1'\n"
                                        "2:3 a text 4 'x\n\xc3\xa9'\n"
                                        "2:14 the end of an array 0 ''\n"
                                        "2:17 a key 0 ''\n"
                                        "2:21 null 0 ''\n"
                                        "2:25 the end of an object 0 ''\n"
                                        "3:1 the end 0 ''\n");
    text_clear(&out);
}

/* Tests each position of the sixteen bytes of one comparison, and those after them. */
static void special_bytes_are_found_at_every_position(void **ctx)
{
    static const struct {
        const char *bytes;
        bool good;
    } specials[] = {{"\\n", true}, {"\xc3\xa9", true}, {"\x7f", true}, {"\x1f", false},
                    {"\"", false}, {"\xff", false},    {"\\x", false}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(specials); i++)
        for (int before = 0; before < 40; before++)
            for (int behind = 0; behind < 40; behind += 13) {
                char document[128];
                int size = snprintf(document, sizeof(document), "\"%.*s%s%.*s\"",
                                    before, "abcdefghijklmnopqrstuvwxyzabcdefghijklmn",
                                    specials[i].bytes, behind,
                                    "abcdefghijklmnopqrstuvwxyzabcdefghijklmn");
                assert_int_equal(is_accepted(document, (size_t)size, SIZE_MAX),
                                 specials[i].good);
            }
}

static void error_is(const char *document, const char *expected)
{
    struct text out = {0};

    describe(&out, document, strlen(document), SIZE_MAX, 4);
    const char *error = strstr(text_get(&out), "error ");
    assert_non_null(error);
    assert_string_equal(error + 6, expected);
    text_clear(&out);
}

static void errors_have_position_and_reason(void **ctx)
{
    (void)ctx;
    error_is("[1,\n 2,]", "in:2:4: expected a value");
    error_is("{\"a\" 1}", "in:1:6: expected a colon");
    error_is("{\"a\":1 \"b\"", "in:1:8: expected a comma or }");
    error_is("[1 2]", "in:1:4: expected a comma or ]");
    error_is("{a:1}", "in:1:2: expected a key in quotes");
    error_is("[01]", "in:1:3: not a valid JSON number");
    error_is("[1.]", "in:1:4: a number lacks a digit");
    error_is("[nul]", "in:1:5: not a value; did you mean 'null'?");
    error_is("\"a\nb\"", "in:1:3: a control character must be written as \\u000a");
    error_is("\"a\xff\"", "in:1:3: not UTF-8");
    error_is("\"ab\\x\"", "in:1:4: unknown escape in a JSON string");
    error_is("\"\\ud800\"", "in:1:2: half of a surrogate pair");
    error_is("[[[[[1]]]]]", "in:1:5: nested deeper than 4 levels");
    error_is("[] []", "in:1:4: unexpected text after the document");
    error_is("", "in:1:1: the document is incomplete");
}

static void an_error_is_returned_again(void **ctx)
{
    struct json_read *read = json_read_create_memory("in", "[,", 2, JSON_LIMITS);
    struct json_token token;
    struct err first, second;

    (void)ctx;
    assert_int_equal(json_read_next(read, &token, &first), 0);
    assert_int_equal(json_read_next(read, &token, &first), -1);
    assert_int_equal(json_read_next(read, &token, &second), -1);
    assert_string_equal(first.text, second.text);
    json_read_destroy(read);
}

static void a_long_text_is_read_up_to_the_limit(void **ctx)
{
    enum { LENGTH = 200000 };
    char *document = xmalloc(LENGTH + 2);
    struct json_token token;
    struct err err;

    (void)ctx;
    memset(document, 'x', LENGTH + 2);
    document[0] = document[LENGTH + 1] = '"';
    for (size_t limit = LENGTH - 1; limit <= LENGTH; limit++) {
        struct json_limits limits = {.depth = 1, .text_bytes = limit};
        struct json_read *read =
            json_read_create_memory("in", document, LENGTH + 2, limits);

        if (limit < LENGTH) {
            assert_int_equal(json_read_next(read, &token, &err), -1);
            assert_int_equal(err.code, ERR_LIMIT);
        } else {
            assert_int_equal(json_read_next(read, &token, &err), 0);
            assert_int_equal(token.length, LENGTH);
            assert_memory_equal(token.text, document + 1, LENGTH);
        }
        json_read_destroy(read);
    }
    free(document);
}

static void a_number_beyond_the_limit_is_an_error(void **ctx)
{
    char *document = xmalloc(300000);
    struct json_limits limits = {.depth = 1, .text_bytes = 1000};
    struct json_token token;
    struct err err;

    (void)ctx;
    memset(document, '1', 300000);
    struct json_read *read = json_read_create_memory("in", document, 300000, limits);
    assert_int_equal(json_read_next(read, &token, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    json_read_destroy(read);
    free(document);
}

static void json_read_skip_stops_after_the_value(void **ctx)
{
    const char *document = "{\"a\": {\"x\": [1, {\"y\": 2}]}, \"b\": 3, \"c\": [[]]}";
    struct json_read *read =
        json_read_create_memory("in", document, strlen(document), JSON_LIMITS);
    struct json_token token;
    struct err err;
    size_t keys = 0;

    (void)ctx;
    assert_int_equal(json_read_expect(read, JSON_OBJECT, &token, &err), 0);
    while (json_read_next(read, &token, &err) == 0 && token.kind == JSON_KEY) {
        assert_int_equal(token.text[0], 'a' + (int)keys++);
        assert_int_equal(json_read_skip(read, &err), 0);
        assert_int_equal(json_read_depth(read), 1);
    }
    assert_int_equal(token.kind, JSON_OBJECT_END);
    assert_int_equal(keys, 3);
    json_read_destroy(read);
}

static void json_read_leap_looks_only_at_quotes_and_brackets(void **ctx)
{
    const char *document = "{\"a\": {\"}\\\"]\": [01, tru, {\"\\\\\": \n \"[{\" }]},\n"
                           "\"b\": \"]}\", \"c\": [[], \"0123456789abcdef}\" ] x}";
    struct json_read *read =
        json_read_create_memory("in", document, strlen(document), JSON_LIMITS);
    struct json_token token;
    struct err err;
    size_t keys = 0;

    (void)ctx;
    assert_int_equal(json_read_expect(read, JSON_OBJECT, &token, &err), 0);
    while (json_read_next(read, &token, &err) == 0 && token.kind == JSON_KEY) {
        assert_int_equal(token.text[0], 'a' + (int)keys++);
        assert_int_equal(token.line, keys == 1 ? 1 : 3);
        assert_int_equal(json_read_leap(read, &err), 0);
        assert_int_equal(json_read_depth(read), 1);
    }
    assert_int_equal(keys, 3);
    assert_string_equal(err.text, "in:3:44: expected a comma or }");
    json_read_destroy(read);
}

typedef int skip_fn(struct json_read *read, struct err *err);

/* Skips the first element of the document, and returns the token behind it. */
static struct json_token
token_behind(const char *document, skip_fn *move, uint64_t *offset)
{
    struct json_read *read =
        json_read_create_memory("in", document, strlen(document), JSON_LIMITS);
    struct json_token token;
    struct err err;

    assert_int_equal(json_read_expect(read, JSON_ARRAY, &token, &err), 0);
    assert_int_equal(json_read_next(read, &token, &err), 0);
    assert_int_equal(move(read, &err), 0);
    assert_int_equal(json_read_next(read, &token, &err), 0);
    *offset = json_read_offset(read);
    json_read_destroy(read);
    return token;
}

/* A leap looks at many bytes at once: each mark is at each place among them. */
static void a_leap_ends_where_a_skip_ends(void **ctx)
{
    static const char row[] =
        "{\"a]\": [1, {}, [\"}\", \"\"]],\n\"text [{ of more than "
        "sixty-four bytes without any end of it\": 1.5}";
    static const char escaped[] = "{\"\\\\\": \"\\\"]}\\\\\", \"b\": []}";
    struct text document = {0};

    (void)ctx;
    for (int i = 0; i < 130; i++)
        for (int has_escapes = 0; has_escapes < 2; has_escapes++) {
            uint64_t offset, expected_offset;

            text_reset(&document);
            text_add(&document, "[[\"");
            for (int k = 0; k < i; k++)
                text_add(&document, "x");
            text_add(&document, "\", ");
            for (int k = 0; k < 3; k++) {
                text_add(&document, row);
                text_add(&document, has_escapes ? ", " : ",\n");
                text_add(&document, has_escapes ? escaped : "[]");
                text_add(&document, k < 2 ? "," : "] , 17]");
            }
            struct json_token expected =
                token_behind(document.bytes, json_read_skip, &expected_offset);
            struct json_token token =
                token_behind(document.bytes, json_read_leap, &offset);

            assert_int_equal(token.kind, JSON_NUMBER);
            assert_int_equal(token.line, has_escapes ? 4 : 7);
            assert_int_equal(token.line, expected.line);
            assert_int_equal(token.column, expected.column);
            assert_int_equal(offset, expected_offset);
        }
    text_clear(&document);
}

static bool take(struct json_read *read, const char *quoted)
{
    return json_read_take_key(read, quoted, strlen(quoted));
}

static void json_read_take_key_takes_only_this_key(void **ctx)
{
    const char *document = "{\"a\":12,\"b\":[3,\"b\"],\"c\": {\"d\":\"x\"},\n\"e\":5,"
                           "\"f\" :6,\"\\u0067\":7,\"h\":8";
    struct json_read *read =
        json_read_create_memory("in", document, strlen(document), JSON_LIMITS);
    struct json_token token;
    struct err err;

    (void)ctx;
    assert_false(take(read, "\"a\":")); /* not before the object */
    assert_int_equal(json_read_expect(read, JSON_OBJECT, &token, &err), 0);
    assert_false(take(read, "\"b\":"));
    assert_true(take(read, "\"a\":"));
    assert_false(take(read, "12")); /* a value */
    assert_int_equal(json_read_next(read, &token, &err), 0);
    assert_string_equal(token.text, "12");
    assert_true(take(read, "\"b\":")); /* the comma was a NUL until now */
    assert_int_equal(json_read_error(read, &err, "here"), -1);
    assert_string_equal(err.text, "in:1:9: here");
    assert_int_equal(json_read_expect(read, JSON_ARRAY, &token, &err), 0);
    assert_int_equal(json_read_expect(read, JSON_NUMBER, &token, &err), 0);
    assert_false(take(read, "\"b\"]")); /* no key in a list */
    assert_int_equal(json_read_expect(read, JSON_TEXT, &token, &err), 0);
    assert_int_equal(json_read_expect(read, JSON_ARRAY_END, &token, &err), 0);
    assert_true(take(read, "\"c\":"));
    assert_int_equal(json_read_skip(read, &err), 0); /* the value of the key */
    assert_false(take(read, "\"e\":"));              /* behind the end of a line */
    assert_int_equal(json_read_expect(read, JSON_KEY, &token, &err), 0);
    assert_true(json_token_is(&token, "e"));
    assert_int_equal(json_read_skip(read, &err), 0);
    assert_false(take(read, "\"f\":")); /* a blank before the colon */
    assert_int_equal(json_read_expect(read, JSON_KEY, &token, &err), 0);
    assert_int_equal(json_read_skip(read, &err), 0);
    assert_false(take(read, "\"g\":"));
    assert_int_equal(json_read_expect(read, JSON_KEY, &token, &err), 0);
    assert_true(json_token_is(&token, "g"));
    assert_int_equal(json_read_skip(read, &err), 0);
    assert_false(take(read, "\"h\":8,\"i\":9")); /* longer than the rest */
    assert_true(take(read, "\"h\":"));
    assert_int_equal(json_read_expect(read, JSON_NUMBER, &token, &err), 0);
    assert_int_equal(json_read_next(read, &token, &err), -1);
    assert_string_equal(err.text, "in:2:30: the document is incomplete");
    assert_false(take(read, "\"h\":"));
    json_read_destroy(read);
}

static void a_leap_needs_the_closing_bracket(void **ctx)
{
    static const struct {
        const char *document, *error;
    } cases[] = {
        {"[[1, 2", "in:1:7: the document is incomplete"},
        {"[[\"]]", "in:1:6: the document is incomplete"},
        {"[[\"]]\\", "in:1:7: the document is incomplete"},
        {"[[}", "in:1:3: expected ]"},
        {"[{\"a\": 1]", "in:1:9: expected }"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct json_read *read = json_read_create_memory(
            "in", cases[i].document, strlen(cases[i].document), JSON_LIMITS);
        struct json_token token;
        struct err err;

        assert_int_equal(json_read_expect(read, JSON_ARRAY, &token, &err), 0);
        assert_int_equal(json_read_next(read, &token, &err), 0);
        assert_int_equal(json_read_leap(read, &err), -1);
        assert_string_equal(err.text, cases[i].error);
        json_read_destroy(read);
    }
}

static void an_unexpected_kind_is_an_error(void **ctx)
{
    struct json_read *read = json_read_create_memory("in", " [1]", 4, JSON_LIMITS);
    struct json_token token;
    struct err err;

    (void)ctx;
    assert_int_equal(json_read_expect(read, JSON_OBJECT, &token, &err), -1);
    assert_string_equal(err.text, "in:1:2: expected an object, found an array");
    json_read_destroy(read);
}

static ssize_t broken_pipe(void *arg, void *bytes, size_t size)
{
    (void)arg, (void)bytes, (void)size;
    errno = EIO;
    return -1;
}

static void a_failed_read_is_an_error(void **ctx)
{
    struct json_read *read = json_read_create("in", broken_pipe, NULL, JSON_LIMITS);
    struct json_token token;
    struct err err;

    (void)ctx;
    assert_int_equal(json_read_next(read, &token, &err), -1);
    assert_non_null(strstr(err.text, "reading failed"));
    assert_int_equal(err.code, ERR_SYSTEM);
    json_read_destroy(read);
}

static void input_larger_than_the_window_is_read_completely(void **ctx)
{
    int fd = memfd_create("json", MFD_CLOEXEC);
    struct text text = {0};
    struct json_token token;
    struct err err;
    uint64_t sum = 0, value;

    (void)ctx;
    text_add(&text, "[0");
    for (int i = 1; i < 60000; i++)
        text_printf(&text, ",\n%d", i);
    text_add(&text, "]");
    assert_int_equal(write(fd, text.bytes, text.length), text.length);
    lseek(fd, 0, SEEK_SET);
    struct json_read *read = json_read_create_fd("in", fd, JSON_LIMITS);
    do {
        assert_int_equal(json_read_next(read, &token, &err), 0);
        if (json_token_u64(&token, &value)) {
            sum += value;
            assert_int_equal(token.line, value + 1);
            assert_int_equal(token.column, value ? 1 : 2);
        }
    } while (token.kind != JSON_END);
    assert_int_equal(sum, 60000ull * 59999 / 2);
    json_read_destroy(read);
    text_clear(&text);
    close(fd);
}

static void numbers_become_values_when_they_fit(void **ctx)
{
    uint64_t u;
    int64_t i;
    double d;

    (void)ctx;
    assert_true(json_number_u64("18446744073709551615", &u) && u == UINT64_MAX);
    assert_false(json_number_u64("18446744073709551616", &u));
    assert_false(json_number_u64("-1", &u));
    assert_false(json_number_u64("1.0", &u));
    assert_true(json_number_i64("-9223372036854775808", &i) && i == INT64_MIN);
    assert_false(json_number_i64("9223372036854775808", &i));
    assert_false(json_number_double("1e999", &d));
    const char *const texts[] = {"0",
                                 "-0",
                                 "0.1",
                                 "123.456",
                                 "1e3",
                                 "-2.5E-3",
                                 "1e22",
                                 "9007199254740993",
                                 "0.000000000000000000000000001",
                                 "12345678901234567890.12345",
                                 "4.9e-324"};
    for (size_t n = 0; n < COUNT(texts); n++) {
        double expected = strtod(texts[n], NULL);

        assert_true(json_number_double(texts[n], &d));
        assert_memory_equal(&d, &expected, sizeof(d));
    }
}

static void plain_decimals_become_the_nearest_doubles(void **ctx)
{
    uint64_t state = 88172645463325252u;
    char text[40];

    (void)ctx;
    for (int i = 0; i < 200000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t whole = state >> (state >> 58);
        double value, expected;

        snprintf(text, sizeof(text), "%llu.%0*u", (unsigned long long)whole, 1 + i % 6,
                 (unsigned)(i % 10));
        expected = strtod(text, NULL);
        assert_true(json_number_double(text, &value));
        assert_memory_equal(&value, &expected, sizeof(value));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_json_is_accepted),
        cmocka_unit_test(invalid_json_is_refused),
        cmocka_unit_test(pieces_of_any_size_give_the_same_tokens),
        cmocka_unit_test(every_prefix_of_a_document_is_refused),
        cmocka_unit_test(tokens_have_text_line_and_column),
        cmocka_unit_test(special_bytes_are_found_at_every_position),
        cmocka_unit_test(errors_have_position_and_reason),
        cmocka_unit_test(an_error_is_returned_again),
        cmocka_unit_test(a_long_text_is_read_up_to_the_limit),
        cmocka_unit_test(a_number_beyond_the_limit_is_an_error),
        cmocka_unit_test(json_read_skip_stops_after_the_value),
        cmocka_unit_test(json_read_leap_looks_only_at_quotes_and_brackets),
        cmocka_unit_test(a_leap_ends_where_a_skip_ends),
        cmocka_unit_test(json_read_take_key_takes_only_this_key),
        cmocka_unit_test(a_leap_needs_the_closing_bracket),
        cmocka_unit_test(an_unexpected_kind_is_an_error),
        cmocka_unit_test(a_failed_read_is_an_error),
        cmocka_unit_test(input_larger_than_the_window_is_read_completely),
        cmocka_unit_test(numbers_become_values_when_they_fit),
        cmocka_unit_test(plain_decimals_become_the_nearest_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
