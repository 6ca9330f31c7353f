import { Store } from "./store.js";
import { cache, type Schemas } from "./client.js";
import { patchFile } from "./files.js";
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

/** Asks for these anew, at most twice a second: a thousand files may end in one. */
export const renew = (...names: string[]): void => renewKeys(names.map((name) => [name]));

/** Asks for something anew, now, after it was changed here. What is on its way may be older, the first answer to a page too: it is not waited for. */
export async function refreshed(...queryKey: string[]): Promise<void> {
  await cache.cancelQueries({ queryKey });
  await cache.invalidateQueries({ queryKey });
}

function renewKeys(keys: string[][]): void {
  for (const key of keys) waiting.set(key.join(), key);
  if (waiting.size === 0) return;
  timer ??= setTimeout(() => {
    timer = undefined;
    const now = [...waiting.values()];
    waiting.clear();
    for (const queryKey of now) {
      // What is being asked for is let through, and asked for again after it: under steady changes nothing would ever arrive.
      if (held(queryKey) || cache.isFetching({ queryKey }) > 0) renewKeys([queryKey]);
      else void cache.invalidateQueries({ queryKey });
    }
  }, 500);
}

function heard(type: string, text: string): void {
  if (type === "file.status") {
    const { id, status, stage, progress, pages } = JSON.parse(text) as Schemas["FileStatusData"];
    // A file that is in no list may belong into one. What is counted of files follows once it has ended.
    renewKeys(patchFile(id, { status, stage, progress, pages }) ? [["team"]] : [["team"], ["files", "list"]]);
    return;
  }
  const { id } = JSON.parse(text) as { id?: string };
  // What is said of one file is about no other.
  renewKeys((renews[type] ?? []).map((name) => (name === "file" && type.startsWith("file.") && id !== undefined ? [name, id] : [name])));
}

/** Follows what changes in the team until the function that it returns is called. */
export function follow(): () => void {
  const source = new EventSource("/api/events");
  for (const type of Object.keys(renews)) source.addEventListener(type, (event) => heard(type, (event as MessageEvent<string>).data));
  source.onopen = () => {
    // What happened before is not told: between what a page asked for and now, too.
    if (connection.value === "lost") 
      void flush().then(() => {
        void cache.invalidateQueries({ predicate: ({ queryKey }) => !held(queryKey) });
        renew(...decidedOn); // what was decided shows, and not what was before
      });
    else renew("files", "file", "team");
    connection.value = "live";
  };
  source.onerror = () => {
    connection.value = "lost";
    // It tries again by itself, unless the service refused it: then the session tells why.
    if (source.readyState === EventSource.CLOSED) {
      void cache.invalidateQueries({ queryKey: ["session"] });
      retry = setTimeout(() => {
        stop();
        stop = follow();
      }, 5000);
    }
  };
  let retry: ReturnType<typeof setTimeout> | undefined;
  let stop = (): void => {
    clearTimeout(retry);
    source.close();
  };
  return () => stop();
}
