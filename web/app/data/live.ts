import { Store } from "./store.js";
import { cache, type Schemas } from "./client.js";
import { type File, patchFiles } from "./files.js";
import { flush, waiting as undelivered } from "./outbox.js";

/** Whether changes arrive. Without them everything is asked for anew once they do again. */
export const connection = new Store<"live" | "lost">("live");

// What has to be asked for anew, by the first part of its key, when one of these arrives.
const renews: Record<string, string[]> = {
  "file.status": [],
  "file.completed": ["files", "file", "team", "matters"],
  "file.failed": ["files", "file", "team", "matters"],
  "file.cancelled": ["files", "file", "team", "matters"],
  "file.deleted": ["files", "file", "team"],
  "file.restored": ["files", "file", "team"],
  "file.changes": ["file"],
  "file.version_added": ["files", "file"],
  "files.queued": ["files", "file", "team"],
  "files.updated": ["files", "file"],
  "operation.progress": ["operations"],
  "operation.finished": ["operations", "files", "file", "team", "fields"],
  ...Object.fromEntries(
    ["matter.created", "matter.updated", "matter.deleted", "matter.restored", "matter.file_added", "matter.file_removed", "assignment.created", "assignment.updated", "assignment.deleted"].map((type) => [type, ["matters"]]),
  ),
  ...Object.fromEntries(["chat.message_added", "chat.message_edited", "chat.message_deleted", "chat.read"].map((type) => [type, ["chats"]])),
  "notification.created": ["notifications", "chats"], // one may be about having been added to a chat
  "notification.updated": ["notifications"],
  "sentences.validated": ["sentences", "review", "team"],
  "sentences.withdrawn": ["sentences", "review", "team"],
};

// What people decide on. It shows at once, and an answer from before a decision has arrived would take it back.
const decidedOn = ["sentences", "file"];
const held = ([name]: readonly unknown[]): boolean => undelivered.value > 0 && decidedOn.includes(String(name));

const waiting = new Map<string, string[]>();
let timer: ReturnType<typeof setTimeout> | undefined;
let steady = 0; // how often it was asked for without a pause
let last = 0;

/** Asks for these anew, at most twice a second, and every two seconds where changes do not end: a thousand files may end in one. */
export const renew = (...names: string[]): void => renewKeys(names.map((name) => [name]));

/** Asks for something anew, now, after it was changed here. What is on its way may be older, the first answer to a page too: it is not waited for. */
export async function refreshed(...queryKey: string[]): Promise<void> {
  await cache.cancelQueries({ queryKey });
  await cache.invalidateQueries({ queryKey });
}

function renewKeys(keys: string[][]): void {
  for (const key of keys) waiting.set(key.join(), key);
  if (waiting.size === 0) return;
  if (timer !== undefined) return;
  steady = performance.now() - last < 1000 ? steady + 1 : 0;
  timer = setTimeout(() => {
    timer = undefined;
    last = performance.now();
    const now = [...waiting.values()];
    waiting.clear();
    for (const queryKey of now) {
      // What is being asked for is let through, and asked for again after it: under steady changes nothing would ever arrive.
      if (held(queryKey) || cache.isFetching({ queryKey }) > 0) renewKeys([queryKey]);
      else void cache.invalidateQueries({ queryKey });
    }
  }, steady > 4 ? 2000 : 500);
}

// What is new of files is put where it is shown some times a second: of many that are read there are more events than pictures.
const patches = new Map<string, Partial<File>>();
let patching: ReturnType<typeof setTimeout> | undefined;

function patch(): void {
  patching = undefined;
  // A file that is in no list may belong into one. What is counted of files follows once it has ended.
  renewKeys(patchFiles(patches) ? [["team"]] : [["team"], ["files", "list"]]);
  patches.clear();
}

function heard(type: string, text: string): void {
  if (type === "file.status") {
    const { id, status, stage, progress, pages } = JSON.parse(text) as Schemas["FileStatusData"];
    patches.set(id, { status, stage, progress, pages });
    patching ??= setTimeout(patch, 100);
    return;
  }
  const { id } = JSON.parse(text) as { id?: string };
  // What is said of one file is about no other.
  renewKeys((renews[type] ?? []).map((name) => (name === "file" && type.startsWith("file.") && id !== undefined ? [name, id] : [name])));
}

/** What tabs tell each other: an event; that the connection is there, or is there after events may have been missed; that it is lost; that the service refused it. */
type Told = { type: string; data: string } | "open" | "missed" | "lost" | "refused";

function take(told: Told): void {
  if (typeof told === "object") return heard(told.type, told.data);
  if (told === "refused") void cache.invalidateQueries({ queryKey: ["session"] }); // it tells why
  else if (told === "lost") connection.value = "lost";
  else {
    // What happened before is not told: between what a page asked for and now, too.
    if (connection.value === "lost" || told === "missed")
      void flush().then(() => {
        void cache.invalidateQueries({ predicate: ({ queryKey }) => !held(queryKey) });
        renew(...decidedOn); // what was decided shows, and not what was before
      });
    else renew("files", "file", "team");
    connection.value = "live";
  }
}

/** Listens to the service until the function that it returns is called. */
function listen(tell: (told: Told) => void, first: boolean): () => void {
  let retry: ReturnType<typeof setTimeout> | undefined;
  let source: EventSource;
  const open = (): void => {
    source = new EventSource("/api/events");
    for (const type of Object.keys(renews)) source.addEventListener(type, (event) => tell({ type, data: (event as MessageEvent<string>).data }));
    source.onopen = () => (tell(first ? "open" : "missed"), (first = true));
    source.onerror = () => {
      tell("lost");
      // It tries again by itself, unless the service refused it.
      if (source.readyState !== EventSource.CLOSED) return;
      tell("refused");
      retry = setTimeout(open, 5000);
    };
  };
  open();
  return () => (clearTimeout(retry), source.close());
}

/** Follows what changes in a team, as somebody, until the function that it returns is called. A browser opens few connections to a service: its tabs share one, of the tab that holds the lock. */
export function follow(whose: string): () => void {
  const name = `clausemill-events ${whose}`;
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => take(data as Told);
  const tell = (told: Told): void => (take(told), channel.postMessage(told));
  const end = new AbortController();
  const { signal } = end;
  const hold = (first: boolean): Promise<void> =>
    new Promise((done) => {
      if (signal.aborted) return done();
      const close = listen(tell, first);
      signal.addEventListener("abort", () => (close(), done()));
    });
  // Without encryption, other than on the machine itself, there are no locks: each tab has a connection.
  if (!("locks" in navigator)) void hold(true);
  else {
    void (navigator as Navigator).locks
      .request(name, { ifAvailable: true }, (lock) => (lock ? hold(true) : undefined))
      .then(() => {
        if (signal.aborted) return;
        renew("files", "file", "team");
        return (navigator as Navigator).locks.request(name, { signal }, () => hold(false));
      })
      .catch(() => undefined); // nobody waits for it any more
  }
  return () => (end.abort(), channel.close());
}
