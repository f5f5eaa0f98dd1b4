#include "lib/sqlite/table_file.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

struct table_file {
    sqlite3 *handle;
    char *path, *draft;
    char *table; /* of the prepared statement */
    sqlite3_stmt *insert;
    struct err error; /* the first one */
    int result;
};

static void fail(struct table_file *file)
{
    if (file->result == 0)
        file->result = err_set(&file->error, ERR_SYSTEM, "%s: %s", file->draft,
                               sqlite3_errmsg(file->handle));
}

static void run(struct table_file *file, const char *sql)
{
    if (file->result == 0 &&
        sqlite3_exec(file->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail(file);
}

static void destroy(struct table_file *file)
{
    sqlite3_finalize(file->insert);
    sqlite3_close(file->handle);
    free(file->table);
    free(file->draft);
    free(file->path);
    free(file);
}

/* SQLite would create the file with a mode of its own; all other files have FILE_MODE.
 */
static int create_draft(const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);

    if (fd < 0)
        return err_errno(err, "%s", path);
    close(fd);
    return 0;
}

int table_file_create(struct table_file **out,
                      const char *path,
                      const char *tables,
                      struct err *err)
{
    struct table_file *file = xcalloc(1, sizeof(*file));

    file->path = xstrdup(path);
    file->draft = xasprintf("%s.part", path);
    unlink(file->draft);
    if (create_draft(file->draft, err) < 0) {
        destroy(file);
        return -1;
    }
    if (sqlite3_open_v2(file->draft, &file->handle,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                            SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        fail(file);
    run(file, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
    run(file, tables);
    if (file->result < 0) {
        *err = file->error;
        unlink(file->draft);
        destroy(file);
        return -1;
    }
    *out = file;
    return 0;
}

static void prepare(struct table_file *file, const char *table, size_t columns)
{
    struct text sql = {0};

    if (file->table && strcmp(file->table, table) == 0)
        return;
    sqlite3_finalize(file->insert);
    file->insert = NULL;
    free(file->table);
    file->table = xstrdup(table);
    text_printf(&sql, "INSERT INTO \"%s\" VALUES (", table);
    for (size_t i = 0; i < columns; i++)
        text_add(&sql, i > 0 ? ",?" : "?");
    text_add(&sql, ")");
    if (sqlite3_prepare_v2(file->handle, text_get(&sql), -1, &file->insert, NULL) !=
        SQLITE_OK)
        fail(file);
    text_clear(&sql);
}

static void bind(struct table_file *file, int place, char letter, va_list *args)
{
    if (letter == 'T') {
        const char *text = va_arg(*args, const char *);

        if (text)
            sqlite3_bind_text(file->insert, place, text, -1, SQLITE_TRANSIENT);
    } else if (letter == 'D') {
        double number = va_arg(*args, double);

        if (!isnan(number))
            sqlite3_bind_double(file->insert, place, number);
    } else {
        sqlite3_bind_int64(file->insert, place, va_arg(*args, int64_t));
    }
}

void table_file_add(struct table_file *file,
                    const char *table,
                    const char *letters,
                    ...)
{
    va_list args;

    if (file->result == 0)
        prepare(file, table, strlen(letters));
    if (file->result < 0)
        return;
    sqlite3_reset(file->insert);
    sqlite3_clear_bindings(file->insert);
    va_start(args, letters);
    for (int i = 0; letters[i]; i++)
        bind(file, i + 1, letters[i], &args);
    va_end(args);
    if (sqlite3_step(file->insert) != SQLITE_DONE)
        fail(file);
}

int table_file_finish(struct table_file *file, struct err *err)
{
    int result;

    sqlite3_finalize(file->insert);
    file->insert = NULL;
    run(file, "COMMIT");
    result = file->result;
    if (result < 0)
        *err = file->error;
    else if (rename(file->draft, file->path) < 0)
        result = err_errno(err, "%s", file->path);
    if (result < 0)
        unlink(file->draft);
    destroy(file);
    return result;
}
