#include "cli/viewer/viewer_site.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"

/* One file: its address, such as /plugins/Timeline/index.html, and its path. */
struct site_file {
    struct viewer_site *site;
    char *address, *path;
    const char *type;
};

struct viewer_site {
    struct site_file **files;
    size_t count, room;
    char policy[400];
    char start[80]; /* address that the pages need */
};

static const struct {
    const char *suffix, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".gif", "image/gif"},
    {".ico", "image/x-icon"},
    {".woff", "font/woff"},
    {".woff2", "font/woff2"},
    {".ttf", "font/ttf"},
    {".wasm", "application/wasm"},
};

static const char *type_of(const char *name)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (text_has_suffix(name, types[i].suffix))
            return types[i].type;
    return "application/octet-stream";
}

/* Adds a file. Braces would be read as a part of a route. */
static void add_file(struct viewer_site *site, const char *address, const char *path)
{
    struct site_file *file;

    if (strpbrk(address, "{}"))
        return;
    if (site->count == site->room) {
        site->room = site->room ? 2 * site->room : 256;
        site->files = xreallocarray(site->files, site->room, sizeof(*site->files));
    }
    file = site->files[site->count++] = xcalloc(1, sizeof(*file));
    file->site = site;
    file->address = xstrdup(address);
    file->path = xstrdup(path);
    file->type = type_of(address);
}

static int list_files(struct viewer_site *site, const char *folder, struct err *err)
{
    char *root = realpath(folder, NULL), *roots[] = {root, NULL};
    FTSENT *entry;
    FTS *fts;

    if (!root || !(fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL))) {
        free(root);
        return err_errno(err, "reading the folder of the viewer %s", folder);
    }
    while ((entry = fts_read(fts)) && site->count < VIEWER_SITE_FILES_MAX)
        if (entry->fts_info == FTS_F)
            add_file(site, entry->fts_path + strlen(root), entry->fts_path);
    fts_close(fts);
    free(root);
    if (site->count == VIEWER_SITE_FILES_MAX)
        return err_set(err, ERR_LIMIT,
                       "%s has %d files or more; pass the folder of the viewer's web "
                       "files, which has index.html",
                       folder, VIEWER_SITE_FILES_MAX);
    for (size_t i = 0; i < site->count; i++)
        if (strcmp(site->files[i]->address, "/index.html") == 0)
            return 0;
    return err_set(err, ERR_NOT_FOUND,
                   "%s has no index.html; pass the folder of the viewer's web files",
                   folder);
}

int viewer_site_open(struct viewer_site **out, const char *folder, struct err *err)
{
    struct viewer_site *site = xcalloc(1, sizeof(*site));

    if (list_files(site, folder, err) < 0) {
        viewer_site_close(site);
        return -1;
    }
    viewer_site_set_port(site, 0);
    *out = site;
    return 0;
}

void viewer_site_close(struct viewer_site *site)
{
    if (!site)
        return;
    for (size_t i = 0; i < site->count; i++) {
        free(site->files[i]->address);
        free(site->files[i]->path);
        free(site->files[i]);
    }
    free(site->files);
    free(site);
}

void viewer_site_set_port(struct viewer_site *site, unsigned port)
{
    snprintf(site->policy, sizeof(site->policy),
             "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
             "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' "
             "ws://*:%u wss://*:%u; base-uri 'none'; form-action 'none'; "
             "frame-ancestors 'self'",
             port, port);
    snprintf(site->start, sizeof(site->start), "/index.html?port=%u", port);
}

/* Sends a file as it is now. */
static void
send_file(const struct http_request *request, struct http_response *response, void *arg)
{
    const struct site_file *file = request->data;
    struct stat status;
    struct err err;
    int fd = open(file->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

    (void)arg;
    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        err_set(&err, ERR_NOT_FOUND, "the viewer's file %s cannot be read",
                file->address);
        http_response_failure(response, &err);
        if (fd >= 0)
            close(fd);
        return;
    }
    response->fd = fd;
    response->size = (uint64_t)status.st_size;
    response->type = file->type;
    response->policy = file->site->policy;
}

/* The page connects to the port of its own address. */
static void send_start(const struct http_request *request,
                       struct http_response *response,
                       void *arg)
{
    const struct viewer_site *site = request->data;

    (void)arg;
    response->status = 303;
    response->location = xstrdup(site->start);
}

size_t viewer_site_route_count(const struct viewer_site *site)
{
    return site->count + 1;
}

void viewer_site_routes(const struct viewer_site *site, struct http_route *routes)
{
    *routes++ = (struct http_route){"/viewer", send_start, site, false};
    for (size_t i = 0; i < site->count; i++)
        *routes++ = (struct http_route){site->files[i]->address, send_file,
                                        site->files[i], false};
}
