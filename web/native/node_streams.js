// SPDX-License-Identifier: MIT
// Passes the environment and the standard streams of Node.js to the program. By default, emscripten uses another environment, and treats each
// stream as a terminal without a path, which the command cannot examine.
Module["preRun"] = () => {
    for (const name of ["USER", "LOGNAME", "PATH", "PWD", "HOME", "LANG", "_"]) ENV[name] = process.env[name];
    Object.assign(ENV, process.env);
};
Module["onRuntimeInitialized"] = () => {
    const files = require("fs");
    for (const descriptor of [0, 1, 2]) {
        const stream = FS.streams[descriptor];
        stream.path = `/dev/fd/${descriptor}`;
        stream.tty = require("tty").isatty(descriptor);
        // Output is appended at the current offset of the file, because other processes can write to it, too.
        stream.seekable = descriptor === 0 && files.fstatSync(descriptor).isFile();
    }
};
