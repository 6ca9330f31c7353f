import { MessageSquare, MoveRight, Pilcrow } from "lucide-preact";
import { useEffect, useRef } from "preact/hooks";
import { authorOf, type Change, kindOf, type Passage, type Piece, pieces, textOf } from "../../data/redline.js";
import { at as moment } from "../../format.js";
import { useVirtual } from "../../parts/virtual.js";
import { properties, words } from "../../words.js";

/** What the text is shown with. */
export interface View {
  marks: Map<string, Change>;
  /** Proposed changes by the place of their paragraph. */
  proposed: Map<string, Change[]>;
  comments: Map<string, Change[]>;
  replies: Map<string, Change[]>;
  author: (change: Change) => number;
  hidden: (change: Change) => boolean;
  /** Whether a change is the chosen one, or part of it. */
  here: (change: Change) => boolean;
  choose: (id: string) => void;
}

export const placeOf = (part: string, block: number): string => `${part} ${block}`;

/** The document with its changes. Of a long one only what is in sight is in the page. */
export function Text({ passages, at, asked, spot, ...view }: View & { passages: Passage[]; at: number; asked: number; spot: number | null }) {
  const scroller = useRef<HTMLDivElement>(null);
  const { items, height, virtualizer } = useVirtual({ count: passages.length, size: (i) => guess(passages[i]!), scroller, overscan: 8 });
  useEffect(() => {
    if (at >= 0) virtualizer.scrollToIndex(at, { align: "center" });
  }, [asked]);
  return (
    <section class="pages text redline-text" ref={scroller} tabIndex={0} aria-label={words.redline.title}>
      <div class="tall sheet redline-sheet" style={{ height: `${height}px` }}>
        {items.map(({ index, start }) => {
          const passage = passages[index];
          return (
            passage && (
              <div key={index} data-index={index} ref={(element) => virtualizer.measureElement(element)} class={index === spot ? "block spot" : "block"} style={{ transform: `translateY(${start}px)` }}>
                <Part passage={passage} before={passages[index - 1]} />
                <Shown passage={passage} view={view} margin />
              </div>
            )
          );
        })}
      </div>
    </section>
  );
}

const guess = (passage: Passage): number => (passage.rows ? 40 * passage.rows.length : 28 + Math.ceil(textOf(passage).length / 85) * 24);

/** The name of a header or note, where one begins. */
function Part({ passage, before }: { passage: Passage; before: Passage | undefined }) {
  const [name = "", n = ""] = passage.part.split(":");
  if (name === "body" || before?.part === passage.part) return null;
  return <h2 class="part">{words.redline.parts[name] ?? name} {n}</h2>;
}

function Shown({ passage, view, margin = false }: { passage: Passage; view: View; margin?: boolean }) {
  if (passage.rows) {
    const row = placesOf(passage).flatMap((place) => view.comments.get(place) ?? []);
    return (
      <div class="beside-comments">
        <table>
          <tbody>
            {passage.rows.map((row, i) => {
              const changes = (row.changes ?? []).flatMap((id) => view.marks.get(id) ?? []);
              const inRow = row.cells.flatMap(({ passages }) => passages).flatMap(({ part, block }) => view.proposed.get(placeOf(part, block)) ?? []);
              const gone = inRow.find(({ type }) => type === "deleteRow");
              const added = inRow.filter(({ type }) => type === "insertRow");
              const put = (side: string) => added.filter((change) => (change.side ?? "after") === side).map((change) => <NewRow key={change.id} change={change} view={view} />);
              return (
                <>
                  {put("before")}
                  <tr key={i} class={[...changes, ...(gone ? [gone] : [])].map((change) => looks(change, view)).join(" ")}>
                    {row.cells.map((cell, j) => (
                      <td key={j} colSpan={cell.span ?? 1}>{cell.passages.map((one) => <Shown key={one.block} passage={one} view={view} />)}</td>
                    ))}
                  </tr>
                  {put("after")}
                </>
              );
            })}
          </tbody>
        </table>
        {margin && row.length > 0 && <Comments all={row} view={view} />}
      </div>
    );
  }
  const place = placeOf(passage.part, passage.block);
  const proposals = (view.proposed.get(place) ?? []).filter((change) => !view.hidden(change));
  const inserted = (side: string) =>
    proposals
      .filter(({ type, side: of }) => type === "insertParagraph" && (of ?? "after") === side)
      .map((change) => <p key={change.id}><Changed piece={{ text: change.text ?? "", changes: [change], inserted: true, deleted: false, look: {} }} view={view} /></p>);
  const own = [...(passage.changes ?? []).flatMap((id) => view.marks.get(id) ?? []), ...proposals.filter(({ type, resolved }) => type === "deleteParagraph" && resolved)].filter((change) => !view.hidden(change));
  const comments = view.comments.get(place) ?? [];
  const Tag = passage.heading ? "h3" : "p";
  return (
    <div class={margin ? "beside-comments" : undefined}>
      <div>
        {inserted("before")}
        <Tag class={passage.heading ? `heading level-${Math.min(passage.heading, 4)}` : "words-of"} data-part={passage.part} data-block={passage.block}>
          {passage.number && <span class="list-number">{passage.number} </span>}
          {pieces(passage, proposals, view.marks).map((piece, i) => <Changed key={i} piece={piece} view={view} />)}
          {own.map((change) => (
            <button key={change.id} data-change={change.id} class={`mark-of ${looks(change, view)}`} title={told(change)} aria-label={told(change)} onClick={() => view.choose(change.id)}>
              <Pilcrow size={12} class="icon" />
            </button>
          ))}
        </Tag>
        {inserted("after")}
      </div>
      {margin && comments.length > 0 && <Comments all={comments} view={view} />}
      {!margin && comments.length > 0 && <small class="quiet"><MessageSquare size={12} class="icon" /> {comments.length}</small>}
    </div>
  );
}

function NewRow({ change, view }: { change: Change; view: View }) {
  return (
    <tr>
      {(change.cells ?? []).map((text, i) => (
        <td key={i}><Changed piece={{ text, changes: [change], inserted: true, deleted: false, look: {} }} view={view} /></td>
      ))}
    </tr>
  );
}

/** The places of the paragraphs in a passage. */
export function placesOf({ part, block, rows }: Passage): string[] {
  return rows ? rows.flatMap(({ cells }) => cells.flatMap(({ passages }) => passages.flatMap(placesOf))) : [placeOf(part, block)];
}

/** The ids of the tracked changes in a passage. */
export function changesIn({ changes = [], runs = [], rows = [] }: Passage): string[] {
  return [
    ...changes,
    ...runs.flatMap((run) => run.changes ?? []),
    ...rows.flatMap((row) => [...(row.changes ?? []), ...row.cells.flatMap((cell) => [...(cell.changes ?? []), ...cell.passages.flatMap(changesIn)])]),
  ];
}

/** An author in words. */
export const called = (author: string): string => (author === "-" ? words.redline.unnamed : author);

/** A change in words: what, by whom, when. */
export function told(change: Change): string {
  const names = (change.properties ?? []).map((name) => properties[name] ?? name);
  const what = names.length > 0 ? words.redline.properties([...new Set(names)].join(", ")) : words.redline.kinds[kindOf(change)];
  const on = words.redline.on[change.on ?? ""];
  return [on ? `${what}: ${on}` : what, called(authorOf(change)), change.date && moment(change.date)].filter(Boolean).join(" · ");
}

const looks = (change: Change, { author, here, hidden }: View): string =>
  hidden(change) ? "" : `changed ${kindOf(change)} author-${author(change) % 6} ${change.status}${here(change) ? " here" : ""}`;

function Changed({ piece, view }: { piece: Piece; view: View }) {
  const shown = piece.changes.filter((change) => !view.hidden(change));
  const hidden = piece.changes.length > shown.length;
  if (hidden && shown.length === 0 && piece.deleted) return null; // as it reads with that author's changes in
  const { bold, italic, underline, strike, hidden: why } = piece.look;
  const look = [bold && "bold", italic && "italic", underline && "underlined", strike && "struck", why && "unread"].filter(Boolean).join(" ");
  const unread = why && words.redline.hiddenMark(words.redline.hiddenWhy[why] ?? why);
  const text = piece.text.replaceAll("\v", "\n").replaceAll("\f", "\n").replaceAll("\uFFFC", "\u25A1");
  const change = shown.at(-1);
  if (!change) return <span class={look} data-start={piece.start} title={unread}>{text}</span>;
  const Tag = piece.deleted ? "del" : piece.inserted ? "ins" : "span";
  return (
    <Tag class={`${look} ${looks(change, view)}`} data-change={change.id} data-start={piece.start} title={[...shown.map(told), unread ?? []].flat().join("\n")} onClick={() => getSelection()?.isCollapsed !== false && view.choose(change.id)}>
      {text}
      {change.pair && (
        <button class="bare small" aria-label={change.type === "moveFrom" ? words.redline.moveFrom : words.redline.moveTo} title={change.type === "moveFrom" ? words.redline.moveFrom : words.redline.moveTo} onClick={(event) => (event.stopPropagation(), view.choose(change.pair!))}>
          <MoveRight size={12} class="icon" />
        </button>
      )}
    </Tag>
  );
}

/** Comments beside their paragraph, each with its replies. */
function Comments({ all, view }: { all: Change[]; view: View }) {
  return (
    <ul class="margin">
      {all.filter((comment) => !view.hidden(comment)).map((comment) => (
        <li key={comment.id} class={`author-${view.author(comment) % 6}${view.here(comment) ? " here" : ""}${comment.done ? " done" : ""}`}>
          {[comment, ...(view.replies.get(comment.id) ?? [])].map((one) => (
            <div key={one.id} class={one === comment ? "" : "reply"}>
              <small><strong>{called(authorOf(one))}</strong> {one.date && <span class="quiet">{moment(one.date)}</span>}</small>
              <div>{one.origin === "proposed" && one.comment ? one.comment : one.text}</div>
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}
