/* SPDX-License-Identifier: MIT */
/* os_windows.c - see os.h. Windows 10 and later. Paths are converted to UTF-16 for the wide functions of the system, so
 * they do not depend on the code page.
 *
 * Contents:
 *   1. Failures
 *   2. Paths
 *   3. Facts about files
 *   4. Files
 *   5. Folders
 *   6. Machine
 *   7. Text encodings */
#ifdef _WIN32

#include "base/os.h"

#include <credence/temporary_file.h>

#define WIN32_LEAN_AND_MEAN
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>
#include <winioctl.h>

/* ======== 1. Failures ======== */

static int errno_of(DWORD fault) {
    switch (fault) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_INVALID_NAME: return ENOENT;
    case ERROR_DIRECTORY: return ENOTDIR;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT: return EACCES;
    case ERROR_SHARING_VIOLATION: return EBUSY;
    case ERROR_LOCK_VIOLATION:
    case ERROR_IO_PENDING: return EAGAIN;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return EEXIST;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT: return ENOMEM;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
    case ERROR_PIPE_NOT_CONNECTED: return EPIPE;
    case ERROR_INVALID_HANDLE: return EBADF;
    case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
    case ERROR_BUFFER_OVERFLOW:
    case ERROR_FILENAME_EXCED_RANGE: return ENAMETOOLONG;
    case ERROR_OPERATION_ABORTED: return EINTR;
    case ERROR_CANT_RESOLVE_FILENAME: return ELOOP;
    default: return EINVAL;
    }
}

/* Sets errno from the last error of the system. Returns false. */
static bool fail_last(void) {
    errno = errno_of(GetLastError());
    return false;
}

/* Returns whether the last call failed because the file is removed, but another process has not closed it yet. The
 * system reports this as a denied access. */
static bool is_delete_pending(void) {
    enum { STATUS_DELETE_PENDING_CODE = (int)0xC0000056 };
    LONG(WINAPI * last_status)(void);
    const FARPROC result = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "RtlGetLastNtStatus");
    memcpy(&last_status, &result, sizeof last_status);
    return last_status != NULL && last_status() == STATUS_DELETE_PENDING_CODE;
}

/* Virus scanners and indexers open new files for some milliseconds. Waits a little and returns whether to try again,
 * for about two seconds in all. */
static bool should_retry(unsigned *tries) {
    enum { MOST_TRIES = 60 };
    const DWORD fault = GetLastError();
    if (fault != ERROR_SHARING_VIOLATION && fault != ERROR_ACCESS_DENIED) return false;
    if (++*tries > MOST_TRIES) return false;
    Sleep(*tries);
    SetLastError(fault);
    return true;
}

/* ======== 2. Paths ======== */

bool crd_i_os_is_separator(char byte) {
    return byte == '/' || byte == '\\';
}

const char *crd_i_os_file_name(const char *path) {
    const char *name = path[0] != '\0' && path[1] == ':' ? path + 2 : path;
    for (const char *cursor = name; *cursor != '\0'; cursor++)
        if (crd_i_os_is_separator(*cursor)) name = cursor + 1;
    return name;
}

bool crd_i_os_is_absolute(const char *path) {
    return crd_i_os_is_separator(path[0]) || (path[0] != '\0' && path[1] == ':');
}

static bool has_long_name(const wchar_t *path) {
    enum { LONGEST_NAME = 255 };
    size_t length = 0;
    for (; *path != L'\0'; path++) {
        length = *path == L'/' || *path == L'\\' ? 0 : length + 1;
        if (length > LONGEST_NAME) return true;
    }
    return false;
}

/* Returns the absolute path with the prefix that allows any length. */
static wchar_t *extended_path(const wchar_t *path) {
    static const wchar_t prefix[] = L"\\\\?\\", network[] = L"\\\\?\\UNC";
    const DWORD length = GetFullPathNameW(path, 0, NULL, NULL);
    wchar_t *full = length == 0 ? NULL : malloc((length + sizeof network / sizeof *network) * sizeof *full);
    if (full == NULL) return NULL;
    wchar_t *begin = full + sizeof network / sizeof *network - 1;
    GetFullPathNameW(path, length, begin, NULL);
    if (wcsncmp(begin, prefix, 4) == 0) {
        memmove(full, begin, (wcslen(begin) + 1) * sizeof *full);
    } else if (begin[0] == L'\\' && begin[1] == L'\\') {
        memmove(full + 7, begin + 1, wcslen(begin) * sizeof *full);
        memcpy(full, network, 7 * sizeof *full);
    } else {
        memmove(full + 4, begin, (wcslen(begin) + 1) * sizeof *full);
        memcpy(full, prefix, 4 * sizeof *full);
    }
    return full;
}

/* Converts a path to UTF-16. The caller frees the result. Returns NULL and sets errno on failure. */
static wchar_t *wide_path(const char *path) {
    enum { LONGEST_PLAIN = 240 }; /* below MAX_PATH even for a folder */
    const int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    wchar_t *wide = length == 0 ? NULL : malloc((size_t)length * sizeof *wide);
    if (wide == NULL) {
        errno = length == 0 ? ENOENT : ENOMEM;
        return NULL;
    }
    MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, length);
    if (has_long_name(wide)) {
        free(wide);
        errno = ENAMETOOLONG;
        return NULL;
    }
    if ((DWORD)length + GetCurrentDirectoryW(0, NULL) <= LONGEST_PLAIN) return wide;
    wchar_t *extended = extended_path(wide);
    free(wide);
    if (extended == NULL) errno = ENOMEM;
    return extended;
}

/* Converts UTF-16 to UTF-8. The caller frees the result. */
static char *narrow_text(const wchar_t *text) {
    const int length = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = length == 0 ? NULL : malloc((size_t)length);
    if (narrow == NULL) errno = ENOMEM;
    else WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, length, NULL, NULL);
    return narrow;
}

enum { SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

/* Opens a file or a folder for the facts about it. */
static HANDLE open_for_facts(const char *path, DWORD flags) {
    wchar_t *wide = wide_path(path);
    if (wide == NULL) return INVALID_HANDLE_VALUE;
    HANDLE handle = CreateFileW(wide, FILE_READ_ATTRIBUTES, SHARE_ALL, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
    if (handle == INVALID_HANDLE_VALUE) fail_last();
    free(wide);
    return handle;
}

char *crd_i_os_real_path(const char *path) {
    HANDLE handle = open_for_facts(path, 0);
    if (handle == INVALID_HANDLE_VALUE) return NULL;
    const DWORD length = GetFinalPathNameByHandleW(handle, NULL, 0, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
    wchar_t *wide = length == 0 ? NULL : malloc(((size_t)length + 1) * sizeof *wide);
    char *result = NULL;
    if (wide != NULL &&
        GetFinalPathNameByHandleW(handle, wide, length + 1, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS) > 0) {
        const bool is_network = wcsncmp(wide, L"\\\\?\\UNC\\", 8) == 0;
        if (is_network) wide[6] = L'\\';
        result = narrow_text(is_network ? wide + 6 : wcsncmp(wide, L"\\\\?\\", 4) == 0 ? wide + 4 : wide);
    } else {
        fail_last();
    }
    free(wide);
    CloseHandle(handle);
    return result;
}

/* The content of a symbolic link, which the headers of the system do not declare for programs. */
typedef struct link_content {
    DWORD tag;
    WORD length, reserved, target_offset, target_bytes, shown_offset, shown_bytes;
    DWORD flags;
    wchar_t text[1];
} link_content;

bool crd_i_os_read_link(const char *path, char target[CRD_I_OS_PATH_ROOM]) {
    union {
        link_content content;
        char bytes[16 * 1024];
    } link;
    DWORD got = 0;
    HANDLE handle = open_for_facts(path, FILE_FLAG_OPEN_REPARSE_POINT);
    if (handle == INVALID_HANDLE_VALUE) return false;
    bool done = DeviceIoControl(handle, FSCTL_GET_REPARSE_POINT, NULL, 0, &link, sizeof link, &got, NULL) != 0 &&
                link.content.tag == IO_REPARSE_TAG_SYMLINK;
    if (done) {
        const int length =
            WideCharToMultiByte(CP_UTF8, 0, link.content.text + link.content.shown_offset / 2,
                                link.content.shown_bytes / 2, target, CRD_I_OS_PATH_ROOM - 1, NULL, NULL);
        target[length] = '\0';
        done = length > 0;
    }
    if (!done) errno = EINVAL;
    CloseHandle(handle);
    return done;
}

/* ======== 3. Facts about files ======== */

static bool handle_facts(HANDLE handle, crd_i_os_facts *out) {
    BY_HANDLE_FILE_INFORMATION about;
    FILE_ATTRIBUTE_TAG_INFO tag = {0, 0};
    LARGE_INTEGER size;
    SetLastError(NO_ERROR);
    const DWORD type = GetFileType(handle);
    *out = (crd_i_os_facts){.kind = type == FILE_TYPE_PIPE ? CRD_I_OS_PIPE : CRD_I_OS_DEVICE};
    if (type == FILE_TYPE_UNKNOWN && GetLastError() != NO_ERROR) return fail_last();
    if (type != FILE_TYPE_DISK) return true;
    out->kind = CRD_I_OS_FILE;
    if (!GetFileInformationByHandle(handle, &about)) {
        /* A handle that another program has opened for reading only may lack the right to read attributes. */
        if (!GetFileSizeEx(handle, &size)) return fail_last();
        out->size = (uint64_t)size.QuadPart;
        return true;
    }
    (void)GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag);
    const bool is_link =
        (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && tag.ReparseTag == IO_REPARSE_TAG_SYMLINK;
    if (is_link) out->kind = CRD_I_OS_LINK;
    else if ((about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) out->kind = CRD_I_OS_FOLDER;
    out->size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow;
    out->device = about.dwVolumeSerialNumber;
    out->number = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
    return true;
}

static bool path_facts(const char *path, DWORD flags, crd_i_os_facts *out) {
    HANDLE handle = open_for_facts(path, flags);
    if (handle == INVALID_HANDLE_VALUE) return false;
    const bool done = handle_facts(handle, out);
    CloseHandle(handle);
    return done;
}

bool crd_i_os_facts_of(const char *path, crd_i_os_facts *out) {
    return path_facts(path, 0, out);
}

bool crd_i_os_facts_of_link(const char *path, crd_i_os_facts *out) {
    return path_facts(path, FILE_FLAG_OPEN_REPARSE_POINT, out);
}

static HANDLE handle_of(int file) {
    return (HANDLE)_get_osfhandle(file);
}

bool crd_i_os_facts_of_open(int file, crd_i_os_facts *out) {
    return handle_facts(handle_of(file), out);
}

/* Returns the attributes of a path, or INVALID_FILE_ATTRIBUTES. */
static DWORD path_attributes(const char *path) {
    wchar_t *wide = wide_path(path);
    const DWORD attributes = wide == NULL ? INVALID_FILE_ATTRIBUTES : GetFileAttributesW(wide);
    if (wide != NULL && attributes == INVALID_FILE_ATTRIBUTES) fail_last();
    free(wide);
    return attributes;
}

bool crd_i_os_exists(const char *path) {
    return path_attributes(path) != INVALID_FILE_ATTRIBUTES;
}

bool crd_i_os_may_read(const char *path) {
    return crd_i_os_exists(path);
}

bool crd_i_os_may_write(const char *path) {
    const DWORD attributes = path_attributes(path);
    if (attributes == INVALID_FILE_ATTRIBUTES) return false;
    if ((attributes & FILE_ATTRIBUTE_READONLY) == 0) return true;
    errno = EACCES;
    return false;
}

bool crd_i_os_is_at(int file, const char *path) {
    crd_i_os_facts held, there;
    return crd_i_os_facts_of_open(file, &held) && crd_i_os_facts_of_link(path, &there) && held.number == there.number &&
           held.device == there.device;
}

/* ======== 4. Files ======== */

/* Returns a descriptor of the handle. Closes the handle on failure. */
static int descriptor_of(HANDLE handle) {
    const int file = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT);
    if (file < 0) CloseHandle(handle);
    return file;
}

int crd_i_os_open(const char *path, unsigned wanted) {
    const DWORD access =
        ((wanted & CRD_I_OS_READ) != 0 ? GENERIC_READ : 0) | ((wanted & CRD_I_OS_WRITE) != 0 ? GENERIC_WRITE : 0);
    const DWORD disposition = (wanted & CRD_I_OS_NEW) != 0      ? CREATE_NEW
                              : (wanted & CRD_I_OS_CREATE) != 0 ? OPEN_ALWAYS
                                                                : OPEN_EXISTING;
    const DWORD flags = FILE_ATTRIBUTE_NORMAL | ((wanted & CRD_I_OS_NO_LINK) != 0 ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
    wchar_t *wide = wide_path(path);
    if (wide == NULL) return -1;
    HANDLE handle;
    unsigned tries = 0;
    do handle = CreateFileW(wide, access, SHARE_ALL, NULL, disposition, flags, NULL);
    while (handle == INVALID_HANDLE_VALUE && (GetLastError() == ERROR_SHARING_VIOLATION || is_delete_pending()) &&
           should_retry(&tries));
    if (handle == INVALID_HANDLE_VALUE) {
        fail_last();
        const DWORD attributes = errno == EACCES ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
        if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) errno = EISDIR;
    }
    free(wide);
    crd_i_os_facts facts;
    if (handle == INVALID_HANDLE_VALUE) return -1;
    if ((wanted & CRD_I_OS_NO_LINK) != 0 && handle_facts(handle, &facts) && facts.kind == CRD_I_OS_LINK) {
        CloseHandle(handle);
        errno = ELOOP;
        return -1;
    }
    return descriptor_of(handle);
}

void crd_i_os_close(int file) {
    (void)_close(file);
}

bool crd_i_os_close_written(int file) {
    return _close(file) == 0;
}

/* Reads a line from a console as UTF-8, whatever its code page is. */
static int64_t read_console(HANDLE console, char *bytes, size_t length) {
    enum { LINE = 4096, END_OF_INPUT = 26 /* Ctrl-Z */ };
    static struct {
        char bytes[3 * LINE];
        int begin, end;
    } held;
    if (held.begin == held.end) {
        wchar_t line[LINE];
        DWORD got = 0;
        if (!ReadConsoleW(console, line, LINE, &got, NULL)) return fail_last() ? 0 : -1;
        held.begin = held.end = 0;
        if (got == 0 || line[0] == END_OF_INPUT) return 0;
        held.end = WideCharToMultiByte(CP_UTF8, 0, line, (int)got, held.bytes, sizeof held.bytes, NULL, NULL);
    }
    size_t step = (size_t)(held.end - held.begin);
    if (step > length) step = length;
    memcpy(bytes, held.bytes + held.begin, step);
    held.begin += (int)step;
    return (int64_t)step;
}

static DWORD bounded(size_t length) {
    enum { MOST = 1 << 30 };
    return length < MOST ? (DWORD)length : MOST;
}

static OVERLAPPED place_at(uint64_t offset) {
    OVERLAPPED place;
    memset(&place, 0, sizeof place);
    place.Offset = (DWORD)offset;
    place.OffsetHigh = (DWORD)(offset >> 32);
    return place;
}

static int64_t read_handle(HANDLE handle, void *bytes, size_t length, OVERLAPPED *place) {
    DWORD got = 0;
    if (ReadFile(handle, bytes, bounded(length), &got, place)) return got;
    const DWORD fault = GetLastError();
    if (fault == ERROR_BROKEN_PIPE || fault == ERROR_HANDLE_EOF) return 0;
    fail_last();
    return -1;
}

static int64_t write_handle(HANDLE handle, const void *bytes, size_t length, OVERLAPPED *place) {
    DWORD got = 0;
    if (WriteFile(handle, bytes, bounded(length), &got, place)) return got;
    fail_last();
    return -1;
}

int64_t crd_i_os_read(int file, void *bytes, size_t length) {
    HANDLE handle = handle_of(file);
    DWORD mode;
    if (GetConsoleMode(handle, &mode)) return read_console(handle, bytes, length);
    return read_handle(handle, bytes, length, NULL);
}

int64_t crd_i_os_write(int file, const void *bytes, size_t length) {
    return write_handle(handle_of(file), bytes, length, NULL);
}

int64_t crd_i_os_read_at(int file, void *bytes, size_t length, uint64_t offset) {
    OVERLAPPED place = place_at(offset);
    return read_handle(handle_of(file), bytes, length, &place);
}

int64_t crd_i_os_write_at(int file, const void *bytes, size_t length, uint64_t offset) {
    OVERLAPPED place = place_at(offset);
    return write_handle(handle_of(file), bytes, length, &place);
}

bool crd_i_os_seek(int file, uint64_t offset) {
    LARGE_INTEGER place;
    place.QuadPart = (LONGLONG)offset;
    return SetFilePointerEx(handle_of(file), place, NULL, FILE_BEGIN) || fail_last();
}

int64_t crd_i_os_position(int file) {
    LARGE_INTEGER none, place;
    none.QuadPart = 0;
    if (GetFileType(handle_of(file)) == FILE_TYPE_DISK && SetFilePointerEx(handle_of(file), none, &place, FILE_CURRENT))
        return place.QuadPart;
    errno = ESPIPE;
    return -1;
}

bool crd_i_os_await(int file, int milliseconds) {
    enum { YIELDS = 64 }; /* before a pause: the system rounds a pause up to 15 milliseconds */
    HANDLE handle = handle_of(file);
    const DWORD type = GetFileType(handle);
    const ULONGLONG end = GetTickCount64() + (ULONGLONG)milliseconds;
    DWORD mode, ready = 0;
    if (type == FILE_TYPE_CHAR && GetConsoleMode(handle, &mode))
        return WaitForSingleObject(handle, (DWORD)milliseconds) != WAIT_TIMEOUT;
    if (type != FILE_TYPE_PIPE) return true;
    for (unsigned rounds = 0;; rounds++) {
        if (!PeekNamedPipe(handle, NULL, 0, NULL, &ready, NULL) || ready > 0) return true;
        if (rounds < YIELDS) (void)SwitchToThread();
        else if (GetTickCount64() >= end) return false;
        else Sleep(1);
    }
}

int crd_i_os_allocate(int file, uint64_t length) {
    FILE_END_OF_FILE_INFO end;
    end.EndOfFile.QuadPart = (LONGLONG)length;
    if (SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end)) return 0;
    return errno_of(GetLastError());
}

bool crd_i_os_flush(int file) {
    HANDLE handle = handle_of(file);
    return GetFileType(handle) != FILE_TYPE_DISK || FlushFileBuffers(handle) || fail_last();
}

void crd_i_os_flush_folder(const char *path) {
    (void)path; /* the file system journals a rename */
}

void crd_i_os_take_after(int file, const crd_i_os_facts *replaced) {
    (void)file, (void)replaced; /* a new file inherits the permissions of its folder */
}

/* Locks forbid everybody else to use the locked bytes, so the locked byte is where no file has one. */
static OVERLAPPED lock_place(void) {
    return place_at(UINT64_C(0x7FFFFFFFFFFFFFF0));
}

bool crd_i_os_lock(int file) {
    OVERLAPPED place = lock_place();
    return LockFileEx(handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place) ||
           fail_last();
}

void crd_i_os_unlock(int file) {
    OVERLAPPED place = lock_place();
    (void)UnlockFileEx(handle_of(file), 0, 1, 0, &place);
}

bool crd_i_os_remove(const char *path) {
    wchar_t *wide = wide_path(path);
    unsigned tries = 0;
    if (wide == NULL) return false;
    bool done = DeleteFileW(wide);
    while (!done && GetLastError() == ERROR_SHARING_VIOLATION && should_retry(&tries)) done = DeleteFileW(wide);
    if (!done) fail_last();
    free(wide);
    return done;
}

/* Renames with the semantics of POSIX, which allow that other processes have the replaced file open. */
static bool rename_posix(const wchar_t *source, const wchar_t *target) {
    enum { REPLACE_EXISTING = 1, POSIX_SEMANTICS = 2, RENAME_INFO_EX = 22 };
    const size_t length = wcslen(target), size = sizeof(FILE_RENAME_INFO) + (length + 1) * sizeof *target;
    FILE_RENAME_INFO *renaming = calloc(1, size);
    HANDLE handle =
        CreateFileW(source, DELETE | SYNCHRONIZE, SHARE_ALL, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    bool done = false;
    if (renaming != NULL && handle != INVALID_HANDLE_VALUE) {
        const DWORD flags = REPLACE_EXISTING | POSIX_SEMANTICS;
        memcpy(renaming, &flags, sizeof flags); /* in older headers this member is ReplaceIfExists */
        renaming->FileNameLength = (DWORD)(length * sizeof *target);
        memcpy(renaming->FileName, target, (length + 1) * sizeof *target);
        done = SetFileInformationByHandle(handle, (FILE_INFO_BY_HANDLE_CLASS)RENAME_INFO_EX, renaming, (DWORD)size);
    }
    const DWORD fault = GetLastError();
    if (handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
    free(renaming);
    SetLastError(fault);
    return done;
}

bool crd_i_os_replace(const char *source_path, const char *target_path) {
    wchar_t *source = wide_path(source_path), *target = wide_path(target_path),
            *full = target == NULL ? NULL : extended_path(target);
    unsigned tries = 0;
    bool done = false;
    if (source != NULL && full != NULL) {
        /* The second call serves file systems that do not support the first. */
        do done = rename_posix(source, full) || MoveFileExW(source, target, MOVEFILE_REPLACE_EXISTING);
        while (!done && should_retry(&tries));
        if (!done) fail_last();
    }
    free(source);
    free(target);
    free(full);
    return done;
}

void *crd_i_os_map(int file, size_t length, bool is_writable) {
    HANDLE mapping =
        CreateFileMappingW(handle_of(file), NULL, is_writable ? PAGE_READWRITE : PAGE_READONLY, 0, 0, NULL);
    void *bytes =
        mapping == NULL ? NULL : MapViewOfFile(mapping, is_writable ? FILE_MAP_WRITE : FILE_MAP_READ, 0, 0, length);
    if (bytes == NULL) fail_last();
    if (mapping != NULL) CloseHandle(mapping);
    return bytes;
}

void crd_i_os_unmap(void *bytes, size_t length) {
    (void)length;
    (void)UnmapViewOfFile(bytes);
}

/* ---- Streams ---- */

FILE *crd_i_os_stream(const char *path, const char *mode) {
    wchar_t *wide = wide_path(path), binary[8] = L"";
    size_t length = 0;
    if (wide == NULL) return NULL;
    for (; mode[length] != '\0' && length < 6; length++) binary[length] = (wchar_t)mode[length];
    binary[length] = L'b';
    FILE *stream = _wfopen(wide, binary);
    free(wide);
    return stream;
}

FILE *crd_i_os_stream_of(int file) {
    const int copy = _dup(file);
    FILE *stream = copy < 0 ? NULL : _fdopen(copy, "wb");
    const int reason = errno;
    if (stream == NULL && copy >= 0) (void)_close(copy);
    errno = reason;
    return stream;
}

int crd_i_os_descriptor(FILE *stream) {
    return _fileno(stream);
}

/* Writes the folder of temporary files, with a separator at its end. The tmpfile of the C library uses the root of the
 * drive. */
static bool find_temporary_folder(wchar_t *path, size_t capacity) {
    const wchar_t *given = _wgetenv(L"TMPDIR");
    if (given == NULL || given[0] == L'\0') {
        const DWORD length = GetTempPathW((DWORD)capacity, path);
        return length > 0 && length < capacity;
    }
    if (wcslen(given) + 2 > capacity) return false;
    wcscpy(path, given);
    wcscat(path, L"\\");
    return true;
}

FILE *crd_temporary_file(void) {
    enum { ROOM = 1024, NAME_ROOM = 64, MOST_TRIES = 100 };
    static LONG counter;
    wchar_t path[ROOM + NAME_ROOM];
    HANDLE handle = INVALID_HANDLE_VALUE;
    if (!find_temporary_folder(path, ROOM)) {
        errno = ENOENT;
        return NULL;
    }
    wchar_t *name = path + wcslen(path);
    for (unsigned tries = 0; handle == INVALID_HANDLE_VALUE && tries < MOST_TRIES; tries++) {
        swprintf(name, NAME_ROOM, L"credence-%lx-%lx-%lx", GetCurrentProcessId(), (unsigned long)GetTickCount(),
                 (unsigned long)InterlockedIncrement(&counter));
        handle = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_DELETE, NULL, CREATE_NEW,
                             FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
        if (handle == INVALID_HANDLE_VALUE && GetLastError() != ERROR_FILE_EXISTS) break;
    }
    if (handle == INVALID_HANDLE_VALUE) return fail_last() ? stdin : NULL;
    const int file = descriptor_of(handle);
    FILE *stream = file < 0 ? NULL : _fdopen(file, "w+b");
    if (stream == NULL && file >= 0) (void)_close(file);
    return stream;
}

/* ======== 5. Folders ======== */

struct crd_i_os_folder {
    HANDLE handle;
    WIN32_FIND_DATAW entry;
    bool is_fresh; /* the entry was not returned yet */
    char name[4 * MAX_PATH];
};

crd_i_os_folder *crd_i_os_folder_open(const char *path) {
    const size_t length = strlen(path);
    char *pattern = malloc(length + 3);
    crd_i_os_folder *folder = malloc(sizeof *folder);
    wchar_t *wide = NULL;
    if (pattern != NULL && folder != NULL) {
        memcpy(pattern, path, length);
        strcpy(pattern + length, length > 0 && crd_i_os_is_separator(path[length - 1]) ? "*" : "\\*");
        wide = wide_path(pattern);
    } else {
        errno = ENOMEM;
    }
    if (wide != NULL) {
        folder->handle = FindFirstFileExW(wide, FindExInfoBasic, &folder->entry, FindExSearchNameMatch, NULL,
                                          FIND_FIRST_EX_LARGE_FETCH);
        folder->is_fresh = true;
        if (folder->handle == INVALID_HANDLE_VALUE) fail_last();
    }
    const bool done = wide != NULL && folder->handle != INVALID_HANDLE_VALUE;
    free(wide);
    free(pattern);
    if (done) return folder;
    free(folder);
    return NULL;
}

const char *crd_i_os_folder_next(crd_i_os_folder *folder) {
    if (!folder->is_fresh && !FindNextFileW(folder->handle, &folder->entry)) {
        if (GetLastError() == ERROR_NO_MORE_FILES) errno = 0;
        else fail_last();
        return NULL;
    }
    folder->is_fresh = false;
    WideCharToMultiByte(CP_UTF8, 0, folder->entry.cFileName, -1, folder->name, sizeof folder->name, NULL, NULL);
    return folder->name;
}

void crd_i_os_folder_close(crd_i_os_folder *folder) {
    (void)FindClose(folder->handle);
    free(folder);
}

/* ======== 6. Machine ======== */

int64_t crd_i_os_clock(void) {
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    const int64_t seconds = ticks.QuadPart / frequency.QuadPart, part = ticks.QuadPart % frequency.QuadPart;
    return seconds * 1000000000 + part * 1000000000 / frequency.QuadPart;
}

int64_t crd_i_os_coarse_clock(void) {
    return (int64_t)GetTickCount64() * 1000000;
}

void crd_i_os_sleep(unsigned milliseconds) {
    Sleep(milliseconds);
}

unsigned crd_i_os_processors(void) {
    return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
}

double crd_i_os_available_memory(void) {
    MEMORYSTATUSEX memory;
    memory.dwLength = sizeof memory;
    if (!GlobalMemoryStatusEx(&memory)) return 0;
    const ULONGLONG bytes =
        memory.ullAvailPhys < memory.ullAvailPageFile ? memory.ullAvailPhys : memory.ullAvailPageFile;
    return (double)bytes;
}

void crd_i_os_describe(int error, char *text, size_t capacity) {
    if (strerror_s(text, capacity, error) != 0) snprintf(text, capacity, "error %d", error);
}

int crd_i_os_thread_create(pthread_t *thread, void *(*work)(void *), void *argument) {
    return pthread_create(thread, NULL, work, argument);
}

/* ---- Shared libraries ---- */

void *crd_i_os_library_open(const char *name, const char *const *versions) {
    HMODULE library = NULL;
    char file[64];
    for (; *versions != NULL && library == NULL; versions++) {
        snprintf(file, sizeof file, "lib%s%s%s.dll", name, (*versions)[0] == '\0' ? "" : "-", *versions);
        library = LoadLibraryExA(file, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    }
    return library;
}

bool crd_i_os_library_find(void *library, const char *name, void *function) {
    const FARPROC result = GetProcAddress(library, name);
    memcpy(function, &result, sizeof result);
    return result != NULL;
}

/* ======== 7. Text encodings ========
 *
 * Windows has no iconv, but the tables of all code pages. UTF-16 and UTF-32 are converted here. Results and failures
 * agree with iconv. */

enum { UTF_16 = 1200, UTF_32 = 12000, GB_18030 = 54936, LONGEST_UTF_8 = 4 };

struct crd_i_os_converter {
    unsigned page;
    bool is_big_endian;
};

/* ---- Names ---- */

static bool same_name(const char *a, const char *b) {
    while (*a != '\0' && toupper((unsigned char)*a) == *b) a++, b++;
    return *a == *b;
}

/* Returns the number after a prefix; 0: there is none. */
static unsigned number_after(const char *name, const char *prefix) {
    const size_t length = strlen(prefix);
    for (size_t i = 0; i < length; i++)
        if (toupper((unsigned char)name[i]) != prefix[i]) return 0;
    char *end;
    const unsigned long number = strtoul(name + length, &end, 10);
    return *end == '\0' && isdigit((unsigned char)name[length]) && number < 65536 ? (unsigned)number : 0;
}

/* Returns the code page of an encoding; 0: unknown. */
static unsigned page_of(const char *name) {
    static const struct {
        const char *name;
        unsigned page;
    } NAMES[] = {{"UTF-8", CP_UTF8},    {"ASCII", 20127},    {"US-ASCII", 20127},  {"LATIN1", 28591},
                 {"KOI8-R", 20866},     {"KOI8-U", 21866},   {"SHIFT_JIS", 932},   {"SHIFT-JIS", 932},
                 {"SJIS", 932},         {"EUC-JP", 20932},   {"GB2312", 936},      {"GBK", 936},
                 {"GB18030", GB_18030}, {"BIG5", 950},       {"EUC-KR", 949},      {"UHC", 949},
                 {"MACINTOSH", 10000},  {"TIS-620", 874},    {"UTF-16LE", UTF_16}, {"UTF-16BE", UTF_16},
                 {"UTF-32LE", UTF_32},  {"UTF-32BE", UTF_32}};
    static const char *const prefixes[] = {"CP", "WINDOWS-", "IBM"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (same_name(name, NAMES[i].name)) return NAMES[i].page;
    unsigned number = number_after(name, "ISO-8859-");
    if (number == 0) number = number_after(name, "ISO8859-");
    if (number > 0) return number <= 16 ? 28590 + number : 0;
    for (size_t i = 0; number == 0 && i < sizeof prefixes / sizeof *prefixes; i++)
        number = number_after(name, prefixes[i]);
    return number;
}

crd_i_os_converter *crd_i_os_converter_open(const char *encoding) {
    const unsigned page = page_of(encoding);
    const bool is_unicode = page == UTF_16 || page == UTF_32;
    if (page == 0 || (!is_unicode && !IsValidCodePage(page))) {
        errno = EINVAL;
        return NULL;
    }
    crd_i_os_converter *converter = malloc(sizeof *converter);
    if (converter == NULL) return NULL;
    converter->page = page;
    converter->is_big_endian = is_unicode && toupper((unsigned char)encoding[6]) == 'B';
    return converter;
}

void crd_i_os_converter_close(crd_i_os_converter *converter) {
    free(converter);
}

/* ---- Characters ---- */

/* Return how many bytes the first character has and store its code; 0: it is incomplete; -1: it is invalid. */

static unsigned unit_16(const unsigned char *bytes, bool is_big_endian) {
    return is_big_endian ? (unsigned)bytes[0] << 8 | bytes[1] : (unsigned)bytes[1] << 8 | bytes[0];
}

static int read_utf_16(const unsigned char *bytes, size_t length, bool is_big_endian, unsigned *code) {
    if (length < 2) return 0;
    *code = unit_16(bytes, is_big_endian);
    if (*code < 0xD800 || *code > 0xDFFF) return 2;
    if (*code > 0xDBFF) return -1;
    if (length < 4) return 0;
    const unsigned low = unit_16(bytes + 2, is_big_endian);
    if (low < 0xDC00 || low > 0xDFFF) return -1;
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    return 4;
}

static int read_utf_32(const unsigned char *bytes, size_t length, bool is_big_endian, unsigned *code) {
    if (length < 4) return 0;
    const unsigned first = unit_16(bytes, is_big_endian), second = unit_16(bytes + 2, is_big_endian);
    *code = is_big_endian ? first << 16 | second : second << 16 | first;
    return *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF) ? -1 : 4;
}

/* Returns the number of bytes of the first character in a code page. */
static size_t page_length(unsigned page, const unsigned char *bytes, size_t length) {
    if (page == CP_UTF8) return bytes[0] < 0x80 ? 1 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;
    if (page == GB_18030 && bytes[0] >= 0x81) return length > 1 && isdigit(bytes[1]) ? 4 : 2;
    if (page == 20932) return bytes[0] == 0x8F ? 3 : bytes[0] >= 0x80 ? 2 : 1;
    return IsDBCSLeadByteEx(page, bytes[0]) ? 2 : 1;
}

static int read_page(unsigned page, const unsigned char *bytes, size_t length, unsigned *code) {
    wchar_t wide[4];
    const size_t needed = page_length(page, bytes, length);
    if (needed > length) return 0;
    /* Code page 20932 stores the third set of EUC-JP in its own way, which no file uses. */
    if (needed == 3 && page == 20932) return -1;
    const int got = MultiByteToWideChar(page, MB_ERR_INVALID_CHARS, (const char *)bytes, (int)needed, wide, 4);
    if (got < 1 || got > 2) return -1;
    *code = got == 2 ? 0x10000 + (((unsigned)wide[0] - 0xD800) << 10) + ((unsigned)wide[1] - 0xDC00) : wide[0];
    /* Windows maps bytes without a character to control characters. */
    const bool is_windows = (page >= 1250 && page <= 1258) || page == 874;
    return is_windows && needed == 1 && bytes[0] >= 0x80 && *code == bytes[0] && bytes[0] < 0xA0 ? -1 : (int)needed;
}

static int write_utf_8(unsigned code, unsigned char out[LONGEST_UTF_8]) {
    if (code < 0x80) {
        out[0] = (unsigned char)code;
        return 1;
    }
    const int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--, code >>= 6) out[i] = (unsigned char)(0x80 | (code & 0x3F));
    out[0] = (unsigned char)((length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0) | code);
    return length;
}

/* ---- Conversion ---- */

bool crd_i_os_convert(crd_i_os_converter *converter, char **in, size_t *in_left, char **out, size_t *out_left) {
    while (in != NULL && *in_left > 0) {
        const unsigned char *bytes = (const unsigned char *)*in;
        unsigned char text[LONGEST_UTF_8];
        unsigned code = 0;
        const int taken = converter->page == UTF_16   ? read_utf_16(bytes, *in_left, converter->is_big_endian, &code)
                          : converter->page == UTF_32 ? read_utf_32(bytes, *in_left, converter->is_big_endian, &code)
                                                      : read_page(converter->page, bytes, *in_left, &code);
        const int length = taken > 0 ? write_utf_8(code, text) : 0;
        if (taken <= 0 || (size_t)length > *out_left) {
            errno = taken < 0 ? EILSEQ : taken == 0 ? EINVAL : E2BIG;
            return false;
        }
        memcpy(*out, text, (size_t)length);
        *in += taken;
        *in_left -= (size_t)taken;
        *out += length;
        *out_left -= (size_t)length;
    }
    return true;
}

#endif
