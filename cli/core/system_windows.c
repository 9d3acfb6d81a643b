/* SPDX-License-Identifier: MIT */
/* system_windows.c - see system.h. */
#ifdef _WIN32

#include "core/system.h"

#include "base/os.h"
#include "core/string_buffer.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <shellapi.h>

const char *const system_null_device = "NUL";

/* ======== Text ======== */

/* Converts UTF-16 to UTF-8. The result is never freed. */
static char *utf8_of(const wchar_t *text) {
    const int length = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = memory_resize(NULL, (size_t)length, 1);
    WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, length, NULL, NULL);
    return narrow;
}

/* ======== Process ======== */

static UINT input_page, output_page; /* of the console before this process changed them; 0: there is no console */

static void restore_console(void) {
    if (input_page != 0) SetConsoleCP(input_page);
    if (output_page != 0) SetConsoleOutputCP(output_page);
}

/* The C library ends the process if it is called with an invalid descriptor. Its functions should fail instead. */
static void ignore_invalid(const wchar_t *expression, const wchar_t *function, const wchar_t *file, unsigned line,
                           uintptr_t reserved) {
    (void)expression, (void)function, (void)file, (void)line, (void)reserved;
}

void system_begin(int *argc, char ***argv) {
    _set_invalid_parameter_handler(ignore_invalid);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX); /* no windows for faults */
    for (int stream = CRD_I_STDIN; stream <= CRD_I_STDERR; stream++)
        if (_get_osfhandle(stream) >= 0) (void)_setmode(stream, _O_BINARY);
    input_page = GetConsoleCP();
    output_page = GetConsoleOutputCP();
    if (input_page != 0 || output_page != 0) {
        atexit(restore_console);
        SetConsoleCP(CP_UTF8);
        SetConsoleOutputCP(CP_UTF8);
    }
    int count = 0;
    wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &count);
    if (words == NULL) return;
    *argv = memory_resize(NULL, (size_t)count + 1, sizeof **argv);
    for (int i = 0; i < count; i++) (*argv)[i] = utf8_of(words[i]);
    (*argv)[count] = NULL;
    *argc = count;
    LocalFree(words);
}

static bool output_is_pipe; /* standard output, when the command starts: it is closed before its error is reported */

bool system_occupy_streams(void) {
    output_is_pipe = GetFileType(GetStdHandle(STD_OUTPUT_HANDLE)) == FILE_TYPE_PIPE;
    for (int stream = CRD_I_STDIN; stream <= CRD_I_STDERR; stream++) {
        if (_get_osfhandle(stream) >= 0) continue;
        /* The device is opened for the wrong direction: input is write-only, output is read-only. */
        const int file = _open("NUL", _O_BINARY | (stream == CRD_I_STDIN ? _O_WRONLY : _O_RDONLY));
        if (file < 0 || (file != stream && _dup2(file, stream) != 0)) return false;
        if (file != stream) (void)_close(file);
    }
    return true;
}

/* ======== Terminals ======== */

static HANDLE console_of(int descriptor) {
    DWORD mode;
    HANDLE handle = (HANDLE)_get_osfhandle(descriptor);
    return GetConsoleMode(handle, &mode) ? handle : INVALID_HANDLE_VALUE;
}

bool system_is_terminal(int descriptor) {
    return console_of(descriptor) != INVALID_HANDLE_VALUE;
}

size_t system_columns(int descriptor) {
    CONSOLE_SCREEN_BUFFER_INFO screen;
    if (!GetConsoleScreenBufferInfo(console_of(descriptor), &screen)) return 0;
    return (size_t)(screen.srWindow.Right - screen.srWindow.Left + 1);
}

bool system_shows_escapes(int descriptor) {
    enum { PROCESS_ESCAPES = 0x0004 };
    const char *terminal = getenv("TERM");
    HANDLE console = console_of(descriptor);
    DWORD mode;
    if (!GetConsoleMode(console, &mode) || (terminal != NULL && strcmp(terminal, "dumb") == 0)) return false;
    return (mode & PROCESS_ESCAPES) != 0 || SetConsoleMode(console, mode | PROCESS_ESCAPES);
}

bool system_is_broken_pipe(int reason) {
    /* The C library has no errno value for a pipe that is being closed: it sets EINVAL, or EBADF in wine. A write to a
     * pipe fails for no other reason. */
    return reason == EPIPE || (output_is_pipe && (reason == EINVAL || reason == EBADF));
}

/* ======== Signals ======== */

static void (*volatile signal_handler)(int signal);

static BOOL WINAPI on_console_event(DWORD event) {
    enum { MILLISECONDS_TO_END = 5000 };
    void (*handler)(int) = signal_handler;
    if (handler == NULL) return FALSE;
    signal_handler = NULL; /* the second request ends the process at once */
    const bool is_key = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
    handler(is_key ? SIGINT : SIGTERM);
    /* The system ends the process when this function returns from a request that is not a key. */
    if (!is_key) Sleep(MILLISECONDS_TO_END);
    return TRUE;
}

void system_catch_signals(void (*handler)(int signal)) {
    signal_handler = handler;
    (void)SetConsoleCtrlHandler(on_console_event, TRUE);
}

void system_leave_signals(void (*handler)(int signal)) {
    (void)handler;
    signal_handler = NULL;
    (void)SetConsoleCtrlHandler(on_console_event, FALSE);
}

/* ======== Environment and files ======== */

const char *system_environment(const char *name) {
    wchar_t wide[64] = L"";
    for (size_t i = 0; name[i] != '\0' && i + 1 < sizeof wide / sizeof *wide; i++) wide[i] = (wchar_t)name[i];
    const wchar_t *value = _wgetenv(wide);
    if (value == NULL && strcmp(name, "HOME") == 0) value = _wgetenv(L"USERPROFILE");
    return value == NULL ? NULL : utf8_of(value);
}

bool system_make_folder(const char *path) {
    wchar_t wide[CRD_I_OS_PATH_ROOM];
    const int length = MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, CRD_I_OS_PATH_ROOM);
    return length > 0 && _wmkdir(wide) == 0;
}

bool system_truncate(FILE *stream, long length) {
    return fflush(stream) == 0 && _chsize_s(_fileno(stream), length) == 0 && fseek(stream, length, SEEK_SET) == 0;
}

void system_host(char *name, size_t capacity) {
    const wchar_t *host = _wgetenv(L"COMPUTERNAME");
    if (host == NULL) host = L"its machine";
    snprintf(name, capacity, "%s", utf8_of(host));
}

/* ======== File name patterns ======== */

static char folded(char byte) {
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

/* Returns the end of a set such as [a-z] or [!0], and whether the byte is in it; NULL: the bracket is not closed. */
static const char *match_set(const char *pattern, char byte, bool *is_in) {
    const bool is_negated = pattern[1] == '!' || pattern[1] == '^';
    const char *cursor = pattern + 1 + is_negated;
    *is_in = false;
    for (bool is_first = true; *cursor != '\0' && (is_first || *cursor != ']'); is_first = false, cursor++) {
        const bool is_range = cursor[1] == '-' && cursor[2] != '\0' && cursor[2] != ']';
        *is_in = *is_in || (folded(byte) >= folded(*cursor) && folded(byte) <= folded(cursor[is_range ? 2 : 0]));
        if (is_range) cursor += 2;
    }
    *is_in = *is_in != is_negated;
    return *cursor == ']' ? cursor + 1 : NULL;
}

/* Returns whether a name matches a pattern, without regard to the case of ASCII letters. */
static bool name_matches(const char *pattern, const char *name) {
    for (; *pattern != '\0'; pattern++, name++) {
        bool is_in = false;
        if (*pattern == '*') {
            for (; *name != '\0'; name++)
                if (name_matches(pattern + 1, name)) return true;
            return name_matches(pattern + 1, name);
        }
        if (*name == '\0') return false;
        const char *end = *pattern == '[' ? match_set(pattern, *name, &is_in) : NULL;
        if (end != NULL) {
            if (!is_in) return false;
            pattern = end - 1;
            continue;
        }
        if (*pattern != '?' && folded(*pattern) != folded(*name)) return false;
        while (*pattern == '?' && ((unsigned char)name[1] & 0xC0) == 0x80) name++; /* the rest of a character */
    }
    return *name == '\0';
}

typedef struct path_list {
    char **paths;
    size_t count;
} path_list;

static void path_list_add(path_list *list, const string *path) {
    char *copy = memory_resize(NULL, path->length + 1, 1);
    memcpy(copy, path->bytes, path->length);
    copy[path->length] = '\0';
    list->paths = memory_resize(list->paths, list->count + 1, sizeof *list->paths);
    list->paths[list->count++] = copy;
}

static int path_list_by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the paths that begin with `folder`, which is complete, and go on like the pattern. */
static void expand(const string *folder, const char *pattern, path_list *matches) {
    string path = {0};
    const size_t length = strcspn(pattern, "/\\"), separators = strspn(pattern + length, "/\\");
    const char *next = pattern + length + separators;
    string name = {0};
    string_add(&name, pattern, length);
    const bool is_pattern = length > 0 && strpbrk(string_text(&name), "*?[") != NULL;
    crd_i_os_folder *names =
        is_pattern ? crd_i_os_folder_open(folder->length == 0 ? "." : string_text((string *)folder)) : NULL;
    const char *entry = is_pattern ? names == NULL ? NULL : crd_i_os_folder_next(names) : string_text(&name);
    for (; entry != NULL; entry = is_pattern ? crd_i_os_folder_next(names) : NULL) {
        if (is_pattern && (!name_matches(string_text(&name), entry) || (entry[0] == '.' && name.bytes[0] != '.')))
            continue;
        string_clear(&path);
        string_add(&path, folder->bytes, folder->length);
        string_add(&path, entry, strlen(entry));
        string_add(&path, pattern + length, separators);
        if (*next != '\0') expand(&path, next, matches);
        else if (crd_i_os_exists(string_text(&path))) path_list_add(matches, &path);
    }
    if (names != NULL) crd_i_os_folder_close(names);
    string_free(&name);
    string_free(&path);
}

bool system_match(const char *pattern, void (*add)(void *user, const char *path), void *user) {
    path_list matches = {NULL, 0};
    const string none = {0};
    expand(&none, pattern, &matches);
    if (matches.count > 0) qsort(matches.paths, matches.count, sizeof *matches.paths, path_list_by_name);
    for (size_t i = 0; i < matches.count; i++) {
        add(user, matches.paths[i]);
        free(matches.paths[i]);
    }
    free(matches.paths);
    return matches.count > 0;
}

#endif
