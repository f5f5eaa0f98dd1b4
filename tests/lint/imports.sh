#!/usr/bin/env bash
# imports.sh LIBRARY - fails when inject calls a function of the C library that it must not
# call in another program: to allocate, to print, to exit, or to change signal handling
set -euo pipefail
library=$1
[ -f "$library" ] || {
    echo "no library $library" >&2
    exit 1
}

forbidden='(m|c|re|reallocarr)alloc|free|aligned_alloc|posix_memalign|(str|strn)dup|v?asprintf|open_memstream|getline
f(open|dopen|puts|putc|write|flush)|(__)?v?f?printf(_chk)?|puts|putchar|perror|syslog|err|errx|warn|warnx
_?exit|_Exit|quick_exit|abort|__assert_fail|__stack_chk_fail|error|on_exit|atexit
signal|sigaction|sigprocmask|setitimer|alarm|setenv|putenv|unsetenv|chdir|umask|fork|system|popen'
found=$(nm -D --undefined-only --format=posix "$library" | sed 's/[@ ].*//' |
    grep -Ex "$(paste -sd'|' <<<"$forbidden")" || true)
[ -z "$found" ] || {
    echo "inject uses: ${found//$'\n'/ }" >&2
    exit 1
}
