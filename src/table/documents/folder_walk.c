/* SPDX-License-Identifier: MIT */
/* folder_walk.c - see folder_walk.h. All names of each folder on the current path are in memory, because they must
 * be sorted. */
#include "table/documents/folder_walk.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_DEPTH = 128 };

typedef struct walk_level {
    crd_i_buffer bytes; /* names, each with its NUL */
    const char **names; /* sorted */
    size_t count, next;
    size_t path_length; /* of the folder, including the slash after it */
} walk_level;

struct crd_i_folder_walk {
    crd_context *context;
    crd_i_buffer path; /* of the current file or folder, with its NUL */
    walk_level levels[MOST_DEPTH];
    size_t depth;
};

static int folder_walk_by_name(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const char *folder_walk_path(const crd_i_folder_walk *walk) {
    return (const char *)walk->path.bytes;
}

static bool folder_walk_append_name(crd_i_folder_walk *walk, size_t length, const char *name, const char *ending) {
    walk->path.length = length;
    return crd_i_buffer_append(&walk->path, name, strlen(name)) &&
           crd_i_buffer_append(&walk->path, ending, strlen(ending) + 1);
}

static crd_status fail_path(const crd_i_folder_walk *walk, int fault, crd_error *error) {
    crd_status status = crd_i_fail_system(error, fault, "cannot be read");
    crd_i_error_place(error, folder_walk_path(walk), 0, 0);
    return status;
}

static crd_status read_names(crd_i_folder_walk *walk, DIR *folder, walk_level *level, crd_error *error) {
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (entry == NULL) return errno == 0 ? CRD_OK : fail_path(walk, errno, error);
        if (entry->d_name[0] == '.') continue;
        if (!crd_i_buffer_append(&level->bytes, entry->d_name, strlen(entry->d_name) + 1))
            return crd_i_fail_memory(error);
        level->count++;
    }
}

static crd_status sort_names(crd_i_folder_walk *walk, walk_level *level, crd_error *error) {
    level->names = crd_i_alloc(walk->context, level->count, sizeof *level->names);
    if (level->names == NULL) return crd_i_fail_memory(error);
    const char *name = (const char *)level->bytes.bytes;
    for (size_t i = 0; i < level->count; i++, name += strlen(name) + 1) level->names[i] = name;
    qsort(level->names, level->count, sizeof *level->names, folder_walk_by_name);
    return CRD_OK;
}

/* Enters the current folder, whose path ends with a slash. */
static crd_status folder_walk_enter(crd_i_folder_walk *walk, crd_error *error) {
    if (walk->depth == MOST_DEPTH) {
        crd_i_fail(error, CRD_ERROR_LIMIT, "folders are nested more than %d deep", (int)MOST_DEPTH);
        crd_i_error_place(error, folder_walk_path(walk), 0, 0);
        return CRD_ERROR_LIMIT;
    }
    DIR *folder = opendir(folder_walk_path(walk));
    if (folder == NULL) return fail_path(walk, errno, error);
    walk_level *level = &walk->levels[walk->depth++];
    *level = (walk_level){.bytes = {.context = walk->context}, .path_length = strlen(folder_walk_path(walk))};
    crd_status status = read_names(walk, folder, level, error);
    closedir(folder);
    return status == CRD_OK ? sort_names(walk, level, error) : status;
}

static void folder_walk_leave(crd_i_folder_walk *walk) {
    walk_level *level = &walk->levels[--walk->depth];
    crd_i_buffer_clear(&level->bytes);
    crd_free(walk->context, level->names);
}

crd_status crd_i_folder_walk_begin(crd_context *context, const char *path, crd_i_folder_walk **out, crd_error *error) {
    *out = NULL;
    crd_i_folder_walk *walk = crd_i_alloc_zeroed(context, 1, sizeof *walk);
    if (walk == NULL) return crd_i_fail_memory(error);
    walk->context = walk->path.context = context;
    size_t length = strlen(path);
    bool has_slash = length > 0 && path[length - 1] == '/';
    crd_status status = folder_walk_append_name(walk, 0, path, has_slash ? "" : "/") ? folder_walk_enter(walk, error)
                                                                                     : crd_i_fail_memory(error);
    if (status != CRD_OK) {
        crd_i_folder_walk_end(walk);
        return status;
    }
    *out = walk;
    return CRD_OK;
}

void crd_i_folder_walk_end(crd_i_folder_walk *walk) {
    if (walk == NULL) return;
    while (walk->depth > 0) folder_walk_leave(walk);
    crd_i_buffer_clear(&walk->path);
    crd_free(walk->context, walk);
}

crd_status crd_i_folder_walk_next(crd_i_folder_walk *walk, const char **path, uint64_t *bytes, crd_error *error) {
    *path = NULL;
    while (walk->depth > 0) {
        walk_level *level = &walk->levels[walk->depth - 1];
        struct stat facts;
        if (crd_i_context_cancelled(walk->context)) return crd_i_fail_cancelled(error);
        if (level->next == level->count) {
            folder_walk_leave(walk);
            continue;
        }
        const char *name = level->names[level->next++];
        if (!folder_walk_append_name(walk, level->path_length, name, "")) return crd_i_fail_memory(error);
        /* Skip entries that have disappeared, and broken links. */
        if (lstat(folder_walk_path(walk), &facts) != 0) continue;
        bool is_link = S_ISLNK(facts.st_mode);
        if (is_link && stat(folder_walk_path(walk), &facts) != 0) continue;
        if (S_ISREG(facts.st_mode)) {
            *path = folder_walk_path(walk);
            *bytes = (uint64_t)facts.st_size;
            return CRD_OK;
        }
        if (!S_ISDIR(facts.st_mode) || is_link) continue;
        crd_status status = CRD_OK;
        if (!folder_walk_append_name(walk, level->path_length, name, "/")) status = crd_i_fail_memory(error);
        else status = folder_walk_enter(walk, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}
