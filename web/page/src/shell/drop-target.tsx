// SPDX-License-Identifier: MIT
// A file that is dropped anywhere on the page is opened; Ctrl+O (Cmd+O) chooses one.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { chooseFile, droppedFiles, openFiles } from "./open-file";

export function DropTarget(): JSX.Element | null {
    const [isOver, setOver] = useState(false);
    useEffect(() => {
        const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
        const over = (event: DragEvent): void => {
            if (!hasFiles(event)) return;
            event.preventDefault();
            setOver(true);
        };
        const leave = (event: DragEvent): void => {
            if (event.relatedTarget === null) setOver(false);
        };
        const drop = (event: DragEvent): void => {
            if (!hasFiles(event)) return;
            event.preventDefault();
            setOver(false);
            void openFiles(droppedFiles(event));
        };
        const key = (event: KeyboardEvent): void => {
            if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key !== "o") return;
            event.preventDefault();
            void chooseFile().then((files) => openFiles(files));
        };
        addEventListener("dragover", over);
        addEventListener("dragleave", leave);
        addEventListener("drop", drop);
        addEventListener("keydown", key);
        return () => {
            removeEventListener("dragover", over);
            removeEventListener("dragleave", leave);
            removeEventListener("drop", drop);
            removeEventListener("keydown", key);
        };
    }, []);
    return isOver ? <div class="drop-cover">Drop to open</div> : null;
}
