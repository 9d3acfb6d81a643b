// SPDX-License-Identifier: MIT
// poll() for Node.js, which emscripten does not implement: every file is ready, and reading waits.
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
