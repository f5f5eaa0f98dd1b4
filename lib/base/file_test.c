#include "lib/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static char folder[64];
static char path[PATH_MAX];
static struct err err;

static int begin(void **ctx)
{
    (void)ctx;
    strcpy(folder, "/tmp/muster_file_test.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **ctx)
{
    (void)ctx;
    return folder_remove(folder, &err);
}

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static mode_t mode_of(const char *it)
{
    struct stat info;

    assert_int_equal(stat(it, &info), 0);
    return info.st_mode & 07777;
}

static void a_written_file_has_its_content_and_mode(void **ctx)
{
    char *bytes;
    size_t size;

    (void)ctx;
    umask(0);
    assert_int_equal(file_write(in_folder("a"), "x\0y", 3, &err), 0);
    assert_int_equal(mode_of(path), FILE_MODE);
    assert_int_equal(file_read(&bytes, &size, path, 3, &err), 0);
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "x\0y", 4);
    free(bytes);
    assert_int_equal(file_write(path, "", 0, &err), 0);
    assert_int_equal(file_read(&bytes, &size, path, 0, &err), 0);
    assert_int_equal(size, 0);
    free(bytes);
}

static void a_file_beyond_the_limit_is_refused(void **ctx)
{
    char *bytes, many[70000] = {0};
    size_t size;

    (void)ctx;
    assert_int_equal(file_write(in_folder("a"), many, sizeof(many), &err), 0);
    assert_int_equal(file_read(&bytes, &size, path, sizeof(many) - 1, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(file_read(&bytes, &size, path, sizeof(many), &err), 0);
    assert_int_equal(size, sizeof(many));
    free(bytes);
    assert_int_equal(file_read(&bytes, &size, in_folder("none"), 9, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(file_read(&bytes, &size, folder, 9, &err), -1);
}

/* Without a writer, opening a named pipe would never return. */
static void a_named_pipe_is_refused(void **ctx)
{
    char *bytes;
    size_t size;
    int fd;

    (void)ctx;
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_int_equal(file_read(&bytes, &size, path, 9, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, "/pipe is a named pipe; name a file"));
    assert_int_equal(file_open(&fd, path, &err), -1);
    assert_int_equal(fd, -1);
    assert_int_equal(unlink(path), 0);
}

static void a_pipe_of_the_shell_is_read_to_its_end(void **ctx)
{
    char *bytes, name[32];
    int ends[2];
    size_t size;

    (void)ctx;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fd_write_all(ends[1], "text", 4), 0);
    close(ends[1]);
    snprintf(name, sizeof(name), "/dev/fd/%d", ends[0]);
    assert_int_equal(file_read(&bytes, &size, name, 9, &err), 0);
    assert_string_equal(bytes, "text");
    free(bytes);
    close(ends[0]);
}

static void an_abandoned_file_leaves_the_old_content(void **ctx)
{
    struct file_new *file;
    char *bytes;
    size_t size;

    (void)ctx;
    assert_int_equal(file_write(in_folder("a"), "old", 3, &err), 0);
    assert_int_equal(file_new_create(&file, path, &err), 0);
    assert_int_equal(fd_write_all(file_new_fd(file), "new", 3), 0);
    file_new_abandon(&file);
    assert_null(file);
    file_new_abandon(&file);
    assert_int_equal(file_read(&bytes, &size, path, 9, &err), 0);
    assert_memory_equal(bytes, "old", 4);
    free(bytes);
    assert_int_equal(rmdir(folder), -1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void a_file_in_a_missing_folder_is_an_error(void **ctx)
{
    (void)ctx;
    assert_int_equal(file_write(in_folder("none/a"), "x", 1, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_false(file_exists(path));
}

static void folders_are_created_with_all_their_parts(void **ctx)
{
    (void)ctx;
    umask(0);
    assert_int_equal(folder_create(in_folder("a/b//c/"), &err), 0);
    assert_int_equal(mode_of(in_folder("a")), FOLDER_MODE);
    assert_int_equal(mode_of(in_folder("a/b/c")), FOLDER_MODE);
    assert_int_equal(folder_create(path, &err), 0);
    assert_int_equal(file_write(in_folder("f"), "", 0, &err), 0);
    assert_int_equal(folder_create(in_folder("f/x"), &err), -1);
}

static void a_folder_that_others_can_write_to_is_not_locked(void **ctx)
{
    (void)ctx;
    assert_int_equal(folder_lock(in_folder("mine"), &err), 0);
    assert_int_equal(chmod(path, 0777), 0);
    assert_int_equal(folder_lock(path, &err), -1);
    assert_int_equal(err.code, ERR_DENIED);
    assert_int_equal(file_write(in_folder("f"), "", 0, &err), 0);
    assert_int_equal(folder_lock(path, &err), -1);
}

static void folder_remove_does_not_follow_links(void **ctx)
{
    char target[PATH_MAX];

    (void)ctx;
    assert_int_equal(folder_create(in_folder("keep"), &err), 0);
    assert_int_equal(file_write(in_folder("keep/precious"), "x", 1, &err), 0);
    strcpy(target, in_folder("keep"));
    assert_int_equal(folder_create(in_folder("gone/deep/er"), &err), 0);
    assert_int_equal(file_write(in_folder("gone/deep/f"), "x", 1, &err), 0);
    assert_int_equal(symlink(target, in_folder("gone/deep/link")), 0);
    assert_int_equal(folder_remove(in_folder("gone"), &err), 0);
    assert_false(file_exists(path));
    assert_true(file_exists(in_folder("keep/precious")));
    assert_int_equal(folder_remove(in_folder("gone"), &err), 0); /* does not exist */
    assert_int_equal(symlink(target, in_folder("link")), 0);
    assert_int_equal(folder_remove(path, &err), -1);
    assert_true(file_exists(in_folder("keep/precious")));
}

/* Holds the folder and leaves a temporary file in it. */
static pid_t start_holder(int *notify)
{
    int ends[2];
    pid_t pid;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        struct file_new *file;
        int fd;

        if (folder_hold(&fd, folder, &err) < 0 ||
            file_new_create(&file, in_folder("half"), &err) < 0 ||
            write(ends[1], "", 1) != 1)
            _exit(1);
        pause();
        _exit(1);
    }
    close(ends[1]);
    *notify = ends[0];
    return pid;
}

static void the_next_writer_removes_temporary_files_of_a_killed_writer(void **ctx)
{
    const char *const kept[] = {"c.x.new", "1.new", ".new", "d"};
    int notify, held, other;
    pid_t holder = start_holder(&notify);
    char *half = xasprintf("half.%d.new", (int)holder), said;

    (void)ctx;
    for (size_t i = 0; i < COUNT(kept); i++)
        close(open(in_folder(kept[i]), O_CREAT | O_WRONLY, 0600));
    assert_int_equal(read(notify, &said, 1), 1);
    assert_true(file_exists(in_folder(half)));
    other = open(folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB),
                     -1); /* folder_hold() waits for the holder */
    assert_int_equal(errno, EWOULDBLOCK);
    close(other);

    kill(holder, SIGKILL);
    assert_int_equal(folder_hold(&held, folder, &err),
                     0); /* the killed child is not reaped yet */
    assert_false(file_exists(in_folder(half)));
    for (size_t i = 0; i < COUNT(kept); i++)
        assert_true(file_exists(in_folder(kept[i])));
    waitpid(holder, NULL, 0);
    close(held);
    close(notify);
    free(half);
    assert_int_equal(folder_hold(&held, "/no/such/folder", &err), -1);
    assert_non_null(strstr(err.text, "/no/such/folder"));
}

static void a_variable_sets_the_parts_folder(void **ctx)
{
    char out[PATH_MAX];

    (void)ctx;
    setenv("MUSTER_PARTS", "/somewhere", 1);
    assert_int_equal(file_parts_folder(out, sizeof(out), &err), 0);
    assert_string_equal(out, "/somewhere");
    assert_int_equal(file_parts_folder(out, 5, &err), -1);
    unsetenv("MUSTER_PARTS");
    assert_int_equal(file_parts_folder(out, sizeof(out), &err), 0);
    assert_non_null(strstr(out, "/lib/muster"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_written_file_has_its_content_and_mode),
        CASE(a_file_beyond_the_limit_is_refused),
        CASE(a_named_pipe_is_refused),
        CASE(a_pipe_of_the_shell_is_read_to_its_end),
        CASE(an_abandoned_file_leaves_the_old_content),
        CASE(a_file_in_a_missing_folder_is_an_error),
        CASE(folders_are_created_with_all_their_parts),
        CASE(a_folder_that_others_can_write_to_is_not_locked),
        CASE(folder_remove_does_not_follow_links),
        CASE(the_next_writer_removes_temporary_files_of_a_killed_writer),
        CASE(a_variable_sets_the_parts_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
