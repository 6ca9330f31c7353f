import { type InfiniteData, useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import { api, cache, ClausemillError, saying, type Schemas, status } from "./client.js";
import { gathered } from "./document.js";
import { renew } from "./live.js";
import { delivered } from "./outbox.js";
import { Kept, Store } from "./store.js";

export type Chat = Schemas["Chat"];
export type ChatMessage = Schemas["ChatMessage"];
type Page = Schemas["ChatMessages"];

/** What conversations are about: a file, or a matter. */
export type About = { fileId: string } | { matterId: string };

const listOf = (about: About) => ["chats", "list", about];

/** The conversations about something that the caller takes part in, those with the newest messages first. */
export const useChats = (about: About) =>
  useQuery({
    queryKey: listOf(about),
    queryFn: async ({ signal }) => (await gathered(api.all("listChats", { query: { limit: 100, ...about }, signal }))).sort((a, b) => lastIn(b) - lastIn(a)),
  });

const lastIn = (chat: Chat): number => Date.parse(chat.lastMessageAt ?? chat.createdAt);

/** Begins a conversation, once for each key. It is in the list at once, so that it can be opened. */
export async function begin(about: About, name: string, participants: string[], key: string): Promise<Chat> {
  const chat = await api.createChat({ header: { "Idempotency-Key": key }, body: { name, participants, ...about } });
  cache.setQueryData<Chat[]>(listOf(about), (all) => all && [chat, ...all.filter(({ id }) => id !== chat.id)]);
  renew("chats");
  return chat;
}

const messages = (chatId: string) => ["chats", chatId, "messages"];

/** The messages of a conversation from its end; the next pages are the earlier ones. */
export const useMessages = (chatId: string) =>
  useInfiniteQuery({
    queryKey: messages(chatId),
    queryFn: ({ pageParam, signal }) => api.listChatMessages({ path: { chatId }, query: { limit: 50, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: "",
    getNextPageParam: (page: Page) => page.nextCursor,
  });

/** Shows a message as it is now, until it is asked for. */
function put(message: ChatMessage): void {
  cache.setQueryData<InfiniteData<Page>>(messages(message.chatId), (data) => {
    if (!data) return data;
    const known = data.pages.some((page) => page.items.some(({ id }) => id === message.id));
    const pages = data.pages.map((page, i) => ({
      ...page,
      items: known ? page.items.map((one) => (one.id === message.id ? message : one)) : i === 0 ? [...page.items, message] : page.items,
    }));
    return { ...data, pages };
  });
  renew("chats");
}

/** A message that the service does not have yet. */
export interface Outgoing {
  key: string;
  by: string;
  chatId: string;
  text: string;
  mentions: string[];
  ask?: boolean; // the service
  refused?: string; // why
}

/** What was said and has not arrived. It stays in the browser, over loading the page again. */
export const outgoing = new Kept<Outgoing[]>("clausemill-outgoing", []);

type Sentence = Schemas["ChatSentence"];

/** What has arrived of an answer that is being made: its quotes, and what a model writes of them. */
export interface Arriving {
  quotes: Sentence[];
  sentences: Sentence[];
}

/** The answers that are being made, by the keys of the messages that ask. */
export const arriving = new Store<ReadonlyMap<string, Arriving>>(new Map());

function arrives(key: string, answer: Arriving | null): void {
  const all = new Map(arriving.value);
  if (answer) all.set(key, answer);
  else all.delete(key);
  arriving.value = all;
}

/** The events of a response in order, each with its type and data. */
async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<{ type: string; data: string }> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  try {
    for (let text = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + value).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const field = (name: string): string => block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
        if (field("event") !== "") yield { type: field("event"), data: field("data") };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Says something to the service and follows its answer as it comes about. Sent again with the same key, it is the same answer. */
async function asked({ key, chatId, text, mentions }: Outgoing): Promise<Schemas["SentMessage"]> {
  const response = await api.raw("createChatMessage", { path: { chatId }, header: { "Idempotency-Key": key }, body: { text, mentions, ask: true } }, "text/event-stream, application/json");
  if (!response.body || !response.headers.get("Content-Type")?.startsWith("text/event-stream")) return (await response.json()) as Schemas["SentMessage"];
  const now: Arriving = { quotes: [], sentences: [] };
  for await (const { type, data } of events(response.body)) {
    if (type === "message") return JSON.parse(data) as Schemas["SentMessage"];
    if (type === "error") {
      const { error, code, requestId = "" } = JSON.parse(data) as { error: string; code: string; requestId?: string };
      throw new ClausemillError(error, 500, code, [], requestId, 0);
    }
    if (type === "quote") now.quotes.push(JSON.parse(data) as Sentence);
    if (type === "sentence") now.sentences.push(JSON.parse(data) as Sentence);
    arrives(key, { ...now });
  }
  throw new TypeError("the connection ended before the answer"); // as if it had not been there: it is sent again
}

const sending = new Set<string>();

export const drop = (key: string): void => {
  outgoing.value = outgoing.value.filter((one) => one.key !== key);
};

/** Says something: at once, or when the service answers again, and once however often it is sent. */
export function send(one: Outgoing): void {
  const { key, chatId, text, mentions, ask = false } = one;
  if (sending.has(key)) return;
  sending.add(key);
  const said = { key, by: one.by, chatId, text, mentions, ask };
  outgoing.value = [...outgoing.value.filter((other) => other.key !== key), said];
  delivered((): Promise<Schemas["SentMessage"]> => (ask ? asked(said) : api.createChatMessage({ path: { chatId }, header: { "Idempotency-Key": key }, body: { text, mentions } })))
    .then(
      ({ reply, ...message }) => {
        put(message);
        if (reply) put(reply);
        drop(key);
      },
      (error: unknown) => {
        outgoing.value = outgoing.value.map((other) => (other.key === key ? { ...other, refused: saying(error) } : other));
      },
    )
    .finally(() => (sending.delete(key), arrives(key, null)));
}

/** Sends what somebody said before the page was loaded again. */
export function resume(by: string): void {
  for (const one of outgoing.value) if (one.by === by && one.refused === undefined) send(one);
}

/** A message was changed meanwhile, and is this now. */
export class Changed extends Error {
  constructor(
    readonly newest: ChatMessage,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }
}

/** Gives a message other words, unless the signal comes first. Of another change meanwhile it throws Changed. */
export async function edit({ chatId, id, version }: ChatMessage, text: string, mentions: string[], signal: AbortSignal): Promise<void> {
  const path = { chatId, messageId: id };
  try {
    put(await api.updateChatMessage({ path, header: { "If-Match": `"${version}"` }, body: { text, mentions }, signal }));
  } catch (error) {
    renew("chats"); // it may have arrived
    if (status(error) !== 409 || !(error instanceof Error)) throw error;
    const newest = await api.getChatMessage({ path, signal });
    put(newest);
    if (newest.text !== text) throw new Changed(newest, error); // otherwise it is ours, and its answer was lost
  }
}

/** Deletes a message, unless the signal comes first. */
export async function remove(message: ChatMessage, signal: AbortSignal): Promise<void> {
  const { chatId, id } = message;
  try {
    await api.deleteChatMessage({ path: { chatId, messageId: id }, signal });
    put({ ...message, text: "", mentions: [], deletedAt: new Date().toISOString() });
  } finally {
    renew("chats");
  }
}

/** Notes that a conversation was read up to a message. Where that fails it is noted with the next one. */
export function markRead(chatId: string, messageId: string): void {
  api.markChatRead({ path: { chatId }, body: { messageId } }).then(
    () => renew("chats"),
    () => undefined,
  );
}
