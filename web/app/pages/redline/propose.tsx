import { useEffect, useRef, useState } from "preact/hooks";
import { api, ClausemillError, saying } from "../../data/client.js";
import { renew } from "../../data/live.js";
import { say } from "../../parts/toasts.js";
import { words } from "../../words.js";

/** Words that were selected: their place, and what they are. */
export interface Selected {
  part: string;
  block: number;
  start: number;
  end: number;
  text: string;
}

/** What somebody types for selected words. It stays in the browser until it is sent. */
export interface Draft extends Selected {
  now: string;
  comment: string;
}

const key = (fileId: string): string => `clausemill-draft-${fileId}`;

export function kept(fileId: string): Draft | null {
  return JSON.parse(sessionStorage.getItem(key(fileId)) ?? "null") as Draft | null;
}

export function keep(fileId: string, draft: Draft | null): void {
  if (draft) sessionStorage.setItem(key(fileId), JSON.stringify(draft));
  else sessionStorage.removeItem(key(fileId));
}

/** The words of one paragraph that are selected now, in the document's own text. */
export function selected(): Selected | null {
  const chosen = getSelection();
  if (!chosen || chosen.isCollapsed || chosen.rangeCount === 0) return null;
  const range = chosen.getRangeAt(0);
  const node = range.startContainer;
  const paragraph = (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>("[data-block]");
  if (!paragraph) return null;
  let text = "";
  let start = -1;
  let end = -1;
  for (const piece of paragraph.querySelectorAll<HTMLElement>("[data-start]")) {
    if (!range.intersectsNode(piece) || !(piece.firstChild instanceof globalThis.Text)) continue;
    const content = piece.firstChild.data;
    const from = range.startContainer === piece.firstChild ? range.startOffset : 0;
    const to = range.endContainer === piece.firstChild ? range.endOffset : content.length;
    if (from >= to) continue;
    const at = Number(piece.dataset["start"]);
    if (start < 0) start = at + [...content.slice(0, from)].length;
    end = at + [...content.slice(0, to)].length;
    text += content.slice(from, to);
  }
  return start < 0 ? null : { part: paragraph.dataset["part"] ?? "body", block: Number(paragraph.dataset["block"]), start, end, text };
}

/** A form for other words in place of those that were selected. */
export function Propose({ fileId, sha256, draft, edit }: { fileId: string; sha256: string; draft: Draft; edit: (draft: Draft | null) => void }) {
  const [sending, send] = useState(false);
  const [failed, fail] = useState<unknown>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), [draft.part, draft.block, draft.start, draft.end]);
  const propose = async (type: "replace" | "delete" | "comment"): Promise<void> => {
    send(true);
    fail(null);
    try {
      const { part, block, start, end, text, now, comment } = draft;
      // With the text itself the place is found again in a later version, and refused where other words are there.
      const anchor = { part, block, start, end, docSha256: sha256, ...(!text.includes("\u25A1") && !text.includes("\n") && { text }) };
      const body = type === "comment" ? { type, anchor, text: comment } : { type, anchor, ...(type === "replace" && { text: now }), ...(comment !== "" && { comment }) };
      const { items } = await api.createChanges({ path: { fileId }, body });
      edit(null);
      renew("file");
      say(words.redline.proposedOne, () => void withdraw(fileId, items.map(({ id }) => id)));
    } catch (error) {
      fail(error);
    }
    send(false);
  };
  const { now, text, comment } = draft;
  return (
    <form class="propose" aria-label={words.redline.editing} onSubmit={(event) => (event.preventDefault(), void propose(now === "" ? "delete" : now === text ? "comment" : "replace"))} onKeyDown={(event) => event.key === "Escape" && edit(null)}>
      <h2>{words.redline.editing}</h2>
      <blockquote class="quote">{text}</blockquote>
      <label>{words.redline.newWords}<textarea ref={field} rows={4} value={now} onInput={(event) => edit({ ...draft, now: event.currentTarget.value })} /></label>
      <label>{words.redline.comment}<textarea rows={2} value={comment} onInput={(event) => edit({ ...draft, comment: event.currentTarget.value })} /></label>
      {failed !== null && (
        <div class="note bad" role="alert">
          <strong>{saying(failed)}</strong>
          {failed instanceof ClausemillError && failed.details.map(({ location, message }) => <span key={location}>{words.redline.likeliest}: {message}</span>)}
          <span>{words.redline.kept}</span>
        </div>
      )}
      <div class="propose-buttons">
        <button class="button primary" disabled={sending || (now === text && comment === "")}>{now === text && comment !== "" ? words.redline.commentOnly : words.redline.propose}</button>
        <button type="button" class="button" onClick={() => edit(null)}>{words.cancel}</button>
      </div>
    </form>
  );
}

/** Takes proposals and decisions back. */
export async function withdraw(fileId: string, ids: string[]): Promise<void> {
  try {
    for (let i = 0; i < ids.length; i += 1000) await api.createChanges({ path: { fileId }, body: { changes: ids.slice(i, i + 1000).map((target) => ({ type: "withdraw", target })) } });
  } finally {
    renew("file");
  }
}
