/* functions_test.c - compares functions.txt with the library: each function that is
 * listed as hooked is exported, and dlsym() returns its hook
 *
 * This process opens the library and does not connect to a worker. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/shm/control_channel.h"
#include "tests/support/unit.h"

enum { ROWS_MAX = 512, NAME_MAX_BYTES = 64 };

struct row {
    char layer[8], name[NAME_MAX_BYTES], treatment[16];
};

static struct row rows[ROWS_MAX];
static size_t row_count;
static void *inject;
static char inject_path[4096];

static const struct {
    const char *layer, *library;
} libraries[] = {
    {"acl", SIM "/lib64/libascendcl.so"},   {"rt", SIM "/lib64/libruntime.so"},
    {"hccl", SIM "/lib64/libhccl.so"},      {"prof", SIM "/lib64/libprofapi.so"},
    {"hal", SIM "/lib64/libascend_hal.so"}, {"dump", SIM "/lib64/libascend_dump.so"},
    {"nn", SIM "/lib64/libopapi.so"},
};

static int read_rows(void **ctx)
{
    FILE *file = fopen(FUNCTIONS, "r");
    char line[256];

    (void)ctx;
    if (!file)
        return -1;
    while (fgets(line, sizeof(line), file)) {
        struct row *row = &rows[row_count];

        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (row_count == ROWS_MAX ||
            sscanf(line, "%7s %63s %15s", row->layer, row->name, row->treatment) != 3) {
            fclose(file);
            return -1;
        }
        row_count++;
    }
    fclose(file);
    return row_count > 0 ? 0 : -1;
}

/* Sets the environment of a measured process without a worker: the hooks are active,
 * and no test connects. */
static int open_inject(void **ctx)
{
    char text[64];
    struct stat is;
    Dl_info info;
    int ends[2];

    if (read_rows(ctx) < 0 || control_pair(ends) < 0 || fstat(ends[1], &is) < 0)
        return -1;
    snprintf(text, sizeof(text), "%d:%llu", ends[1], (unsigned long long)is.st_ino);
    setenv(CONTROL_ENV, text, 1);
    inject = dlopen(INJECT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!inject || !dladdr(dlsym(inject, "dlsym"), &info))
        return -1;
    snprintf(inject_path, sizeof(inject_path), "%s", info.dli_fname);
    return 0;
}

static bool is_in_inject(void *address)
{
    Dl_info info;

    return address && dladdr(address, &info) &&
           strcmp(info.dli_fname, inject_path) == 0;
}

static bool is_hooked(const struct row *row)
{
    return strcmp(row->treatment, "hooked") == 0;
}

/* Writes the n-th form of the name: NAME, and NAMEImpl of a public function; else NULL.
 */
static const char *form(const struct row *row, int number, char out[NAME_MAX_BYTES + 8])
{
    bool has_twin = strcmp(row->layer, "acl") == 0;

    if (number > has_twin)
        return NULL;
    snprintf(out, NAME_MAX_BYTES + 8, "%s%s", row->name, number ? "Impl" : "");
    return out;
}

static void every_row_is_valid(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < row_count; i++) {
        bool known = strcmp(rows[i].layer, "mstx") == 0;

        for (size_t k = 0; k < sizeof(libraries) / sizeof(libraries[0]); k++)
            known = known || strcmp(rows[i].layer, libraries[k].layer) == 0;
        assert_true(known);
        assert_true(is_hooked(&rows[i]) || strcmp(rows[i].treatment, "called") == 0 ||
                    strcmp(rows[i].treatment, "free:") == 0);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(rows[i].name, rows[k].name);
    }
}

static void exactly_the_hooked_functions_are_exported(void **ctx)
{
    char name[NAME_MAX_BYTES + 8];

    (void)ctx;
    for (size_t i = 0; i < row_count; i++)
        for (int n = 0; form(&rows[i], n, name); n++)
            if (is_in_inject(dlsym(inject, name)) != is_hooked(&rows[i]))
                fail_msg("%s is%s hooked", name, is_hooked(&rows[i]) ? " not" : "");
}

/* dlsym() and the functions named muster_ do not belong to the runtime. */
static void every_export_has_a_row(void **ctx)
{
    FILE *file = fopen(EXPORTS, "r");
    char line[256], name[NAME_MAX_BYTES + 8];

    (void)ctx;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        bool found = line[0] == '#';

        line[strcspn(line, "\n")] = '\0';
        found = found || strcmp(line, "dlsym") == 0 || strncmp(line, "muster_", 7) == 0;
        for (size_t i = 0; i < row_count && !found; i++)
            for (int n = 0; !found && form(&rows[i], n, name); n++)
                found = strcmp(line, name) == 0;
        if (!found)
            fail_msg("%s has no row in functions.txt", line);
    }
    fclose(file);
}

/* Uses the handle of the library that defines the function, like operator libraries. */
static void dlsym_returns_the_hook_of_each_hooked_function(void **ctx)
{
    void *(*hooked_dlsym)(void *, const char *) =
        (void *(*)(void *, const char *))dlsym(inject, "dlsym");
    char name[NAME_MAX_BYTES + 8];
    size_t seen = 0;

    (void)ctx;
    for (size_t k = 0; k < sizeof(libraries) / sizeof(libraries[0]); k++) {
        void *home = dlopen(libraries[k].library, RTLD_NOW | RTLD_LOCAL);

        assert_non_null(home);
        for (size_t i = 0; i < row_count; i++) {
            if (strcmp(rows[i].layer, libraries[k].layer) != 0)
                continue;
            for (int n = 0; form(&rows[i], n, name); n++) {
                void *real = dlsym(home, name), *given = hooked_dlsym(home, name);

                if (!real) /* a missing function stays missing */
                    assert_null(given);
                else if (is_in_inject(given) != is_hooked(&rows[i]))
                    fail_msg("%s: %s", name, is_hooked(&rows[i]) ? "real" : "ours");
                seen += real && is_hooked(&rows[i]);
            }
        }
    }
    assert_true(seen > row_count / 2); /* most of them are in the simulator */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_valid),
        cmocka_unit_test(exactly_the_hooked_functions_are_exported),
        cmocka_unit_test(every_export_has_a_row),
        cmocka_unit_test(dlsym_returns_the_hook_of_each_hooked_function),
    };

    return cmocka_run_group_tests(tests, open_inject, NULL);
}
