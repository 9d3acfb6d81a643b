/* SPDX-License-Identifier: MIT */
/* system_posix.c - see system.h. */
#ifndef _WIN32

#include "core/system.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const system_null_device = "/dev/null";

void system_begin(int *argc, char ***argv) {
    (void)argc, (void)argv;
}

bool system_occupy_streams(void) {
    /* A file that reaches the file size limit must fail with a message and without a partial file. */
    signal(SIGXFSZ, SIG_IGN);
    /* The device is opened for the wrong direction: input is write-only, output is read-only. */
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF &&
            open(system_null_device, stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream)
            return false;
    return true;
}

bool system_is_terminal(int descriptor) {
    return isatty(descriptor) != 0;
}

size_t system_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool system_shows_escapes(int descriptor) {
    const char *terminal = getenv("TERM");
    return system_is_terminal(descriptor) && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

bool system_is_broken_pipe(int reason) {
    return reason == EPIPE;
}

/* The signals that usually end a command. SIGHUP is one of them, because it must not leave a partly written file
 * either. */
static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof ending_signals[0] };

void system_catch_signals(void (*handler)(int signal)) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    /* No SA_RESTART: a read that blocks on a pipe has to return. */
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        /* The parent process may ignore the signal, as nohup does, or a shell for background jobs. */
        if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN) continue;
        sigaction(ending_signals[i], &action, NULL);
    }
}

void system_leave_signals(void (*handler)(int signal)) {
    struct sigaction action, now;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        if (sigaction(ending_signals[i], NULL, &now) == 0 && now.sa_handler == handler)
            sigaction(ending_signals[i], &action, NULL);
    }
}

const char *system_environment(const char *name) {
    return getenv(name);
}

bool system_make_folder(const char *path) {
    return mkdir(path, S_IRWXU) == 0;
}

bool system_truncate(FILE *stream, long length) {
    return fflush(stream) == 0 && ftruncate(fileno(stream), length) == 0 && fseek(stream, length, SEEK_SET) == 0;
}

bool system_match(const char *pattern, void (*add)(void *user, const char *path), void *user) {
    glob_t matches = {0};
    const bool are_any = glob(pattern, 0, NULL, &matches) == 0;
    for (size_t i = 0; are_any && i < matches.gl_pathc; i++) add(user, matches.gl_pathv[i]);
    globfree(&matches);
    return are_any;
}

void system_host(char *name, size_t capacity) {
    if (gethostname(name, capacity - 1) != 0) snprintf(name, capacity, "its machine");
    name[capacity - 1] = '\0';
}

#endif
