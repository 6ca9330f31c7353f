import { Quote, Send } from "lucide-preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Chat } from "../data/chats.js";
import { nameOf } from "../data/people.js";
import { words } from "../words.js";
import { mentionOf, pieces } from "./message.js";

const w = words.chat;

/** The longest text that the service takes, in code points. */
const longest = 10_000;

/** Those who take part in a conversation and are called in a text. */
export function calledIn(text: string, { participants }: Chat): string[] {
  const names = new Set(pieces(text, participants.map(mentionOf)).flatMap((piece) => (piece.name ? piece.text : [])));
  return participants.filter((one) => names.has(mentionOf(one))).map(({ userId }) => userId);
}

/**
 * A field for a message. Enter sends it, Shift and Enter begin a line, and "@" brings a
 * list of those who take part. What is typed belongs to whoever shows the field. It has the
 * focus from the beginning where it can be left, or is said to be first.
 */
export function Write({ chat, text, type, send, ask, leave, first = leave !== undefined, busy = false, label, action = w.send }: { chat: Chat; text: string; type: (text: string) => void; send: (text: string) => void; ask?: (text: string) => void; leave?: () => void; first?: boolean | undefined; busy?: boolean | undefined; label: string; action?: string }) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const caret = useRef<number | null>(null); // where it goes once a name was taken
  // Where the name begins that is being typed, and which line of the list is chosen.
  const [naming, name] = useState<{ from: number; at: number } | null>(null);
  const asked = naming === null ? "" : text.slice(naming.from + 1, field.current?.selectionStart ?? text.length).toLowerCase();
  const offered = naming === null ? [] : chat.participants.filter((one) => `${one.name} ${one.email}`.toLowerCase().includes(asked)).slice(0, 8);
  const chosen = Math.min(naming?.at ?? 0, offered.length - 1);
  const tooLong = [...text].length > longest;
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight + 2, 200)}px`;
    if (caret.current === null) return;
    area.focus();
    area.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  }, [text]);

  useEffect(() => {
    const area = field.current;
    if (first && area) (area.focus(), area.setSelectionRange(area.value.length, area.value.length));
  }, []);

  const typed = (area: HTMLTextAreaElement): void => {
    const before = area.value.slice(0, area.selectionStart);
    // Names may have spaces; nobody's is longer than this.
    const found = /(?:^|[\s(])(@[^@\n]{0,60})$/.exec(before);
    name(found ? { from: before.length - found[1]!.length, at: 0 } : null);
    type(area.value);
  };
  const take = (index: number): void => {
    const person = offered[index];
    const area = field.current;
    if (!person || !area || naming === null) return;
    const before = `${text.slice(0, naming.from)}${mentionOf(person)} `;
    caret.current = before.length;
    type(before + text.slice(area.selectionStart));
    name(null);
  };
  const submit = (to = send): void => {
    if (text.trim() !== "" && !tooLong && !busy) to(text);
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (offered.length > 0 && naming !== null) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) name({ ...naming, at: (chosen + step + offered.length) % offered.length });
      else if (event.key === "Enter" || event.key === "Tab") take(chosen);
      else if (event.key === "Escape") name(null);
      else return;
      event.preventDefault();
      return;
    }
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      submit(ask && (event.ctrlKey || event.metaKey) ? ask : send);
    } else if (event.key === "Escape") {
      event.preventDefault(); // the field is left, and not the page
      if (leave) leave();
      else field.current?.blur();
    }
  };
  return (
    <form
      class="write"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {naming !== null && offered.length > 0 && (
        <ul class="menu mentions" id={`${id}-list`} role="listbox" aria-label={w.whom}>
          {offered.map((person, i) => (
            // The field keeps the focus, so that it is no click that takes it away.
            <li key={person.userId} id={`${id}-${i}`} role="option" aria-selected={i === chosen} class="menu-item" data-highlighted={i === chosen ? "" : undefined} onMouseDown={(event) => (event.preventDefault(), take(i))}>
              <span class="cut" dir="auto">{nameOf(person)}</span>
              {person.name && <span class="quiet cut">{person.email}</span>}
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label={label}
        placeholder={label}
        aria-autocomplete="list"
        aria-controls={offered.length > 0 ? `${id}-list` : undefined}
        aria-activedescendant={offered.length > 0 ? `${id}-${chosen}` : undefined}
        aria-describedby={`${id}-hint`}
        value={text}
        readOnly={busy}
        onInput={(event) => typed(event.currentTarget)}
        onKeyDown={pressed}
        onBlur={() => name(null)}
      />
      <div class="write-foot">
        <span id={`${id}-hint`} class={tooLong ? "bad" : "quiet"}>{tooLong ? w.tooLong([...text].length, longest) : leave ? w.hintEdit : w.hint}</span>
        {leave && <button type="button" class="button" onClick={leave}>{words.cancel}</button>}
        {ask && <button type="button" class="button" title={w.askHint} disabled={text.trim() === "" || tooLong} onClick={() => submit(ask)}><Quote size={16} class="icon" /> <span>{w.ask}</span></button>}
        <button class="button primary" disabled={text.trim() === "" || tooLong || busy}><Send size={16} class="icon" /> <span>{action}</span></button>
      </div>
    </form>
  );
}
