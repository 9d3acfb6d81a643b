/* SPDX-License-Identifier: MIT */
/* os_posix.c - see os.h. Linux, macOS and WebAssembly.
 *
 * Contents:
 *   1. Paths
 *   2. Facts about files
 *   3. Files
 *   4. Folders
 *   5. Machine
 *   6. Text encodings */
#ifndef _WIN32

#ifdef __APPLE__
#define _DARWIN_C_SOURCE /* flock, F_PREALLOCATE and sysctl are not in POSIX */
#endif

#include "base/os.h"

#include <credence/temporary_file.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach/mach.h>
#endif

/* ======== 1. Paths ======== */

const char *crd_i_os_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

bool crd_i_os_is_separator(char byte) {
    return byte == '/';
}

bool crd_i_os_is_absolute(const char *path) {
    return path[0] == '/';
}

char *crd_i_os_real_path(const char *path) {
    return realpath(path, NULL);
}

bool crd_i_os_read_link(const char *path, char target[CRD_I_OS_PATH_ROOM]) {
    const ssize_t length = readlink(path, target, CRD_I_OS_PATH_ROOM - 1);
    if (length <= 0) return false;
    target[length] = '\0';
    return true;
}

/* ======== 2. Facts about files ======== */

static bool take_facts(int result, const struct stat *facts, crd_i_os_facts *out) {
    if (result != 0) return false;
    const mode_t mode = facts->st_mode;
    *out = (crd_i_os_facts){.kind = S_ISREG(mode)                      ? CRD_I_OS_FILE
                                    : S_ISDIR(mode)                    ? CRD_I_OS_FOLDER
                                    : S_ISLNK(mode)                    ? CRD_I_OS_LINK
                                    : S_ISFIFO(mode) || S_ISSOCK(mode) ? CRD_I_OS_PIPE
                                                                       : CRD_I_OS_DEVICE,
                            .size = facts->st_size > 0 ? (uint64_t)facts->st_size : 0,
                            .device = (uint64_t)facts->st_dev,
                            .number = (uint64_t)facts->st_ino,
                            .mode = mode & 07777,
                            .owner = facts->st_uid,
                            .group = facts->st_gid};
    return true;
}

bool crd_i_os_facts_of(const char *path, crd_i_os_facts *out) {
    struct stat facts;
    return take_facts(stat(path, &facts), &facts, out);
}

bool crd_i_os_facts_of_link(const char *path, crd_i_os_facts *out) {
    struct stat facts;
    return take_facts(lstat(path, &facts), &facts, out);
}

bool crd_i_os_facts_of_open(int file, crd_i_os_facts *out) {
    struct stat facts;
    return take_facts(fstat(file, &facts), &facts, out);
}

bool crd_i_os_exists(const char *path) {
    return access(path, F_OK) == 0;
}

bool crd_i_os_may_read(const char *path) {
    return access(path, R_OK) == 0;
}

bool crd_i_os_may_write(const char *path) {
    return access(path, W_OK) == 0;
}

bool crd_i_os_is_at(int file, const char *path) {
    crd_i_os_facts held, there;
    return crd_i_os_facts_of_open(file, &held) && crd_i_os_facts_of_link(path, &there) && held.number == there.number &&
           held.device == there.device;
}

/* ======== 3. Files ======== */

int crd_i_os_open(const char *path, unsigned flags) {
    const bool reads = (flags & CRD_I_OS_READ) != 0, writes = (flags & CRD_I_OS_WRITE) != 0;
    int mode = O_CLOEXEC | (reads && writes ? O_RDWR : writes ? O_WRONLY : O_RDONLY);
    if ((flags & CRD_I_OS_CREATE) != 0) mode |= O_CREAT;
    if ((flags & CRD_I_OS_NEW) != 0) mode |= O_CREAT | O_EXCL;
    if ((flags & CRD_I_OS_NO_LINK) != 0) mode |= O_NOFOLLOW;
    if ((flags & CRD_I_OS_NO_WAIT) != 0) mode |= O_NONBLOCK;
    int file = open(path, mode, (flags & CRD_I_OS_PRIVATE) != 0 ? 0600 : 0666);
#ifdef __EMSCRIPTEN__
    /* Emscripten duplicates a descriptor by opening its file again with the same flags, so O_EXCL would prevent it. */
    if (file >= 0 && (mode & O_EXCL) != 0) {
        (void)close(file);
        file = open(path, mode & ~(O_CREAT | O_EXCL));
    }
#endif
    return file;
}

void crd_i_os_close(int file) {
    (void)close(file);
}

bool crd_i_os_close_written(int file) {
    return close(file) == 0;
}

/* Linux transfers at most this many bytes at once; macOS rejects more. */
static size_t bounded(size_t length) {
    enum { MOST = 0x7ffff000 };
    return length < MOST ? length : MOST;
}

int64_t crd_i_os_read(int file, void *bytes, size_t length) {
    return read(file, bytes, bounded(length));
}

int64_t crd_i_os_write(int file, const void *bytes, size_t length) {
    return write(file, bytes, bounded(length));
}

int64_t crd_i_os_read_at(int file, void *bytes, size_t length, uint64_t offset) {
    return pread(file, bytes, bounded(length), (off_t)offset);
}

int64_t crd_i_os_write_at(int file, const void *bytes, size_t length, uint64_t offset) {
    return pwrite(file, bytes, bounded(length), (off_t)offset);
}

bool crd_i_os_seek(int file, uint64_t offset) {
    return lseek(file, (off_t)offset, SEEK_SET) >= 0;
}

int64_t crd_i_os_position(int file) {
    return lseek(file, 0, SEEK_CUR);
}

bool crd_i_os_await(int file, int milliseconds) {
    struct pollfd wanted = {.fd = file, .events = POLLIN};
    const int ready = poll(&wanted, 1, milliseconds);
    return ready > 0 || (ready < 0 && errno != EINTR);
}

int crd_i_os_allocate(int file, uint64_t length) {
#ifdef __APPLE__
    fstore_t wanted = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, (off_t)length, 0};
    return fcntl(file, F_PREALLOCATE, &wanted) == -1 || ftruncate(file, (off_t)length) != 0 ? errno : 0;
#else
    return posix_fallocate(file, 0, (off_t)length);
#endif
}

bool crd_i_os_flush(int file) {
    return fsync(file) == 0 || errno == EINVAL;
}

void crd_i_os_flush_folder(const char *path) {
    const char *name = crd_i_os_file_name(path);
    char *folder = name == path ? strdup(".") : strndup(path, (size_t)(name - path));
    const int file = folder == NULL ? -1 : open(folder, O_RDONLY | O_CLOEXEC);
    free(folder);
    if (file < 0) return;
    /* Some file systems do not support this; the file itself is safe by then. */
    (void)fsync(file);
    (void)close(file);
}

void crd_i_os_take_after(int file, const crd_i_os_facts *replaced) {
    mode_t mode = (mode_t)replaced->mode;
    bool has_owner = fchown(file, replaced->owner, replaced->group) == 0;
    if (!has_owner) mode &= 0777;
    if (!has_owner && fchown(file, (uid_t)-1, replaced->group) != 0) mode &= ~(mode_t)070 | (mode & 07) << 3;
    (void)fchmod(file, mode);
}

bool crd_i_os_lock(int file) {
    /* Unlike fcntl, flock also excludes the other threads of the same process. */
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno == EWOULDBLOCK || errno == EINTR) errno = EAGAIN;
    return false;
}

void crd_i_os_unlock(int file) {
    (void)flock(file, LOCK_UN);
}

bool crd_i_os_remove(const char *path) {
    return unlink(path) == 0;
}

bool crd_i_os_replace(const char *source, const char *target) {
    return rename(source, target) == 0;
}

void *crd_i_os_map(int file, size_t length, bool is_writable) {
    void *bytes = mmap(NULL, length, is_writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void crd_i_os_unmap(void *bytes, size_t length) {
    (void)munmap(bytes, length);
}

/* ---- Streams ---- */

FILE *crd_i_os_stream(const char *path, const char *mode) {
    return fopen(path, mode);
}

FILE *crd_i_os_stream_of(int file) {
    const int copy = dup(file);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "w");
    const int reason = errno;
    if (stream == NULL && copy >= 0) (void)close(copy);
    errno = reason;
    return stream;
}

int crd_i_os_descriptor(FILE *stream) {
    return fileno(stream);
}

/* tmpfile would always use /tmp, which may be small. */
FILE *crd_temporary_file(void) {
    static const char name[] = "/credence-XXXXXX";
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0') folder = "/tmp";
    const size_t length = strlen(folder);
    char *path = malloc(length + sizeof name);
    if (path == NULL) return NULL;
    memcpy(path, folder, length);
    memcpy(path + length, name, sizeof name);
    const int file = mkstemp(path);
    FILE *stream = NULL;
    if (file >= 0) {
        (void)unlink(path);
        (void)fcntl(file, F_SETFD, FD_CLOEXEC);
        stream = fdopen(file, "w+b");
        const int reason = errno;
        if (stream == NULL) (void)close(file);
        errno = reason;
    }
    free(path);
    return stream;
}

/* ======== 4. Folders ======== */

/* The type is never complete: a folder is a DIR. */
crd_i_os_folder *crd_i_os_folder_open(const char *path) {
    return (crd_i_os_folder *)opendir(path);
}

const char *crd_i_os_folder_next(crd_i_os_folder *folder) {
    errno = 0;
    const struct dirent *entry = readdir((DIR *)folder);
    return entry == NULL ? NULL : entry->d_name;
}

void crd_i_os_folder_close(crd_i_os_folder *folder) {
    (void)closedir((DIR *)folder);
}

/* ======== 5. Machine ======== */

static int64_t read_clock(clockid_t which) {
    struct timespec time;
    return clock_gettime(which, &time) != 0 ? -1 : (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t crd_i_os_clock(void) {
    return read_clock(CLOCK_MONOTONIC);
}

int64_t crd_i_os_coarse_clock(void) {
#ifdef CLOCK_MONOTONIC_COARSE
    /* A C library may declare this clock on a system that does not have it. */
    const int64_t time = read_clock(CLOCK_MONOTONIC_COARSE);
    if (time >= 0) return time;
#endif
    return crd_i_os_clock();
}

void crd_i_os_sleep(unsigned milliseconds) {
    const struct timespec pause = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000L};
    nanosleep(&pause, NULL);
}

unsigned crd_i_os_processors(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 0 : count > INT_MAX ? INT_MAX : (unsigned)count;
}

/* ---- Available memory ---- */

/* Reads a number from a file. Returns 0 if there is none. */
static double read_number(const char *path) {
    double number = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%lf", &number) != 1) number = 0;
    fclose(file);
    return number;
}

/* Returns the system's own estimate of available memory, which includes reclaimable caches. The number of free pages
 * does not. */
static double system_memory(void) {
#ifdef __APPLE__
    vm_statistics64_data_t pages;
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    if (host_statistics64(mach_host_self(), HOST_VM_INFO64, (host_info64_t)&pages, &count) != KERN_SUCCESS) return 0;
    const double available = (double)pages.free_count + (double)pages.inactive_count + (double)pages.purgeable_count;
    return available * (double)sysconf(_SC_PAGESIZE);
#else
    double kilobytes = 0;
    char line[256];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && kilobytes == 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) != 1) kilobytes = 0;
    if (file != NULL) fclose(file);
    if (kilobytes > 0) return kilobytes * 1024;
#if defined(_SC_AVPHYS_PAGES) && defined(_SC_PAGESIZE)
    return (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#else
    return 0;
#endif
#endif
}

double crd_i_os_available_memory(void) {
    double bytes = system_memory();
    double most = read_number("/sys/fs/cgroup/memory.max"), used = read_number("/sys/fs/cgroup/memory.current");
    if (most > used && most - used < bytes) bytes = most - used;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && (double)limit.rlim_cur < bytes)
        bytes = (double)limit.rlim_cur;
    return bytes;
}

void crd_i_os_describe(int error, char *text, size_t capacity) {
    /* strerror may use a static buffer that threads share. */
    text[0] = '\0';
    if (strerror_r(error, text, capacity) != 0 && text[0] == '\0') snprintf(text, capacity, "error %d", error);
}

int crd_i_os_thread_create(pthread_t *thread, void *(*work)(void *), void *argument) {
    enum { STACK_BYTES = 8 * 1024 * 1024 };
    /* A new thread inherits the signal mask of the thread that starts it. */
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    pthread_attr_t attributes;
    int fault = pthread_attr_init(&attributes);
    if (fault == 0) {
#ifndef __GLIBC__
        /* Elsewhere threads have small stacks, on macOS 512 KiB and with musl 128 KiB. */
        (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
#endif
        fault = pthread_create(thread, &attributes, work, argument);
        pthread_attr_destroy(&attributes);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fault;
}

/* ---- Shared libraries ---- */

void *crd_i_os_library_open(const char *name, const char *const *versions) {
    void *library = NULL;
    char file[64];
    for (; *versions != NULL && library == NULL; versions++) {
        const char *dot = (*versions)[0] == '\0' ? "" : ".";
#ifdef __APPLE__
        snprintf(file, sizeof file, "lib%s%s%s.dylib", name, dot, *versions);
#else
        snprintf(file, sizeof file, "lib%s.so%s%s", name, dot, *versions);
#endif
        library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    }
    return library;
}

bool crd_i_os_library_find(void *library, const char *name, void *function) {
    /* C has no conversion between object and function pointers, but POSIX guarantees the same representation, so the
     * bytes are copied. */
    void *result = dlsym(library, name);
    memcpy(function, &result, sizeof result);
    return result != NULL;
}

/* ======== 6. Text encodings ======== */

/* The type is never complete: a converter is an iconv_t. */
crd_i_os_converter *crd_i_os_converter_open(const char *encoding) {
    iconv_t converter = iconv_open("UTF-8", encoding);
    return converter == (iconv_t)-1 ? NULL : (crd_i_os_converter *)converter;
}

bool crd_i_os_convert(crd_i_os_converter *converter, char **in, size_t *in_left, char **out, size_t *out_left) {
    return iconv((iconv_t)converter, in, in_left, out, out_left) != (size_t)-1;
}

void crd_i_os_converter_close(crd_i_os_converter *converter) {
    (void)iconv_close((iconv_t)converter);
}

#endif
