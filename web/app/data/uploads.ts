import { type Journal, type Source, uploadAll } from "@clausemill/client";
import { api, cache, saying, type Schemas } from "./client.js";
import { renew } from "./live.js";
import { Store } from "./store.js";

/** The upload that runs, or the last one. It goes on while people look at other pages. */
export interface Uploading {
  running: boolean;
  all: number;
  done: number;
  bytes: number;
  sent: number;
  refused: { name: string; why: string }[];
}

export const uploading = new Store<Uploading | null>(null);

let stop: AbortController | undefined;

/** Ends the upload; what was sent stays. */
export const stopUpload = (): void => stop?.abort();

/** Sends files one after the other, behind those that are being sent. Whatever the service has of them already is not sent again. */
export async function upload(sources: Source[]): Promise<void> {
  if (sources.length === 0) return;
  queue.push(...sources);
  const before = uploading.value?.running ? uploading.value : { running: true, all: 0, done: 0, bytes: 0, sent: 0, refused: [] };
  uploading.value = { ...before, all: before.all + sources.length, bytes: before.bytes + sources.reduce((n, s) => n + s.content.size, 0) };
  if (stop) {
    await pending.add(sources.length);
    return; // the one that runs takes them
  }
  stop = new AbortController();
  await pending.set(queue.length); // those of before were chosen again, or given up
  const sent = new Map<Source, number>();
  const told = (change: Partial<Uploading>): void => {
    if (uploading.value) uploading.value = { ...uploading.value, ...change };
  };
  const total = (): number => [...sent.values()].reduce((a, b) => a + b, finished);
  let finished = 0;
  window.addEventListener("beforeunload", warn);
  try {
    const taken = function* (): Generator<Source> {
      for (let next = queue.shift(); next; next = queue.shift()) yield next;
    };
    const progress = (source: Source, { sent: bytes, total: all }: { sent: number; total: number }): void => {
      sent.set(source, Math.min(source.content.size, Math.round((bytes / Math.max(all, 1)) * source.content.size)));
      told({ sent: total() });
    };
    // More may come while the last ones are sent.
    while (queue.length > 0 && !stop.signal.aborted) {
      for await (const { source, error } of uploadAll(api, taken(), { journal, jobs: 4, signal: stop.signal, onProgress: progress })) {
        sent.delete(source);
        finished += source.content.size;
        await pending.add(-1);
        renew("files", "team");
        const state = uploading.value;
        if (!state) continue;
        const refused = error === undefined ? state.refused : [...state.refused, { name: source.name, why: saying(error) }];
        told({ done: state.done + 1, sent: total(), refused });
      }
    }
  } catch (error) {
    if (!stop.signal.aborted && uploading.value) told({ refused: [...uploading.value.refused, { name: "", why: saying(error) }] });
    queue.length = 0;
  } finally {
    stop = undefined;
    told({ running: false });
    window.removeEventListener("beforeunload", warn);
    renew("files", "team");
  }
}

const queue: Source[] = [];

/** Has the browser ask before it leaves, as a listener of beforeunload. */
export const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/** What was dropped, with all that is below folders. */
export async function sourcesOf(transfer: DataTransfer): Promise<Source[]> {
  // The list is empty once this function waits, so the entries are taken first.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const sources: Source[] = [];
  for (const entry of entries) for await (const source of below(entry, "")) sources.push(source);
  return sources;
}

async function* below(entry: FileSystemEntry, folder: string): AsyncGenerator<Source> {
  if (entry.isFile) {
    const file = await new Promise<File>((found, failed) => (entry as FileSystemFileEntry).file(found, failed));
    if (!file.name.startsWith(".")) yield sourceOf(file, folder);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((found, failed) => reader.readEntries(found, failed)); // at most a hundred
    if (some.length === 0) return;
    for (const child of some) yield* below(child, folder === "" ? entry.name : `${folder}/${entry.name}`);
  }
}

/** Files that were chosen. The browser looks up each when it is asked how old it is, which takes seconds for thousands: the page has its turn in between. */
export async function sourcesIn(files: File[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const file of files) {
    sources.push(sourceOf(file));
    if (sources.length % 50 === 0) await new Promise((go) => setTimeout(go));
  }
  return sources;
}

/** A file to send; its folder is that which was chosen. */
function sourceOf(file: File, folder = file.webkitRelativePath.split("/").slice(0, -1).join("/")): Source {
  return { name: file.name, content: file, lastModified: file.lastModified, ...(folder && { folder }) };
}

// The journal is kept in the browser: after a closed tab the same folder goes on where it was.
const database = (): Promise<IDBDatabase> =>
  (opened ??= new Promise((done, failed) => {
    const request = indexedDB.open("clausemill-uploads", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("sent");
      request.result.createObjectStore("pending");
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  }));
let opened: Promise<IDBDatabase> | undefined;

/** What is asked of the journal; undefined where the browser keeps nothing, which is no reason not to upload. */
async function stored<T>(store: string, mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  try {
    const db = await database();
    return await new Promise((done, failed) => {
      const request = ask(db.transaction(store, mode).objectStore(store));
      request.onsuccess = () => done(request.result);
      request.onerror = () => failed(request.error);
    });
  } catch {
    return undefined;
  }
}

// A file that one team has is not yet another's.
const ofTeam = (key: string): string => `${cache.getQueryData<Schemas["SignedIn"]>(["session"])?.team.id ?? ""} ${key}`;

const journal: Journal = {
  get: (key) => stored("sent", "readonly", (s) => s.get(ofTeam(key)) as IDBRequest<string | undefined>),
  set: async (key, id) => void (await stored("sent", "readwrite", (s) => s.put(id, ofTeam(key)))),
};

/** How many files were chosen and not sent, also when the tab was closed meanwhile. */
export const pending = {
  count: async (): Promise<number> => (await stored("pending", "readonly", (s) => s.get("count") as IDBRequest<number | undefined>)) ?? 0,
  set: async (n: number): Promise<void> => void (await stored("pending", "readwrite", (s) => s.put(n, "count"))),
  add: async (n: number): Promise<void> =>
    void (await stored("pending", "readwrite", (s) => {
      const count = s.get("count") as IDBRequest<number | undefined>;
      count.addEventListener("success", () => s.put(Math.max((count.result ?? 0) + n, 0), "count"));
      return count;
    })),
};
