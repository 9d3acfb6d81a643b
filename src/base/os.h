/* SPDX-License-Identifier: MIT */
/* os.h - the operating system: files, folders, locks, memory maps, clocks, shared libraries and text encodings.
 *
 * This module is the only one that includes headers of the system; scripts/check-layers enforces it. os_posix.c
 * implements it for Linux, macOS and WebAssembly, os_windows.c for Windows. Threads are pthreads everywhere, and the
 * command adds terminals and signals in cli/core/system.h.
 *
 * Paths are UTF-8. On Windows both \ and / separate folders. A file is a descriptor, an int, and a failure sets errno.
 * Calls that a signal interrupts fail with EINTR, so the caller can check for a cancellation. */
#ifndef CRD_BASE_OS_H
#define CRD_BASE_OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CRD_I_STDIN = 0, CRD_I_STDOUT = 1, CRD_I_STDERR = 2 };

/* ======== Paths ======== */

/* Returns the part of a path after its last separator. */
const char *crd_i_os_file_name(const char *path);
bool crd_i_os_is_separator(char byte);
/* Returns the path without links and relative parts, to be freed with free; NULL: there is no such file, or another
 * failure. */
char *crd_i_os_real_path(const char *path);
enum { CRD_I_OS_PATH_ROOM = 4096 };
/* Reads the target of a link into `target`. */
bool crd_i_os_read_link(const char *path, char target[CRD_I_OS_PATH_ROOM]);
bool crd_i_os_is_absolute(const char *path);

/* ======== Facts about files ======== */

typedef enum crd_i_os_kind {
    CRD_I_OS_FILE,
    CRD_I_OS_FOLDER,
    CRD_I_OS_LINK,
    CRD_I_OS_PIPE, /* or a socket */
    CRD_I_OS_DEVICE
} crd_i_os_kind;

typedef struct crd_i_os_facts {
    crd_i_os_kind kind;
    uint64_t size;
    uint64_t device, number;     /* together they identify the file */
    uint32_t mode, owner, group; /* 0 on Windows, where a new file inherits the permissions of its folder */
} crd_i_os_facts;

bool crd_i_os_facts_of(const char *path, crd_i_os_facts *out); /* of the target of a link */
bool crd_i_os_facts_of_link(const char *path, crd_i_os_facts *out);
bool crd_i_os_facts_of_open(int file, crd_i_os_facts *out);
bool crd_i_os_exists(const char *path);
bool crd_i_os_may_read(const char *path);
bool crd_i_os_may_write(const char *path);
/* Returns whether a path leads to an open file, not through a link. */
bool crd_i_os_is_at(int file, const char *path);

/* ======== Files ======== */

enum crd_i_os_how {
    CRD_I_OS_READ = 1,
    CRD_I_OS_WRITE = 2,
    CRD_I_OS_CREATE = 4,   /* if the file does not exist */
    CRD_I_OS_NEW = 8,      /* create the file; EEXIST: it exists */
    CRD_I_OS_PRIVATE = 16, /* only the owner may use the new file */
    CRD_I_OS_NO_LINK = 32, /* fail if the path is a link */
    CRD_I_OS_NO_WAIT = 64  /* do not wait for the reader of a pipe */
};

/* Opens a file. Child processes do not inherit it. Other processes may replace or remove it. Returns -1 on failure. */
int crd_i_os_open(const char *path, unsigned flags);
void crd_i_os_close(int file);
bool crd_i_os_close_written(int file); /* false: an earlier write failed */
/* Return the number of bytes, which may be less than `length`; reading returns 0 at the end. -1: failure. */
int64_t crd_i_os_read(int file, void *bytes, size_t length);
int64_t crd_i_os_write(int file, const void *bytes, size_t length);
int64_t crd_i_os_read_at(int file, void *bytes, size_t length, uint64_t offset);
int64_t crd_i_os_write_at(int file, const void *bytes, size_t length, uint64_t offset);
bool crd_i_os_seek(int file, uint64_t offset);
int64_t crd_i_os_position(int file); /* -1: the file has no position */
/* Waits until a file has bytes to read. false: it has none yet after `milliseconds`, or a signal arrived. */
bool crd_i_os_await(int file, int milliseconds);
/* Allocates the space of a new file, so writes to a map of it cannot fail. Returns 0 or an errno value. */
int crd_i_os_allocate(int file, uint64_t length);
bool crd_i_os_flush(int file);                /* to the disk; true if the file system does not support it */
void crd_i_os_flush_folder(const char *path); /* of the file at `path`, so that its name survives a power failure */
/* Copies the owner, the group and the permissions of a replaced file, as far as the system allows. If the group cannot
 * be set, the group of the new file gets no more permissions than everybody. */
void crd_i_os_take_after(int file, const crd_i_os_facts *replaced);

/* Locks a file for this descriptor, also against other threads of the process. The system releases the lock when the
 * process ends. false with EAGAIN: another descriptor has the lock. Other errors: the file system has no locks. */
bool crd_i_os_lock(int file);
void crd_i_os_unlock(int file);

bool crd_i_os_remove(const char *path);
/* Renames a file and atomically replaces the file that is there, even if other processes read it. */
bool crd_i_os_replace(const char *source, const char *target);

/* Maps the first `length` bytes of a file into memory. NULL: failure. */
void *crd_i_os_map(int file, size_t length, bool is_writable);
void crd_i_os_unmap(void *bytes, size_t length);

/* ---- Streams ---- */

FILE *crd_i_os_stream(const char *path, const char *mode); /* fopen, always binary */
FILE *crd_i_os_stream_of(int file);                        /* writes to a copy of the descriptor */
int crd_i_os_descriptor(FILE *stream);

/* ======== Folders ======== */

typedef struct crd_i_os_folder crd_i_os_folder;

/* The path may end with a separator. NULL: failure. */
crd_i_os_folder *crd_i_os_folder_open(const char *path);
/* Returns the next name, valid until the next call. NULL: the end with errno 0, or a failure. */
const char *crd_i_os_folder_next(crd_i_os_folder *folder);
void crd_i_os_folder_close(crd_i_os_folder *folder);

/* ======== Machine ======== */

int64_t crd_i_os_clock(void);        /* monotonic, in nanoseconds */
int64_t crd_i_os_coarse_clock(void); /* monotonic, in nanoseconds; cheap, with a resolution of a few milliseconds */
void crd_i_os_sleep(unsigned milliseconds);
unsigned crd_i_os_processors(void);                             /* 0: unknown */
double crd_i_os_available_memory(void);                         /* in bytes, including reclaimable caches; 0: unknown */
void crd_i_os_describe(int error, char *text, size_t capacity); /* an errno value; any thread may call it */
/* Creates a thread that receives no signals. Returns 0 or an errno value. */
int crd_i_os_thread_create(pthread_t *thread, void *(*work)(void *), void *argument);

/* ---- Shared libraries ---- */

/* Loads a library by its name without prefix and ending, such as "stemmer"; `versions` contains the version numbers to
 * try, ends with NULL. NULL: the library is not installed, or programs cannot load libraries. */
void *crd_i_os_library_open(const char *name, const char *const *versions);
/* Stores the address of a function at `function`, a pointer to a function pointer. */
bool crd_i_os_library_find(void *library, const char *name, void *function);

/* ======== Text encodings ======== */

typedef struct crd_i_os_converter crd_i_os_converter;

/* Creates a converter to UTF-8, like iconv_open. NULL with EINVAL: unknown encoding. */
crd_i_os_converter *crd_i_os_converter_open(const char *encoding);
/* Converts like iconv: moves the pointers past the converted bytes. false: errno is E2BIG (the output is full), EINVAL
 * (an incomplete character at the end) or EILSEQ (an invalid character). `in` NULL writes what is held back, or without
 * `out` returns to the initial state. */
bool crd_i_os_convert(crd_i_os_converter *converter, char **in, size_t *in_left, char **out, size_t *out_left);
void crd_i_os_converter_close(crd_i_os_converter *converter);

#endif
