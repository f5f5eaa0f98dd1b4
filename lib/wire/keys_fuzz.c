/* keys_fuzz.c - any bytes as the allow-list, and as the public key of a server */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/wire/keys.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char folder[] = "/tmp/muster-keys-XXXXXX", own[64], list[64];

static void remove_folder_at_exit(void)
{
    struct err ignored;

    folder_remove(folder, &ignored);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct err err;

    (void)argc, (void)argv;
    if (!mkdtemp(folder))
        abort();
    atexit(remove_folder_at_exit);
    snprintf(own, sizeof(own), "%s/own", folder);
    snprintf(list, sizeof(list), "%s/list", folder);
    if (keys_generate(own, ROLE_ADMIN, "own", &err) < 0)
        abort();
    return 0;
}

/* Aborts when a list admits a key that it does not contain. */
static void check_list(const struct keys *keys, const uint8_t *bytes, size_t size)
{
    const struct key_holder *holder = keys_find(keys, keys_public(keys));

    if (holder && !memmem(bytes, size, keys_public(keys), KEY_TEXT))
        abort();
    if (holder && (holder->role == ROLE_NONE || holder->role == ROLE_ALL))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct keys *keys;
    struct err err;

    if (file_write(list, bytes, size, &err) < 0)
        abort();
    if (keys_open_server(&keys, own, list, &err) == 0) {
        check_list(keys, bytes, size);
        keys_close(keys);
    }
    if (keys_open_client(&keys, own, list, &err) == 0) {
        if (strlen(keys_server(keys)) != KEY_TEXT)
            abort();
        keys_close(keys);
    }
    return 0;
}
