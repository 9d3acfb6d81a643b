/* SPDX-License-Identifier: MIT */
/* kill.c - kills `credence update` and `credence train -o` over a file that is there, after random delays: the model is
 * the old one or the new one, to the byte, whenever that happens, and what was left beside it goes with the next run.
 *
 *   kill CREDENCE TIMES [SEED]    prints how often what was found */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void die(const char *description) {
    fprintf(stderr, "kill: %s: %s\n", description, strerror(errno));
    exit(1);
}

static uint64_t state;

/* From 0 up to 1 (xorshift). */
static double draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- Files ---- */

typedef struct content {
    char *bytes;
    size_t length;
} content;

static content read_file(const char *path) {
    content c = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) die(path);
    long length = ftell(file);
    if (length < 0 || fseek(file, 0, SEEK_SET) != 0) die(path);
    c.length = (size_t)length;
    c.bytes = malloc(c.length + 1);
    if (c.bytes == NULL || fread(c.bytes, 1, c.length, file) != c.length) die(path);
    fclose(file);
    return c;
}

static void write_file(const char *path, content c) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(c.bytes, 1, c.length, file) != c.length || fclose(file) != 0) die(path);
}

static bool same(content a, content b) {
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Enough values that writing the model takes a while. */
static void write_table(const char *path, unsigned first, unsigned limit) {
    FILE *file = fopen(path, "w");
    if (file == NULL) die(path);
    fputs("x,name,y\n", file);
    for (unsigned i = first; i < limit; i++) fprintf(file, "%u.5,a rather long name %u,class%u\n", i * 7, i, i % 5);
    if (fclose(file) != 0) die(path);
}

/* Entries of the folder beside those that are always there; `half` tells whether one is a file half written. */
static int count_left_behind(const char *const *known, size_t known_count, bool *half) {
    DIR *folder = opendir(".");
    int count = 0;
    *half = false;
    if (folder == NULL) die(".");
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        bool is_known = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        for (size_t i = 0; i < known_count; i++) is_known = is_known || strcmp(entry->d_name, known[i]) == 0;
        if (is_known) continue;
        count++;
        if (strstr(entry->d_name, ".writing-") != NULL) *half = true;
    }
    closedir(folder);
    return count;
}

/* ---- Processes ---- */

static pid_t start(const char *const *command) {
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child > 0) return child;
    execv(command[0], (char *const *)command);
    _exit(127);
}

static void run(const char *const *command) {
    int result = -1;
    if (waitpid(start(command), &result, 0) < 0 || result != 0) {
        fprintf(stderr, "kill: %s %s failed\n", command[0], command[1]);
        exit(1);
    }
}

/* Whether it was still running. */
static bool kill_after(const char *const *command, double seconds) {
    pid_t child = start(command);
    struct timespec delay = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&delay, NULL);
    kill(child, SIGKILL);
    int result = -1;
    if (waitpid(child, &result, 0) < 0) die("waitpid");
    if (WIFSIGNALED(result)) return true;
    if (result != 0) {
        fprintf(stderr, "kill: %s %s failed by itself\n", command[0], command[1]);
        exit(1);
    }
    return false;
}

/* ---- The test ---- */

static const char *const known[] = {"model", "few.csv", "more.csv", "all.csv"};
enum { KNOWN = sizeof known / sizeof known[0] };

/* How long it takes, at best of three; the last leaves the new model. */
static double measure(const char *const *command, content old) {
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        write_file("model", old);
        double begun = now();
        run(command);
        double took = now() - begun;
        if (took < least) least = took;
    }
    return least;
}

static int test(const char *name, const char *const *command, content old, int times) {
    int found_old = 0, found_new = 0, found_other = 0, half_written = 0, finished = 0, failures = 0;
    bool half;
    double duration = measure(command, old);
    content new = read_file("model");
    if (same(old, new)) {
        fprintf(stderr, "kill: %s changes nothing\n", name);
        return 1;
    }
    for (int i = 0; i < times; i++) {
        write_file("model", old);
        /* Most delays are even over a little more than the duration, the others so over its logarithm, from a
         * microsecond on. */
        double most = 1.3 * duration, delay = i % 4 > 0 ? most * draw() : 1e-6 * pow(most / 1e-6, draw());
        if (!kill_after(command, delay)) finished++;
        content c = read_file("model");
        if (same(c, old)) found_old++;
        else if (same(c, new)) found_new++;
        else found_other++;
        free(c.bytes);
        int left = count_left_behind(known, KNOWN, &half);
        if (half) half_written++;
        /* The lock and one file half written; more would be piling up. */
        if (left > 2) {
            fprintf(stderr, "kill: %s: %d files are left behind\n", name, left);
            failures++;
        }
    }
    write_file("model", old);
    run(command);
    content again = read_file("model");
    if (!same(again, new) || count_left_behind(known, KNOWN, &half) > 0) {
        fprintf(stderr, "kill: %s: the run after the last kill leaves something behind, or another model\n", name);
        failures++;
    }
    printf("%s: %d times: old %d, new %d (%d had ended before), other %d; half written beside %d\n", name, times,
           found_old, found_new, finished, found_other, half_written);
    free(again.bytes);
    free(new.bytes);
    return failures + found_other;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fputs("usage: kill CREDENCE TIMES [SEED]\n", stderr);
        return 2;
    }
    char *credence = realpath(argv[1], NULL), folder[] = "/tmp/credence-kill-XXXXXX";
    int times = atoi(argv[2]);
    state = argc > 3 ? strtoull(argv[3], NULL, 10) : (uint64_t)time(NULL);
    if (state == 0) state = 1;
    if (credence == NULL) die(argv[1]);
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) die(folder);
    printf("seed %" PRIu64 "\n", state);
    write_table("few.csv", 0, 10000);
    write_table("more.csv", 10000, 12000);
    write_table("all.csv", 0, 12000);
    const char *const first[] = {credence, "train", "few.csv", "--target", "y", "-o", "model", "-q", NULL};
    const char *const update[] = {credence, "update", "model", "more.csv", "-q", NULL};
    const char *const train[] = {credence, "train", "all.csv", "--target", "y", "-o", "model", "-q", NULL};
    run(first);
    content old = read_file("model");
    int failures = test("update", update, old, times) + test("train", train, old, times);
    free(old.bytes);
    free(credence);
    for (size_t i = 0; i < KNOWN; i++) unlink(known[i]);
    /* What should not be there stays, to be looked at. */
    if (failures == 0 && chdir("/") == 0) rmdir(folder);
    return failures == 0 ? 0 : 1;
}
