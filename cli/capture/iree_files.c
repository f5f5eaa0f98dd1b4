#include "cli/capture/iree_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/app/command.h"
#include "lib/base/file.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "parsers/iree/iree_dump.h"
#include "parsers/iree/iree_kind.h"
#include "parsers/iree/output/iree_figures.h"
#include "parsers/iree/output/iree_folder.h"
#include "parsers/iree/output/iree_write.h"

enum { PROBLEMS_PRINTED = 20 };

bool iree_file_is(const char *path)
{
    return iree_kind_of_file(path) != IREE_NONE;
}

/* Opens a file; a capture without a dump in it is an error. */
static int open_dump(struct iree_dump **out, const char *path, struct err *err)
{
    if (iree_dump_open(out, path, err) < 0)
        return -1;
    if (iree_kind_of_file(path) != IREE_CAPTURE || (*out)->module_count ||
        (*out)->ring_count || (*out)->profile_count || (*out)->unread)
        return 0;
    iree_dump_close(*out);
    return err_set(
        err, ERR_NOT_FOUND,
        "no IREE dump was appended to the capture %s; 'muster capture extract "
        "--iree DIR' writes the files that its jobs collected",
        path);
}

/* Prints the problems on stderr. Returns the exit code. */
static int print_problems(const struct iree_dump *dump)
{
    for (size_t i = 0; i < dump->problem_count && i < PROBLEMS_PRINTED; i++)
        fprintf(stderr, "%s\n", dump->problems[i].text);
    if (dump->problem_count > PROBLEMS_PRINTED)
        fprintf(stderr, "%zu further problems\n",
                dump->problem_count - PROBLEMS_PRINTED);
    return dump->problem_count ? EXIT_SOME_FAILED : EXIT_GOOD;
}

/* Prints how far the counts of the rings can be relied on. */
static void print_losses(const struct iree_dump *dump)
{
    for (size_t i = 0; i < dump->ring_count; i++) {
        const struct idb_ring_totals *totals = &dump->rings[i].totals;

        printf("\nring %zu: %" PRIu64 " bytes lost, %" PRIu64 " holes of %" PRIu64
               " bytes%s\n",
               i, totals->lost_bytes, totals->holes, totals->hole_bytes,
               totals->lost_bytes
                   ? "; all counts are lower bounds, and its first record is doubtful"
                   : "");
    }
}

int iree_file_inspect(const char *path, bool as_json, bool explain, struct err *err)
{
    struct iree_dump *dump;
    int result = 0;

    if (open_dump(&dump, path, err) < 0)
        return -1;
    if (as_json)
        result = iree_write_json(dump, STDOUT_FILENO, err);
    else if (explain)
        iree_write_records(dump, stdout);
    else
        iree_write_text(dump, stdout);
    if (!as_json && !explain)
        print_losses(dump);
    fflush(stdout); /* the tables come before their problems */
    if (result == 0)
        result = print_problems(dump);
    iree_dump_close(dump);
    return result;
}

struct import {
    struct json_write json;
    bool as_jsonl;
    size_t files;
};

static void count_file(const char *name, void *arg)
{
    struct import *import = arg;

    import->files++;
    if (!import->as_jsonl)
        return;
    json_write_object(&import->json);
    json_write_key(&import->json, "output");
    json_write_text(&import->json, name);
    json_write_object_end(&import->json);
    json_write_line(&import->json);
}

static void write_figure(const struct iree_figure *figure, void *arg)
{
    struct json_write *json = arg;

    json_write_object(json);
    json_write_key(json, "launch");
    json_write_u64(json, figure->row);
    json_write_key(json, "kernel");
    json_write_text(json, figure->kernel);
    json_write_key(json, "metric");
    json_write_text(json, figure->metric);
    json_write_key(json, "value");
    json_write_double(json, figure->value);
    json_write_key(json, "unit");
    json_write_text(json, figure->unit);
    json_write_object_end(json);
    json_write_line(json);
}

static void write_problems(const struct iree_dump *dump, struct json_write *json)
{
    for (size_t i = 0; i < dump->problem_count && i < IREE_PROBLEMS_MAX; i++) {
        json_write_object(json);
        json_write_key(json, "error");
        json_write_text(json, dump->problems[i].text);
        json_write_object_end(json);
        json_write_line(json);
    }
}

int iree_file_import(const char *path, const char *out, bool as_jsonl, struct err *err)
{
    struct import import = {.as_jsonl = as_jsonl};
    struct iree_dump *dump;
    int result;

    if (open_dump(&dump, path, err) < 0)
        return -1;
    json_write_to_fd(&import.json, STDOUT_FILENO);
    result = iree_folder_write(dump, out, count_file, &import, err);
    if (result == 0 && as_jsonl) {
        iree_figures_each(dump, write_figure, &import.json);
        write_problems(dump, &import.json);
        result = json_write_finish(&import.json, err);
    }
    json_write_clear(&import.json);
    if (result == 0 && !as_jsonl) {
        iree_write_text(dump, stdout);
        print_losses(dump);
        printf("%zu files in %s\n", import.files, out);
        fflush(stdout);
        print_problems(dump);
    }
    if (result == 0)
        result = dump->problem_count ? EXIT_SOME_FAILED : EXIT_GOOD;
    iree_dump_close(dump);
    return result;
}

static int write_one(const struct iree_dump *dump,
                     int (*write)(const struct iree_dump *, int, struct err *),
                     const char *out,
                     struct err *err)
{
    struct file_new *file;

    if (!out)
        return write(dump, STDOUT_FILENO, err);
    if (file_new_create(&file, out, err) < 0)
        return -1;
    if (write(dump, file_new_fd(file), err) < 0) {
        file_new_abandon(&file);
        return -1;
    }
    return file_new_commit(&file, err);
}

static int write_tables(const struct iree_dump *dump, const char *out, struct err *err)
{
    if (folder_create(out, err) < 0)
        return -1;
    for (const struct iree_table *table = iree_tables; table->name; table++) {
        struct file_new *file;
        char *path;
        int result;

        if (!iree_table_has_rows(table, dump))
            continue;
        path = xasprintf("%s/%s.csv", out, table->name);
        result = file_new_create(&file, path, err);
        if (result == 0 && iree_write_csv(table, dump, file_new_fd(file), err) < 0) {
            file_new_abandon(&file);
            result = -1;
        }
        if (result == 0)
            result = file_new_commit(&file, err);
        if (result == 0)
            printf("%s\n", path);
        free(path);
        if (result < 0)
            return -1;
    }
    return 0;
}

int iree_file_export(const char *path,
                     enum iree_file_form form,
                     const char *out,
                     struct err *err)
{
    struct iree_dump *dump;
    int result;

    if (open_dump(&dump, path, err) < 0)
        return -1;
    if (form == IREE_FILE_CSV)
        result = write_tables(dump, out, err);
    else if (form == IREE_FILE_JSON)
        result = write_one(dump, iree_write_json, out, err);
    else if (iree_has_times(dump))
        result = write_one(dump, iree_write_trace, out, err);
    else
        result = err_set(err, ERR_NOT_FOUND,
                         "%s has no times: the records of IREE's instrument dumps have "
                         "none; use --csv or --json",
                         path);
    fflush(stdout);
    if (result == 0)
        result = print_problems(dump);
    iree_dump_close(dump);
    return result;
}
