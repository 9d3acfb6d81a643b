// SPDX-License-Identifier: MIT
// The open documents are kept in the browser's database, and come back when the page is opened again. A session file holds them, too.
import { addDocument, findDocument, freeName, onDocuments, openDocuments, type OpenDocument } from "./store";
import { fromBase64 } from "./embedded";
import { saveBytes } from "./picture";

const DATABASE = "credence";
const STORE = "documents";
/** After the last change, in ms. */
const SETTLED = 300;

function done<T>(request: IDBRequest<T>): Promise<T> {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error("the database failed"));
    });
}

async function openDatabase(): Promise<IDBDatabase> {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "name" });
    return done(request);
}

/** The training table of a model is stored once, as a document of its own. */
function withoutSource(document: OpenDocument): OpenDocument {
    const { source: _, ...rest } = document;
    return rest;
}

function withSources(documents: OpenDocument[]): OpenDocument[] {
    return documents.map((document) => {
        const table = documents.find(({ name, kind }) => kind !== "model" && name === document.command?.[1]);
        return table === undefined ? document : { ...document, source: table.content };
    });
}

/** Opens the documents of the last visit, and stores each change from now on. A browser that stores nothing is no error. */
export async function keepDocuments(): Promise<void> {
    let stored = new Map<string, OpenDocument>();
    let database: IDBDatabase;
    try {
        database = await openDatabase();
        const found = await done(database.transaction(STORE).objectStore(STORE).getAll() as IDBRequest<OpenDocument[]>);
        for (const document of withSources(found)) addDocument(document);
        stored = new Map(openDocuments().map((document) => [document.name, document]));
    } catch {
        return;
    }
    const store = (): void => {
        const now = new Map(openDocuments().map((document) => [document.name, document]));
        const kept = database.transaction(STORE, "readwrite").objectStore(STORE);
        for (const [name, document] of now) if (stored.get(name) !== document) kept.put(withoutSource(document));
        for (const name of stored.keys()) if (!now.has(name)) kept.delete(name);
        stored = now;
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    onDocuments(() => {
        clearTimeout(timer);
        timer = setTimeout(store, SETTLED);
    });
    addEventListener("pagehide", store);
}

const ENDING = ".credence";

export function isSession(name: string): boolean {
    return name.endsWith(ENDING);
}

function base64(bytes: Uint8Array): Promise<string> {
    return new Promise((resolve) => {
        const reader = new FileReader();
        reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
        reader.readAsDataURL(new Blob([bytes as BlobPart]));
    });
}

/** Writes the open documents and the present view into one file. */
export async function saveSession(): Promise<void> {
    const documents = await Promise.all(
        openDocuments().map(async (document) => {
            const { content, ...rest } = withoutSource(document);
            const bytes =
                content instanceof Uint8Array
                    ? content
                    : new Uint8Array(await new Blob([content as BlobPart]).arrayBuffer());
            return { ...rest, content: await base64(bytes) };
        }),
    );
    const text = JSON.stringify({ credence_session: 1, address: location.hash, documents });
    const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    saveBytes(`session${ENDING}`, await new Response(packed).arrayBuffer(), "application/gzip");
}

/** Opens the documents of a session file, and its view. */
export async function openSession(file: File): Promise<undefined> {
    try {
        const text = await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).text();
        const { address, documents } = JSON.parse(text) as {
            address: string;
            documents: (Omit<OpenDocument, "content"> & { content: string })[];
        };
        const opened = documents.map((document) => ({ ...document, content: fromBase64(document.content) }));
        for (const document of withSources(opened)) {
            const open = findDocument(document.name);
            if (open !== undefined) addDocument({ ...open, name: freeName(open.name, () => false) });
            addDocument(document);
        }
        if (/^#\//.test(address)) location.hash = address;
    } catch {
        throw new Error(`${file.name} is not a session`);
    }
}
