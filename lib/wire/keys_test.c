#include "lib/wire/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/join_ticket.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/muster-keys-XXXXXX";
static char path[64], public_path[64], other[64];

static void write_file(const char *to, const char *content)
{
    struct err err;

    assert_int_equal(file_write(to, content, strlen(content), &err), 0);
    assert_int_equal(chmod(to, 0600), 0);
}

static void a_pair_is_two_files_and_only_the_owner_can_read_the_secret(void **ctx)
{
    struct stat status;
    struct keys *keys;
    struct err err;

    (void)ctx;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(keys_open_client(&keys, path, public_path, &err), 0);
    assert_int_equal(strlen(keys_secret(keys)), KEY_TEXT);
    assert_string_equal(keys_server(keys), keys_public(keys));
    keys_close(keys);
}

static void an_existing_file_is_not_overwritten(void **ctx)
{
    struct err err;

    (void)ctx;
    assert_int_equal(keys_generate(path, ROLE_READ, "again", &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
}

/* A secret without its public half would be of no use. */
static void half_a_pair_is_removed(void **ctx)
{
    char half[72], half_public[80];
    struct err err;

    (void)ctx;
    snprintf(half, sizeof(half), "%s/half", folder);
    snprintf(half_public, sizeof(half_public), "%s.pub", half);
    write_file(half_public, "taken\n");
    assert_int_equal(keys_generate(half, ROLE_READ, "half", &err), -1);
    assert_non_null(strstr(err.text, "half.pub exists and is not replaced"));
    assert_false(file_exists(half));
    assert_int_equal(remove(half_public), 0);
    snprintf(half, sizeof(half), "%s/none/half", folder);
    assert_int_equal(keys_generate(half, ROLE_READ, "half", &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(strncmp(err.text, "creating ", 9), 0);
}

static void files_that_do_not_exist_are_named(void **ctx)
{
    char missing[72];
    struct keys *keys;
    struct err err;

    (void)ctx;
    snprintf(missing, sizeof(missing), "%s/none", folder);
    assert_int_equal(keys_open_client(&keys, missing, public_path, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, missing));
    assert_int_equal(keys_open_client(&keys, path, missing, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(keys_open_server(&keys, path, missing, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, missing));
}

static void a_name_of_several_lines_is_rejected(void **ctx)
{
    struct err err;

    (void)ctx;
    assert_int_equal(keys_generate(other, ROLE_READ, "two\nlines", &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_int_equal(keys_generate(other, ROLE_READ, "", &err), -1);
    assert_false(file_exists(other));
}

static void a_secret_that_other_users_can_read_is_rejected(void **ctx)
{
    struct keys *keys;
    struct err err;

    (void)ctx;
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(keys_open_client(&keys, path, public_path, &err), -1);
    assert_int_equal(err.code, ERR_DENIED);
    assert_non_null(strstr(err.text, "0640"));
    assert_int_equal(chmod(path, 0600), 0);
}

static void an_allow_list_has_comments_roles_and_names(void **ctx)
{
    char *bytes, *list;
    size_t size;
    struct keys *keys;
    const struct key_holder *me;
    struct err err;

    (void)ctx;
    assert_int_equal(file_read(&bytes, &size, public_path, 1000, &err), 0);
    list = xasprintf("# the fleet\n\n#\n%s", bytes);
    write_file(other, list);
    assert_int_equal(keys_open_server(&keys, path, other, &err), 0);
    assert_null(keys_find(keys, "unknown"));
    me = keys_find(keys, keys_public(keys));
    assert_non_null(me);
    assert_int_equal(me->role, ROLE_SUBMIT);
    assert_string_equal(me->name, "me");
    keys_close(keys);
    free(list);
    free(bytes);
}

static void a_reloaded_list_replaces_the_old_one_unless_it_has_an_error(void **ctx)
{
    char *bytes;
    size_t size;
    struct keys *keys;
    struct err err;

    (void)ctx;
    assert_int_equal(file_read(&bytes, &size, public_path, 1000, &err), 0);
    write_file(other, bytes);
    assert_int_equal(keys_open_server(&keys, path, other, &err), 0);
    write_file(other, "a fault\n");
    assert_int_equal(keys_reload(keys, &err), -1);
    assert_non_null(keys_find(keys, keys_public(keys)));
    write_file(other, "# no keys\n");
    assert_int_equal(keys_reload(keys, &err), 0);
    assert_null(keys_find(keys, keys_public(keys)));
    keys_close(keys);
    free(bytes);
}

static void must_reject_list(const char *list, enum err_code code, const char *words)
{
    struct keys *keys;
    struct err err;

    write_file(other, list);
    assert_int_equal(keys_open_server(&keys, path, other, &err), -1);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not contain '%s'", err.text, words);
}

#define PUBLISHED "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"

static void a_list_with_an_error_is_rejected(void **ctx)
{
    char *bytes, *list;
    size_t size;
    struct keys *keys;
    struct err err;

    (void)ctx;
    assert_int_equal(file_read(&bytes, &size, public_path, 1000, &err), 0);
    must_reject_list("0123456789012345678901234567890123456789 me\n", ERR_INPUT,
                     "ROLE");
    must_reject_list("0123456789012345678901234567890123456789 god me\n", ERR_INPUT,
                     "read, submit, admin or worker");
    must_reject_list(PUBLISHED " read me\n", ERR_DENIED, "published");
    must_reject_list("rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7 read me\n", ERR_DENIED,
                     "published");
    list = xasprintf("%s%s", bytes, bytes);
    must_reject_list(list, ERR_INPUT, "appears twice");
    write_file(other, bytes);
    assert_int_equal(chmod(other, 0620), 0);
    assert_int_equal(keys_open_server(&keys, path, other, &err), -1);
    assert_int_equal(err.code, ERR_DENIED);
    free(list);
    free(bytes);
}

static void a_published_key_is_rejected(void **ctx)
{
    struct keys *keys;
    struct err err;

    (void)ctx;
    write_file(other, "secret D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs\n"
                      "public " PUBLISHED "\n");
    assert_int_equal(keys_open_client(&keys, other, public_path, &err), -1);
    assert_int_equal(err.code, ERR_DENIED);
    write_file(other, PUBLISHED " admin center\n");
    assert_int_equal(keys_open_client(&keys, path, other, &err), -1);
    assert_int_equal(err.code, ERR_DENIED);
}

static void the_error_about_an_invalid_key_has_its_line(void **ctx)
{
    struct keys *keys;
    struct err err;

    (void)ctx;
    write_file(other, "# one\nshort me\n");
    assert_int_equal(keys_open_server(&keys, path, other, &err), -1);
    assert_non_null(strstr(err.text, ":2: "));
    write_file(other, "0123456789012345678901234567890123456\"89 me\n");
    assert_int_equal(keys_open_server(&keys, path, other, &err), -1);
}

static void keys_of_two_pairs_are_rejected(void **ctx)
{
    struct keys *keys;
    struct err err;
    char *bytes, second[64], *mixed;
    size_t size;

    (void)ctx;
    snprintf(second, sizeof(second), "%s/second", folder);
    assert_int_equal(keys_generate(second, ROLE_READ, "second", &err), 0);
    assert_int_equal(file_read(&bytes, &size, second, 1000, &err), 0);
    mixed = xstrdup(bytes);
    free(bytes);
    assert_int_equal(file_read(&bytes, &size, path, 1000, &err), 0);
    memcpy(mixed, bytes, strlen("secret ") + KEY_TEXT);
    write_file(other, mixed);
    assert_int_equal(keys_open_client(&keys, other, public_path, &err), -1);
    assert_non_null(strstr(err.text, "not a pair"));
    free(bytes);
    free(mixed);
}

/* keys_reload() does not change the keys of keys_admit(). */
static void a_server_admits_and_dismisses_keys_beside_its_list(void **ctx)
{
    char public[KEY_TEXT + 1], secret[KEY_TEXT + 1], another[KEY_TEXT + 1];
    struct keys *server, *client;
    struct err err;

    (void)ctx;
    assert_int_equal(keys_open_server(&server, path, public_path, &err), 0);
    assert_int_equal(keys_pair(public, secret, &err), 0);
    assert_int_equal(keys_pair(another, secret, &err), 0);
    assert_string_not_equal(public, another);
    assert_null(keys_find(server, another));
    assert_int_equal(keys_admit(server, public, "first", &err), 0);
    assert_int_equal(keys_admit(server, another, "second", &err), 0);
    assert_int_equal(keys_reload(server, &err), 0);
    assert_string_equal(keys_find(server, another)->name, "second");
    assert_int_equal(keys_find(server, another)->role, ROLE_WORKER);
    keys_dismiss(server, public);
    keys_dismiss(server, public); /* dismissing it again does nothing */
    assert_null(keys_find(server, public));
    assert_non_null(keys_find(server, another));
    assert_int_equal(keys_admit(server, "short", "third", &err), -1);

    assert_int_equal(keys_open_ticket(&client, keys_public(server), secret, &err), 0);
    assert_string_equal(keys_public(client), another);
    assert_string_equal(keys_server(client), keys_public(server));
    keys_close(client);
    assert_int_equal(keys_open_ticket(&client, "x", secret, &err), -1);
    assert_int_equal(keys_open_ticket(&client, keys_public(server), "x", &err), -1);
    keys_close(server);
}

/* An operator must not inherit the key. */
static void reading_a_ticket_removes_the_variable(void **ctx)
{
    static const char *const bad[] = {"", "tcp://a:1", "tcp://a:1 tcp://a:2 key",
                                      "tcp://a:1  key secret", "a b c d e"};
    struct join_ticket ticket = {"tcp://a:1", "tcp://a:2", "server", "secret"}, taken;
    char *variable = join_ticket_variable(&ticket);
    struct err err;

    (void)ctx;
    unsetenv(JOIN_TICKET_VARIABLE);
    assert_int_equal(join_ticket_take(&taken, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(setenv(JOIN_TICKET_VARIABLE, strchr(variable, '=') + 1, 1), 0);
    assert_int_equal(join_ticket_take(&taken, &err), 0);
    assert_null(getenv(JOIN_TICKET_VARIABLE));
    assert_string_equal(taken.control, ticket.control);
    assert_string_equal(taken.data, ticket.data);
    assert_string_equal(taken.server, ticket.server);
    assert_string_equal(taken.secret, ticket.secret);
    for (size_t i = 0; i < COUNT(bad); i++) {
        setenv(JOIN_TICKET_VARIABLE, bad[i], 1);
        assert_int_equal(join_ticket_take(&taken, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
    }
    free(variable);
}

static void a_name_has_at_most_128_characters(void **ctx)
{
    char name[130], *bytes, *line;
    size_t size;
    struct keys *keys;
    struct err err;

    (void)ctx;
    memset(name, 'n', 129);
    name[129] = '\0';
    assert_int_equal(keys_generate(other, ROLE_READ, name, &err), -1);
    assert_string_equal(err.text, "a key's name is one line of 1 to 128 characters");
    name[128] = '\0';
    snprintf(public_path, sizeof(public_path), "%s/long", folder);
    assert_int_equal(keys_generate(public_path, ROLE_ADMIN, name, &err), 0);
    snprintf(public_path, sizeof(public_path), "%s/long.pub", folder);
    assert_int_equal(keys_open_server(&keys, path, public_path, &err), 0);
    assert_int_equal(file_read(&bytes, &size, public_path, 1000, &err), 0);
    bytes[KEY_TEXT] = '\0';
    assert_string_equal(keys_find(keys, bytes)->name, name);
    assert_int_equal(keys_find(keys, bytes)->role, ROLE_ADMIN);
    keys_close(keys);
    line = xasprintf("%s read %sn\n", bytes, name);
    must_reject_list(line, ERR_LIMIT, "the name has more than 128 characters");
    free(line);
    free(bytes);
    snprintf(public_path, sizeof(public_path), "%s/me.pub", folder);
}

static void a_list_has_at_most_one_mebibyte(void **ctx)
{
    char *list = xmalloc((1 << 20) + 2);
    struct keys *keys;
    struct err err;

    (void)ctx;
    memset(list, '\n', 1 << 20);
    list[1 << 20] = '\0';
    write_file(other, list);
    assert_int_equal(keys_open_server(&keys, path, other, &err), 0);
    keys_close(keys);
    strcpy(list + (1 << 20), "\n");
    write_file(other, list);
    assert_int_equal(keys_open_server(&keys, path, other, &err), -1);
    free(list);
}

static void files_that_others_can_use_are_rejected(void **ctx)
{
    static const struct {
        mode_t secret, list;
        bool good;
    } modes[] = {
        {0600, 0644, true},  {0400, 0755, true},  {0601, 0644, false},
        {0602, 0644, false}, {0604, 0644, false}, {0610, 0644, false},
        {0620, 0644, false}, {0640, 0644, false}, {0600, 0664, false},
        {0600, 0646, false}, {0600, 0622, false}, {0700, 0604, true},
    };
    char *bytes;
    size_t size;
    struct err err;

    (void)ctx;
    assert_int_equal(file_read(&bytes, &size, public_path, 1000, &err), 0);
    write_file(other, bytes);
    for (size_t i = 0; i < COUNT(modes); i++) {
        struct keys *keys;

        assert_int_equal(chmod(path, modes[i].secret), 0);
        assert_int_equal(chmod(other, modes[i].list), 0);
        if (modes[i].good) {
            assert_int_equal(keys_open_server(&keys, path, other, &err), 0);
            keys_close(keys);
            continue;
        }
        assert_int_equal(keys_open_server(&keys, path, other, &err), -1);
        assert_int_equal(err.code, ERR_DENIED);
    }
    assert_int_equal(chmod(path, 0600), 0);
    free(bytes);
}

/* The list is sorted by key, and the lines are in another order. */
static void every_key_of_a_list_is_found(void **ctx)
{
    enum { KEYS = 9 };
    char public[KEYS][KEY_TEXT + 1], secret[KEY_TEXT + 1], name[8];
    static const enum role roles[] = {ROLE_READ, ROLE_SUBMIT, ROLE_ADMIN, ROLE_WORKER};
    static const char *const words[] = {"read", "submit", "admin", "worker"};
    struct text list = {0};
    struct keys *keys;
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < KEYS; i++) {
        assert_int_equal(keys_pair(public[i], secret, &err), 0);
        text_printf(&list, "%s\t  %s name%zu\r\n", public[i], words[i % 4], i);
    }
    write_file(other, text_get(&list));
    assert_int_equal(keys_open_server(&keys, path, other, &err), 0);
    for (size_t i = 0; i < KEYS; i++) {
        const struct key_holder *holder = keys_find(keys, public[i]);

        snprintf(name, sizeof(name), "name%c", (char)('0' + i));
        assert_non_null(holder);
        assert_string_equal(holder->name, name);
        assert_int_equal(holder->role, roles[i % 4]);
        assert_string_equal(role_word(holder->role), words[i % 4]);
    }
    assert_string_equal(role_word(ROLE_ALL), "any");
    keys_close(keys);
    text_clear(&list);
}

static void a_secret_file_with_an_error_is_rejected(void **ctx)
{
    static const struct {
        const char *content, *why;
    } cases[] = {
        {"", "lacks the line `secret KEY` or `public KEY`"},
        {"secret short\n", ":1: the key does not have 40 characters of Z85"},
        {"# c\nsecret\n", ":2: the key does not have 40 characters of Z85"},
        {"private x\n", ":1: the line is neither `secret KEY` nor `public KEY`"},
        {"#x\n", ":1: the line is neither `secret KEY` nor `public KEY`"},
        {"public 0123456789012345678901234567890123456789\n",
         "lacks the line `secret KEY` or `public KEY`"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct keys *keys;
        struct err err;

        write_file(other, cases[i].content);
        assert_int_equal(keys_open_client(&keys, other, public_path, &err), -1);
        if (!strstr(err.text, cases[i].why))
            fail_msg("%zu: %s", i, err.text);
    }
}

static void the_file_of_a_server_has_one_key(void **ctx)
{
    char *bytes, *two;
    size_t size;
    struct keys *keys;
    struct err err;

    (void)ctx;
    assert_int_equal(file_read(&bytes, &size, public_path, 1000, &err), 0);
    two = xasprintf("%s%s", bytes, bytes);
    write_file(other, two);
    assert_int_equal(keys_open_client(&keys, path, other, &err), -1);
    assert_non_null(strstr(err.text, ":2: the file is not one line"));
    write_file(other, "# nothing\n");
    assert_int_equal(keys_open_client(&keys, path, other, &err), -1);
    assert_non_null(strstr(err.text, "is empty"));
    free(two);
    free(bytes);
}

static int create_folder(void **ctx)
{
    struct err err;

    (void)ctx;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/me", folder);
    snprintf(public_path, sizeof(public_path), "%s/me.pub", folder);
    snprintf(other, sizeof(other), "%s/other", folder);
    return keys_generate(path, ROLE_SUBMIT, "me", &err);
}

static int remove_folder(void **ctx)
{
    struct err err;

    (void)ctx;
    return folder_remove(folder, &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_is_two_files_and_only_the_owner_can_read_the_secret),
        cmocka_unit_test(an_existing_file_is_not_overwritten),
        cmocka_unit_test(half_a_pair_is_removed),
        cmocka_unit_test(files_that_do_not_exist_are_named),
        cmocka_unit_test(a_name_of_several_lines_is_rejected),
        cmocka_unit_test(a_secret_that_other_users_can_read_is_rejected),
        cmocka_unit_test(an_allow_list_has_comments_roles_and_names),
        cmocka_unit_test(a_reloaded_list_replaces_the_old_one_unless_it_has_an_error),
        cmocka_unit_test(a_list_with_an_error_is_rejected),
        cmocka_unit_test(a_published_key_is_rejected),
        cmocka_unit_test(the_error_about_an_invalid_key_has_its_line),
        cmocka_unit_test(keys_of_two_pairs_are_rejected),
        cmocka_unit_test(a_server_admits_and_dismisses_keys_beside_its_list),
        cmocka_unit_test(a_name_has_at_most_128_characters),
        cmocka_unit_test(a_list_has_at_most_one_mebibyte),
        cmocka_unit_test(files_that_others_can_use_are_rejected),
        cmocka_unit_test(every_key_of_a_list_is_found),
        cmocka_unit_test(a_secret_file_with_an_error_is_rejected),
        cmocka_unit_test(the_file_of_a_server_has_one_key),
        cmocka_unit_test(reading_a_ticket_removes_the_variable),
    };
    return cmocka_run_group_tests(tests, create_folder, remove_folder);
}
