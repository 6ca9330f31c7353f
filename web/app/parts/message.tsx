import type { ComponentChildren } from "preact";
import type { Arriving, ChatMessage } from "../data/chats.js";
import { written } from "../data/document.js";
import { nameOf } from "../data/people.js";
import { ago, at } from "../format.js";
import { words } from "../words.js";

const w = words.chat;

/** Who is meant by a mention, as it is in texts: "@Ada". */
export const mentionOf = (person: { name: string; email: string }): string => `@${nameOf(person)}`;

/** A text in pieces, of which some are names: the longest where one begins with another, and none that is the beginning of a word. */
export function pieces(text: string, names: string[]): { text: string; name: boolean }[] {
  const all: { text: string; name: boolean }[] = [];
  const longest = [...names].sort((a, b) => b.length - a.length);
  let from = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const name = longest.find((one) => text.startsWith(one, at) && !/^[\p{L}\p{N}]/u.test(text.slice(at + one.length)));
    if (name === undefined) continue;
    if (at > from) all.push({ text: text.slice(from, at), name: false });
    all.push({ text: name, name: true });
    from = at + name.length;
    at = from - 1;
  }
  if (from < text.length) all.push({ text: text.slice(from), name: false });
  return all;
}

/** What somebody said, as text and nothing else, with those who are mentioned marked. */
export const Said = ({ text, mentioned }: { text: string; mentioned: string[] }) => (
  <p class="said" dir="auto">{pieces(text, mentioned).map((piece) => (piece.name ? <strong class="mention">{piece.text}</strong> : piece.text))}</p>
);

type ChatAnswer = NonNullable<ChatMessage["answer"]>;
type Citation = ChatAnswer["nearest"][number];

/** A quote, as a link to its place on the page. */
function Cited({ quote, fileId, span, page, section }: Citation) {
  return (
    <blockquote class="cited">
      <a href={`/files/${fileId}?tab=conversation&at=${written(span)}`} dir="auto">{quote.replace(/\s+/g, " ")}</a>
      <cite class="quiet">{[w.page(page), section].filter(Boolean).join(" · ")}</cite>
    </blockquote>
  );
}

/** What the service answers: facts and what comes of two quotes in words, each quote with its place. */
function Answered({ answer }: { answer: ChatAnswer }) {
  const { kind, found, sentences, nearest, more, query, model, notice } = answer;
  if (query) return <p class="said">{w.understood} <a href={`/questions?ask=${encodeURIComponent(query.question)}`}>{query.understood.map(({ meaning }) => meaning).join("; ")}</a></p>;
  return (
    <div class="answered">
      {!found && <p class="said">{kind === "difference" ? w.noDifference : w.nothingSays}</p>}
      {answer.written?.map(({ text, citations }, i) => (
        <p key={i} class="said" dir="auto">
          {text}
          {citations.map(({ fileId, span, page }, k) => <a key={k} class="quiet" href={`/files/${fileId}?tab=conversation&at=${written(span)}`}> {w.page(page)}</a>)}
        </p>
      ))}
      {model && <p class="quiet">{w.writtenBy(model)}</p>}
      {sentences.map(({ text, citations }, i) => (
        <div key={i}>
          {(kind === "difference" || !text.startsWith("“")) && <p class="said" dir="auto">{kind === "difference" ? text.slice(0, text.indexOf(":") + 1) : text}</p>}
          {citations.map((cited, k) => <Cited key={k} {...cited} />)}
        </div>
      ))}
      {more > 0 && <p class="quiet">{w.moreDifferences(more)}</p>}
      {nearest.length > 0 && <p class="quiet">{w.nearest}</p>}
      {nearest.map((cited, i) => <Cited key={i} {...cited} />)}
      {notice && <p class="quiet">{notice}</p>}
    </div>
  );
}

/** As much of an answer as has arrived: what is written, or the quotes until then. */
export function Arrives({ answer: { quotes, sentences } }: { answer: Arriving }) {
  return (
    <div class="arriving" role="status" aria-busy="true">
      <p class="quiet">{sentences.length > 0 ? w.writing : w.found(quotes.length)}</p>
      {sentences.map(({ text }, i) => <p key={i} class="said" dir="auto">{text}</p>)}
      {sentences.length === 0 && quotes.flatMap(({ citations }) => citations).map((cited, i) => <Cited key={i} {...cited} />)}
    </div>
  );
}

/** A message of a conversation: by whom, when, about what, and what it says; or that it was deleted. */
export function Message({ message, mentioned, fileId, first, children }: { message: ChatMessage; mentioned: string[]; fileId?: string | undefined; first: boolean; children?: ComponentChildren }) {
  const { author, createdAt, editedAt, deletedAt, documentContext, answers, answer } = message;
  return (
    <li class="message" id={`message-${message.id}`}>
      {first && <div class="unread-line">{w.unread}</div>}
      <div class="message-head">
        <strong class="cut" dir="auto">{answers !== null ? w.service : author ? author.name || w.unnamed : w.nobody}</strong>
        <time class="quiet" dateTime={createdAt} title={at(createdAt)}>{ago(createdAt)}</time>
        {editedAt && !deletedAt && <span class="quiet" title={at(editedAt)}>{w.edited}</span>}
        <span class="push" />
        {!deletedAt && children}
      </div>
      {deletedAt ? <p class="quiet">{w.deleted}</p> : answer ? <Answered answer={answer} /> : answers !== null && message.text === "" ? <p class="quiet">{w.withheld}</p> : <Said text={message.text} mentioned={mentioned} />}
      {!deletedAt && documentContext && documentContext.fileId !== fileId && (
        <p class="quiet about">{w.about} <a href={`/files/${documentContext.fileId}`} dir="auto">{documentContext.name}</a></p>
      )}
    </li>
  );
}
