#include "cli/app/config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/base/yaml.h"

enum { KEYS = 7 };

const struct config_key config_keys[KEYS + 1] = {
    {"coordinator", "MUSTER_COORDINATOR", "ENDPOINT", "", false,
     "Control endpoint of the coordinator"},
    {"key", "MUSTER_KEY", "FILE", "", true, "Secret CURVE key of this client"},
    {"server-key", "MUSTER_SERVER_KEY", "FILE", "", true,
     "Public CURVE key of the coordinator"},
    {"out", "MUSTER_OUT", "DIR", "out", true,
     "Folder of results, reports and the store"},
    {"output", "MUSTER_OUTPUT", "FORM", "text", false,
     "Output format: text, json, jsonl or csv"},
    {"cards", "MUSTER_CARDS", "N", "", false, "Number of cards of a private run"},
    {"model", "MUSTER_MODEL", "NAME", "", false, "Model of the cards of a private run"},
    {0},
};

static struct {
    const char *value, *origin;
} found[KEYS];

static const char built_in[] = "built in";
static enum { NOT_READ, READ, INVALID } state;
static struct err read_err;

static size_t index_of(const char *name)
{
    size_t i = 0;

    while (config_keys[i].name && strcmp(config_keys[i].name, name) != 0)
        i++;
    return i;
}

static int unknown_key(const struct yaml_node *key, const char *path, struct err *err)
{
    const char *names[KEYS + 1] = {NULL};

    for (size_t i = 0; i < KEYS; i++)
        names[i] = config_keys[i].name;
    const char *near = text_nearest(key->text, names);
    return near ? yaml_error(key, path, err, "unknown key '%s' (did you mean '%s'?)",
                             key->text, near)
                : yaml_error(key, path, err, "unknown key '%s'", key->text);
}

/* Resolves "~/x" below the home folder and "x" below the folder of the file. */
static char *resolve_path(const char *value, const char *path)
{
    const char *slash = strrchr(path, '/'), *home = getenv("HOME");

    if (text_has_prefix(value, "~/") && home)
        return xasprintf("%s%s", home, value + 1);
    if (*value == '/' || !slash)
        return xstrdup(value);
    return xasprintf("%.*s/%s", (int)(slash - path), path, value);
}

static int read_member(const struct yaml_node *node, const char *path, struct err *err)
{
    size_t i = index_of(node->key->text);

    if (i == KEYS)
        return unknown_key(node->key, path, err);
    if (node->kind != YAML_TEXT || !*node->text)
        return yaml_error(node, path, err, "value of '%s' must be a non-empty text",
                          node->key->text);
    found[i].value =
        config_keys[i].is_path ? resolve_path(node->text, path) : xstrdup(node->text);
    found[i].origin = xasprintf("%s:%u", path, node->line);
    return 0;
}

static int read_file(const char *path, struct err *err)
{
    struct arena *arena = arena_create(1 << 14);
    const struct yaml_node *root = NULL, *node;
    int result = yaml_parse_file(&root, path, arena, err);

    if (result == 0 && !yaml_is_null(root) && root->kind != YAML_MAP)
        result =
            yaml_error(root, path, err, "the file must be a map of keys and values");
    for (node = result == 0 && root->kind == YAML_MAP ? root->first : NULL;
         node && result == 0; node = node->next)
        result = read_member(node, path, err);
    arena_destroy(arena);
    return result;
}

static int read_if_exists(const char *path, struct err *err)
{
    return access(path, F_OK) == 0 ? read_file(path, err) : 0;
}

/* Only a file of this user or of root, not writable by others, may name a coordinator.
 */
static bool is_trusted(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
           (about.st_uid == geteuid() || about.st_uid == 0) &&
           (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int read_project(struct err *err)
{
    char folder[PATH_MAX];

    if (!getcwd(folder, sizeof(folder)))
        return errno == ENOENT
                   ? 0
                   : err_errno(err, "reading the path of the current folder");
    for (;;) {
        char *path = xasprintf("%s/.muster.yaml", strcmp(folder, "/") ? folder : "");
        int result = 0;
        bool exists = access(path, F_OK) == 0, last = strcmp(folder, "/") == 0;

        if (exists && is_trusted(path))
            result = read_file(path, err);
        else if (exists)
            fprintf(
                stderr,
                "muster: %s is ignored: it must belong to you or root and must not be "
                "writable by others\n",
                path);
        free(path);
        if (exists || last)
            return result;
        char *slash = strrchr(folder, '/');
        slash[slash == folder] = '\0'; /* keeps the slash of "/" */
    }
}

static int read_files(struct err *err)
{
    const char *etc = getenv("MUSTER_ETC"), *home = getenv("HOME"),
               *xdg = getenv("XDG_CONFIG_HOME");
    char *system = xasprintf("%s/muster.yaml", etc && *etc ? etc : "/etc/muster");
    char *user = xdg && *xdg     ? xasprintf("%s/muster/muster.yaml", xdg)
                 : home && *home ? xasprintf("%s/.config/muster/muster.yaml", home)
                                 : NULL;
    int result = read_if_exists(system, err);

    if (result == 0 && user)
        result = read_if_exists(user, err);
    free(system);
    free(user);
    return result < 0 ? -1 : read_project(err);
}

static void read_environment(void)
{
    for (size_t i = 0; i < KEYS; i++) {
        const char *value = getenv(config_keys[i].variable);

        if (!value || !*value)
            continue;
        found[i].value = value;
        found[i].origin = config_keys[i].variable;
    }
}

static int read_all(struct err *err)
{
    if (state == NOT_READ) {
        for (size_t i = 0; i < KEYS; i++) {
            found[i].value = config_keys[i].built_in;
            found[i].origin = built_in;
        }
        state = read_files(&read_err) < 0 ? INVALID : READ;
        read_environment();
    }
    if (state == INVALID)
        *err = read_err;
    return state == INVALID ? -1 : 0;
}

int config_get(const struct config_key *key,
               const char **value,
               const char **origin,
               struct err *err)
{
    if (read_all(err) < 0)
        return -1;
    *value = found[key - config_keys].value;
    *origin = found[key - config_keys].origin;
    return 0;
}

int config_apply(const struct option_row *rows, struct err *err)
{
    for (; rows->name; rows++) {
        const struct config_key *key = &config_keys[index_of(rows->name)];
        const char *value, *origin;

        if (!key->name || !rows->value || strcmp(rows->value, key->value) != 0)
            continue;
        if (config_get(key, &value, &origin, err) < 0)
            return -1;
        if (origin != built_in && options_set(rows, value, err) < 0)
            return err_wrap(err, "%s", origin);
    }
    return 0;
}
