// SPDX-License-Identifier: MIT
// poll() of a program of Node.js, for which emscripten has none: every file is ready, and who reads it waits.
mergeInto(LibraryManager.library, {
    __syscall_poll: function (files, count) {
        const FILE_BYTES = 8,
            EVENTS = 4,
            RETURNED = 6;
        for (let i = 0; i < count; i++) {
            const file = files + FILE_BYTES * i;
            HEAP16[(file + RETURNED) >> 1] = HEAP16[(file + EVENTS) >> 1];
        }
        return count;
    },
});
