/* SPDX-License-Identifier: MIT */
/* same_files.c - see same_files.h. */
#include "source/same_files.h"

#include "base/os.h"
#include "core/invocation.h"
#include "core/messages.h"
#include "core/string_buffer.h"
#include "core/system.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_ROOM = 256 };

/* Values that are not valid file sizes. */
static const uint64_t IS_ABSENT = UINT64_MAX, IS_OTHER = UINT64_MAX - 1;

static uint64_t same_files_size(const char *path) {
    crd_i_os_facts facts;
    if (!crd_i_os_facts_of(path, &facts)) return IS_ABSENT;
    return facts.kind == CRD_I_OS_FILE ? facts.size : IS_OTHER;
}

static void add_size(string *out, uint64_t size) {
    if (size == IS_ABSENT) string_format(out, "is absent");
    else if (size == IS_OTHER) string_format(out, "is not a file");
    else string_format(out, "has %llu bytes", (unsigned long long)size);
}

static int same_files_fail(const char *path, uint64_t size, uint64_t theirs, const char *host, const char *their_host,
                           unsigned rank) {
    string text = {0};
    add_size(&text, theirs);
    string_format(&text, " on %s (rank %u), and ", their_host, rank);
    add_size(&text, size);
    const int ended = message_failed("%s: %s on %s (rank 0)", path, string_text(&text), host);
    message_hint("all processes must read the same files: use a shared file system, or copy the files to each machine");
    string_free(&text);
    return ended;
}

/* Receives another process's file sizes in rank 0 and compares them with its own. Reports the first difference in
 * *ended. Returns false if the process cannot be reached. */
static bool same_files_compare(const crd_communicator *group, unsigned rank, const char *const *paths,
                               const uint64_t *sizes, size_t count, const char *host, int *ended) {
    char their_host[HOST_ROOM];
    uint64_t *theirs = memory_resize(NULL, count + 1, sizeof *theirs);
    const bool is_there = group->receive(group->user, rank, their_host, sizeof their_host) == 0 &&
                          group->receive(group->user, rank, theirs, count * sizeof *theirs) == 0;
    for (size_t i = 0; is_there && i < count && *ended == ENDED_WELL; i++)
        if (theirs[i] != sizes[i]) *ended = same_files_fail(paths[i], sizes[i], theirs[i], host, their_host, rank);
    free(theirs);
    return is_there;
}

static int compare_all(const crd_communicator *group, const char *const *paths, const uint64_t *sizes, size_t count,
                       const char *host) {
    int ended = ENDED_WELL;
    for (unsigned rank = 1; rank < group->count; rank++)
        if (!same_files_compare(group, rank, paths, sizes, count, host, &ended))
            return invocation_end_unreachable(rank);
    const uint64_t agreed = (uint64_t)ended;
    for (unsigned rank = 1; rank < group->count; rank++)
        if (group->send(group->user, rank, &agreed, sizeof agreed) != 0) return invocation_end_unreachable(rank);
    return ended;
}

static int send_sizes(const crd_communicator *group, const uint64_t *sizes, size_t count, const char *host) {
    uint64_t agreed = ENDED_FAILED;
    if (group->send(group->user, 0, host, HOST_ROOM) != 0 ||
        group->send(group->user, 0, sizes, count * sizeof *sizes) != 0 ||
        group->receive(group->user, 0, &agreed, sizeof agreed) != 0)
        return invocation_end_unreachable(0);
    return (int)agreed;
}

int same_files_check(const crd_communicator *group, const char *const *paths, size_t count) {
    char host[HOST_ROOM] = "";
    uint64_t *sizes = memory_resize(NULL, count + 1, sizeof *sizes);
    for (size_t i = 0; i < count; i++) sizes[i] = same_files_size(paths[i]);
    system_host(host, sizeof host);
    const int ended =
        group->rank == 0 ? compare_all(group, paths, sizes, count, host) : send_sizes(group, sizes, count, host);
    free(sizes);
    return ended;
}
