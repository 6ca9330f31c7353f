import { Pencil, RotateCw, Trash2, X } from "lucide-preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { arriving, Changed, type Chat, type ChatMessage, drop, edit, markRead, outgoing, remove, send, useMessages } from "../data/chats.js";
import { usePeople, useSession } from "../data/people.js";
import { Kept, useStore } from "../data/store.js";
import { words } from "../words.js";
import { Ask } from "./ask.js";
import { Arrives, mentionOf, Message, Said } from "./message.js";
import { Failed, Skeleton } from "./states.js";
import { attempt } from "./toasts.js";
import { calledIn, Write } from "./write.js";

const w = words.chat;

/** A message that is being edited. */
interface Editing {
  message: ChatMessage;
  text: string;
  saving?: AbortController;
}

/** A conversation: what was said, and a field to say something, which has the focus in one that was just begun. */
export function Thread({ chat, fileId, begun }: { chat: Chat; fileId?: string | undefined; begun: boolean }) {
  const me = useSession()?.user.id ?? "";
  const people = usePeople();
  const asked = useMessages(chat.id);
  const waiting = useStore(outgoing).filter((one) => one.chatId === chat.id && one.by === me);
  const answers = useStore(arriving);
  const drafted = useMemo(() => new Kept(`clausemill-message-${chat.id}`, ""), [chat.id]);
  const draft = useStore(drafted);
  const [editing, choose] = useState<Editing | null>(null);
  const [removing, ask] = useState<ChatMessage | null>(null);
  const all = useMemo(() => [...(asked.data?.pages ?? [])].reverse().flatMap((page) => page.items), [asked.data]);
  // Those who left the conversation are still called what they were.
  const names = useMemo(() => new Map([...(people.data ?? []).map((one) => [one.id, mentionOf(one)] as const), ...chat.participants.map((one) => [one.userId, mentionOf(one)] as const)]), [people.data, chat.participants]);
  const mentioned = (users: string[]): string[] => users.flatMap((user) => names.get(user) ?? []);

  // What was new when the conversation was opened stays marked while it is read.
  const [news] = useState(chat.unread);
  const opened = useRef<string | null>(null);
  if (opened.current === null && asked.data && !asked.isFetching) opened.current = news > 0 ? (all.filter((one) => one.author?.userId !== me && !one.deletedAt).at(-news)?.id ?? "") : "";

  const list = useRef<HTMLDivElement>(null);
  const place = usePlace(list, [all, waiting.length, answers]);
  useRead(chat, all, list);
  // Where the form was that is left, the button is that opened it.
  const edited = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (edited.current !== null && !editing && document.activeElement === document.body) list.current?.querySelector<HTMLElement>(`#message-${edited.current} .message-acts button`)?.focus();
    edited.current = editing && editing.message.id;
  }, [editing]);

  const tell = (text: string, ask = false): void => {
    place.end();
    send({ key: crypto.randomUUID(), by: me, chatId: chat.id, text, mentions: calledIn(text, chat), ask });
    drafted.value = "";
  };
  const save = (text: string): void => {
    if (!editing) return;
    const { message } = editing;
    const saving = new AbortController();
    const settle = (next: Editing | null): void => choose((now) => (now?.saving === saving ? next : now));
    choose({ message, text, saving });
    void attempt(async () => {
      try {
        await edit(message, text, calledIn(text, chat), saving.signal);
        settle(null);
      } catch (error) {
        settle({ message: error instanceof Changed ? error.newest : message, text });
        if (!saving.signal.aborted) throw error;
      }
    });
  };
  const leave = (): void => {
    editing?.saving?.abort();
    choose(null);
  };
  if (asked.error && !asked.data) return <Failed error={asked.error} again={() => void asked.refetch()} />;
  if (!asked.data) return <Skeleton />;
  return (
    <div class="thread">
      <div
        class="thread-list"
        ref={list}
        tabIndex={0}
        role="log"
        aria-label={w.messages}
        onScroll={place.note}
      >
        {asked.hasNextPage && (
          <button class="link" disabled={asked.isFetchingNextPage} onClick={() => void asked.fetchNextPage()}>{words.matters.earlier}</button>
        )}
        {all.length === 0 && waiting.length === 0 && <p class="quiet">{w.nothing}</p>}
        <ol>
          {all.map((message) =>
            editing?.message.id === message.id ? (
              <li key={message.id} class="message">
                <Write chat={chat} text={editing.text} type={(text) => choose({ message, text })} send={save} busy={editing.saving !== undefined} leave={leave} label={w.editLabel} action={words.document.save} />
              </li>
            ) : (
              <Message key={message.id} message={message} mentioned={mentioned(message.mentions)} fileId={fileId} first={message.id === opened.current}>
                {message.author?.userId === me && (
                  <span class="message-acts">
                    <button class="bare small" aria-label={w.edit} title={w.edit} onClick={() => choose({ message, text: message.text })}><Pencil size={14} class="icon" /></button>
                    <button class="bare small" aria-label={w.remove} title={w.remove} onClick={() => ask(message)}><Trash2 size={14} class="icon" /></button>
                  </span>
                )}
              </Message>
            ),
          )}
          {waiting.map((one) => (
            <li key={one.key} class="message outgoing">
              <div class="message-head">
                <span class={one.refused === undefined ? "quiet" : "bad"} role={one.refused === undefined ? undefined : "alert"}>{one.refused !== undefined ? w.refused(one.refused) : one.ask ? w.asking : w.sending}</span>
                <span class="push" />
                {one.refused !== undefined && (
                  <>
                    <button class="bare small" aria-label={words.tryAgain} title={words.tryAgain} onClick={() => send(one)}><RotateCw size={14} class="icon" /></button>
                    <button class="bare small" aria-label={w.takeBack} title={w.takeBack} onClick={() => (drop(one.key), (drafted.value = [drafted.value, one.text].filter(Boolean).join("\n")))}><X size={14} class="icon" /></button>
                  </>
                )}
              </div>
              <Said text={one.text} mentioned={mentioned(one.mentions)} />
              {answers.has(one.key) && <Arrives answer={answers.get(one.key)!} />}
            </li>
          ))}
        </ol>
      </div>
      <Write chat={chat} text={draft} type={(text) => (drafted.value = text)} send={tell} ask={(text) => tell(text, true)} first={begun} label={w.write} />
      {removing && <Ask title={w.removeTitle} text={w.removeText} yes={w.remove} act={(signal) => remove(removing, signal)} close={() => ask(null)} after={() => list.current} />}
    </div>
  );
}

type List = { current: HTMLDivElement | null };

/** Keeps what is in sight of a list where it is when it changes: its end, or else the message at its top. */
function usePlace(list: List, changed: unknown[]): { note: () => void; end: () => void } {
  const place = useRef({ end: true, id: "", top: 0 });
  const topOf = (element: Element): number => element.getBoundingClientRect().top - (list.current?.getBoundingClientRect().top ?? 0);
  const note = (): void => {
    const box = list.current;
    if (!box) return;
    const first = [...box.querySelectorAll(".message[id]")].find((message) => topOf(message) + message.clientHeight > 0);
    place.current = { end: box.scrollHeight - box.scrollTop - box.clientHeight < 40, id: first?.id ?? "", top: first ? topOf(first) : 0 };
  };
  useLayoutEffect(() => {
    const box = list.current;
    if (!box) return;
    const first = document.getElementById(place.current.id);
    if (place.current.end) box.scrollTop = box.scrollHeight;
    else if (first) box.scrollTop += topOf(first) - place.current.top;
    note();
  }, changed);
  return { note, end: () => (place.current.end = true) };
}

/** Notes how far a conversation was read: to the last message that was in sight. */
function useRead(chat: Chat, all: ChatMessage[], list: List): void {
  const [last, see] = useState("");
  useEffect(() => {
    const order = new Map(all.map(({ id }, i) => [`message-${id}`, i]));
    const observer = new IntersectionObserver((entries) => {
      const seen = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => order.get(target.id) ?? -1);
      see((before) => all[Math.max(...seen, order.get(`message-${before}`) ?? -1)]?.id ?? before);
    });
    for (const message of list.current?.querySelectorAll(".message[id]") ?? []) observer.observe(message);
    return () => observer.disconnect();
  }, [all]);
  useEffect(() => {
    const note = (): void => {
      if (document.visibilityState === "visible" && last !== "" && chat.unread > 0) markRead(chat.id, last);
    };
    note();
    document.addEventListener("visibilitychange", note);
    return () => document.removeEventListener("visibilitychange", note);
  }, [chat.id, chat.unread, last]);
}
