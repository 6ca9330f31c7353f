import { useEffect, useRef, useState } from "preact/hooks";
import { api, ClausemillError, saying } from "../../data/client.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { Kept, useStore } from "../../data/store.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";

/** Words that were selected: their place, and what they are. */
interface Selected {
  part: string;
  block: number;
  start: number;
  end: number;
  text: string;
}

/** What somebody types for selected words of a document. */
interface Draft extends Selected {
  sha256: string;
  now: string;
  comment: string;
}

/** The draft of a file. It stays in the browser until it is sent; only the form is rendered when it changes. */
export const draftOf = (fileId: string): Kept<Draft | null> => new Kept<Draft | null>(`clausemill-draft-${fileId}`, null);

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

/** A form for other words in place of those that were selected. Viewers may comment on them. */
export function Propose({ fileId, drafted }: { fileId: string; drafted: Kept<Draft | null> }) {
  const draft = useStore(drafted);
  return draft && <Form key={`${draft.part} ${draft.block} ${draft.start} ${draft.end}`} fileId={fileId} draft={draft} edit={(next) => (drafted.value = next)} />;
}

function Form({ fileId, draft, edit }: { fileId: string; draft: Draft; edit: (draft: Draft | null) => void }) {
  const may = useMay();
  const [sending, send] = useState(false);
  const [failed, fail] = useState<unknown>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const propose = async (type: "replace" | "delete" | "comment"): Promise<void> => {
    send(true);
    fail(null);
    try {
      const { part, block, start, end, sha256, text, now, comment } = draft;
      // With the text itself the place is found again in a later version, and refused where other words are there.
      const anchor = { part, block, start, end, docSha256: sha256, ...(!text.includes("\u25A1") && !text.includes("\n") && { text }) };
      const body = type === "comment" ? { type, anchor, text: comment } : { type, anchor, ...(type === "replace" && { text: now }), ...(comment !== "" && { comment }) };
      const { items } = await api.createChanges({ path: { fileId }, body });
      edit(null);
      renew("file");
      say(words.redline.proposedOne, may.change ? () => void attempt(() => withdraw(fileId, items.map(({ id }) => id))) : undefined);
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
      {may.change && <label>{words.redline.newWords}<textarea ref={field} rows={4} value={now} onInput={(event) => edit({ ...draft, now: event.currentTarget.value })} /></label>}
      <label>{words.redline.comment}<textarea ref={may.change ? null : field} rows={2} value={comment} onInput={(event) => edit({ ...draft, comment: event.currentTarget.value })} /></label>
      {failed !== null && (
        <div class="note bad" role="alert">
          <strong>{saying(failed)}</strong>
          {failed instanceof ClausemillError && failed.details.map(({ location, message }) => <span key={location}>{words.redline.likeliest}: {message}</span>)}
          <span>{words.redline.kept}</span>
        </div>
      )}
      <div class="propose-buttons">
        <button class="button primary" disabled={sending || (now === text && comment === "")}>{!may.change || (now === text && comment !== "") ? words.redline.commentOnly : words.redline.propose}</button>
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
