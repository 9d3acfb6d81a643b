/* SPDX-License-Identifier: MIT */
/* sanitizer_support.h - which sanitizers a test is built with: they make code several times slower, so that tests that repeat
 * themselves do so less often. */
#ifndef CREDENCE_TESTS_SANITIZER_SUPPORT_H
#define CREDENCE_TESTS_SANITIZER_SUPPORT_H

/* gcc has names for them, clang a question. */
#if defined(__has_feature)
#define IS_THREAD_SANITIZED __has_feature(thread_sanitizer)
#define IS_SANITIZED (__has_feature(thread_sanitizer) || __has_feature(address_sanitizer))
#elif defined(__SANITIZE_THREAD__)
#define IS_THREAD_SANITIZED 1
#define IS_SANITIZED 1
#elif defined(__SANITIZE_ADDRESS__)
#define IS_THREAD_SANITIZED 0
#define IS_SANITIZED 1
#else
#define IS_THREAD_SANITIZED 0
#define IS_SANITIZED 0
#endif

/* How many of n random cases a sanitized test draws: the release build draws all of them. */
#define FEWER_IF_SANITIZED(n) (IS_SANITIZED ? ((n) + 3) / 4 : (n))

#endif
