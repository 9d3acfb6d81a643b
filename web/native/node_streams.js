// SPDX-License-Identifier: MIT
// The environment and the standard streams of a program of Node.js: emscripten has an environment of its own, and takes each stream for a terminal
// without a path, so that the command could not look at it.
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
        // What is written goes to where the file is at, which others may write to as well.
        stream.seekable = descriptor === 0 && files.fstatSync(descriptor).isFile();
    }
};
