/* SPDX-License-Identifier: MIT */
/* collective_support.h - a group of processes on this machine, connected by socket pairs, for tests of collective calls. */
#ifndef CREDENCE_TESTS_COLLECTIVE_SUPPORT_H
#define CREDENCE_TESTS_COLLECTIVE_SUPPORT_H

#include <credence/communicator.h>

#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PROCESSES = 9 };

typedef struct socket_group {
    unsigned rank;
    int sockets[MOST_PROCESSES][MOST_PROCESSES]; /* [a][b]: the end that process a has of its connection with b */
} socket_group;

static bool write_all(int socket, const void *bytes, size_t length) {
    for (const char *next = bytes; length > 0;) {
        const ssize_t some = write(socket, next, length);
        if (some <= 0) return false;
        next += some;
        length -= (size_t)some;
    }
    return true;
}

static bool read_all(int socket, void *bytes, size_t length) {
    for (char *next = bytes; length > 0;) {
        const ssize_t some = read(socket, next, length);
        if (some <= 0) return false;
        next += some;
        length -= (size_t)some;
    }
    return true;
}

/* A message is its length and its bytes: as with MPI, what is sent at once has to be received at once. */
static int socket_send(void *user, unsigned limit, const void *bytes, size_t length) {
    const socket_group *group = user;
    const int socket = group->sockets[group->rank][limit];
    return write_all(socket, &length, sizeof length) && write_all(socket, bytes, length) ? 0 : -1;
}

static int socket_receive(void *user, unsigned first, void *bytes, size_t length) {
    const socket_group *group = user;
    const int socket = group->sockets[group->rank][first];
    size_t sent = 0;
    return read_all(socket, &sent, sizeof sent) && sent == length && read_all(socket, bytes, length) ? 0 : -1;
}

/* Calls work(context, state) in `count` processes, with a context that has their communicator, and returns in the caller's alone;
 * whether all returned true. */
static bool run_group(unsigned count, bool (*work)(crd_context *context, void *state), void *state) {
    socket_group group = {0};
    pid_t children[MOST_PROCESSES] = {0};
    bool is_well = count <= MOST_PROCESSES;
    for (unsigned a = 0; is_well && a < count; a++)
        for (unsigned b = a + 1; is_well && b < count; b++) {
            int pair[2];
            is_well = socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
            group.sockets[a][b] = pair[0];
            group.sockets[b][a] = pair[1];
        }
    for (unsigned rank = 0; is_well && rank < count; rank++) {
        children[rank] = fork();
        if (children[rank] != 0) continue;
        /* Only its own ends: a process that ends is to be noticed by those that wait for it. */
        for (unsigned a = 0; a < count; a++)
            for (unsigned b = 0; b < count; b++)
                if (a != b && a != rank) close(group.sockets[a][b]);
        group.rank = rank;
        crd_communicator communicator = CRD_COMMUNICATOR_INIT;
        communicator.rank = rank;
        communicator.count = count;
        communicator.user = &group;
        communicator.send = socket_send;
        communicator.receive = socket_receive;
        crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
        options.communicator = &communicator;
        crd_context *context;
        bool done = crd_context_create(&options, &context) == CRD_OK && work(context, state);
        _Exit(done ? 0 : 1);
    }
    for (unsigned a = 0; a < count; a++)
        for (unsigned b = 0; b < count; b++)
            if (a != b) close(group.sockets[a][b]);
    for (unsigned rank = 0; rank < count; rank++) {
        int status = 1;
        if (children[rank] > 0) waitpid(children[rank], &status, 0);
        is_well = is_well && status == 0;
    }
    return is_well;
}

#endif
