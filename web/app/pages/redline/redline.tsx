import { Check, ChevronDown, ChevronLeft, ChevronUp, GitCompare, PenLine, Scale, X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { useQueryOf } from "../../address.js";
import { api, saying, type Schemas } from "../../data/client.js";
import { paged, useFile } from "../../data/files.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { authorOf, type Change, type Compared, comparison, type Kind, kindOf as kindOfOne, kinds, listed, redlinable, type Redlined, replacements, type Review, unseen, useRedline, useReview, wordless, wordsOfChanges } from "../../data/redline.js";
import { sentence } from "../../format.js";
import { useKeys } from "../../keys.js";
import { Help } from "../../parts/help.js";
import { usePhone } from "../../parts/phone.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { words } from "../../words.js";
import { CarryOut } from "./carry_out.js";
import { Against, CompareWith } from "./compare.js";
import { List } from "./list.js";
import { draftOf, Propose, selected, withdraw } from "./propose.js";
import { Alarms, Conflicts, type Hidden, Untracked } from "./review.js";
import { called, changesIn, placeOf, placesOf, Text } from "./text.js";
import { Downloads, Versions } from "./versions.js";

type File = Schemas["File"];

/** A file as its text with all changes: read, decided on, proposed, compared. */
export function Redline() {
  const { params } = useRoute();
  const file = useFile(params["fileId"] ?? "");
  if (file.data) return <Of key={file.data.id} file={file.data} />;
  return file.error ? <Failed error={file.error} again={() => void file.refetch()} /> : <Skeleton lines={16} />;
}

const number = (text: string | null): number | undefined => (text && /^\d+$/.test(text) ? Number(text) : undefined);

function Of({ file }: { file: File }) {
  const [query, change] = useQueryOf();
  const other = query.get("with");
  const base = number(query.get("base"));
  const version = number(query.get("version"));
  const compared = useMemo<Compared | null>(() => (other ? { base, fileId: other, version } : null), [other, base, version]);
  const redline = useRedline(file, compared);
  const asked = number(query.get("review"));
  const reviewed = !compared && asked !== undefined && asked > 1 && asked <= file.currentVersion ? asked : null;
  const review = useReview(file, reviewed);
  const [comparing, compare] = useState(false);
  useTitle(`${words.redline.title} · ${file.name}`);
  const notes = (
    <>
      {compared && <Against file={file} compared={compared} end={() => change({ with: undefined, base: undefined, version: undefined, change: undefined })} />}
      {reviewed !== null && (
        <p class="note against" role="status">
          <strong>{review.data ? words.redline.reviewing(reviewed, review.data.since.version) : review.error ? words.error.failed : words.redline.reviewWait(reviewed)}</strong>
          {review.data && <span>{[words.redline.tracked(review.data.tracked.length), words.redline.untrackedTitle(review.data.untracked.length), words.redline.carried(review.data.carried.length)].join(" · ")}</span>}
          {review.error && !review.data && <><span>{saying(review.error)}</span><button class="link" onClick={() => void review.refetch()}>{words.tryAgain}</button></>}
          {reviewed !== file.currentVersion && <span>{words.redline.reviewOld(reviewed, file.currentVersion)}</span>}
          {review.data && <button class="link" onClick={() => change({ review: undefined, change: undefined, with: file.id, base: String(review.data.since.version), version: String(reviewed) })}>{words.redline.reviewWhole}</button>}
          <button class="link" onClick={() => change({ review: undefined, change: undefined })}>{words.redline.reviewEnd}</button>
        </p>
      )}
      {redline.data?.document.source === "text" && !wordless(redline.data) && <p class="note" role="status">{words.redline.text}</p>}
    </>
  );
  return (
    <div class="document redline">
      <header class="page-head">
        <a class="bare" href={`/files/${file.id}`} aria-label={words.redline.back}><ChevronLeft size={16} class="icon" /></a>
        <h1 class="cut" title={file.name}>{file.name}</h1>
        <span class="chip">{words.document.version(base ?? file.currentVersion)}</span>
        <span class="push" />
        <button class="button" onClick={() => compare(true)}><GitCompare size={16} class="icon" /> {words.redline.compare}</button>
        {file.currentVersion > 1 && !compared && reviewed === null && (
          <button class="button" onClick={() => change({ review: String(file.currentVersion), change: undefined })}><Scale size={16} class="icon" /> {words.redline.review(file.currentVersion)}</button>
        )}
        <Versions file={file} uploaded={(n) => change({ with: undefined, base: undefined, version: undefined, change: undefined, review: String(n) })} />
        <Downloads file={file} compared={compared} />
      </header>
      {!redline.data && notes}
      {redline.data ? (
        <Body file={file} redlined={redline.data} compared={compared} review={reviewed !== null ? (review.data ?? null) : null} notes={notes} />
      ) : redline.error ? (
        <Failed error={redline.error} again={() => void redline.refetch()} />
      ) : compared || redlinable(file) ? (
        <Skeleton lines={20} />
      ) : (
        <Unread file={file} />
      )}
      <CompareWith file={file} open={comparing} close={() => compare(false)} choose={(parts) => change({ change: undefined, ...parts })} />
    </div>
  );
}

/** Why there is no text to change, and what to do about it. */
function Unread({ file }: { file: File }) {
  const ended = file.status === "failed" || file.status === "cancelled";
  return (
    <Empty title={ended ? words.document.failed : words.redline.unread}>
      {file.error && <p><strong>{sentence(file.error.message)}</strong></p>}
      <p>{file.error ? sentence(file.error.hint) : ended ? words.redline.unreadStopped : words.redline.unreadText}</p>
      <a class="button" href={`/files/${file.id}`}>{words.redline.toDocument}</a>
    </Empty>
  );
}

const add = (map: Map<string, Change[]>, key: string, change: Change): void => void map.set(key, [...(map.get(key) ?? []), change]);

/** The changes by where they are shown. */
function sorted({ passages, changes }: Redlined) {
  const marks = new Map(changes.filter(({ origin }) => origin === "document").map((change) => [change.id, change]));
  const index = new Map(passages.flatMap((passage, i) => placesOf(passage).map((place) => [place, i] as const)));
  const at = new Map(passages.flatMap((passage, i) => changesIn(passage).map((id) => [id, i] as const)).reverse());
  const [proposed, comments, replies] = [new Map<string, Change[]>(), new Map<string, Change[]>(), new Map<string, Change[]>()];
  const decisions = new Map<string, string>();
  for (const change of changes) {
    const { id, type, status, resolved, target = "", origin } = change;
    const i = resolved && index.get(placeOf(resolved.part, resolved.block));
    if (i !== undefined && !at.has(id)) at.set(id, i);
    if (origin === "proposed" && status !== "proposed") continue;
    if (type === "accept" || type === "reject") decisions.set(target, id);
    else if (type === "reply" || (type === "comment" && target !== "")) add(replies, target, change);
    else if (resolved) {
      if (type === "comment" || change.comment) add(comments, placeOf(resolved.part, resolved.block), change);
      if (origin === "proposed" && type !== "comment") for (let block = resolved.block; block <= Math.max(resolved.block, resolved.endBlock); block++) add(proposed, placeOf(resolved.part, block), change);
    }
  }
  const groups = replacements(passages, marks);
  const leads = new Map([...groups].flatMap(([lead, group]) => group.map(({ id }) => [id, lead] as const)));
  const all = listed(changes).filter(({ id }) => (leads.get(id) ?? id) === id).sort((a, b) => (at.get(a.id) ?? Infinity) - (at.get(b.id) ?? Infinity) || (a.resolved?.start ?? 0) - (b.resolved?.start ?? 0));
  return { marks, index, at, groups, leads, proposed, comments, replies, decisions, all, hidden: hiddenIn(passages), authors: [...new Set(changes.map(authorOf))] };
}

function hiddenIn(passages: Redlined["passages"]): Hidden {
  const found = new Map<string, number[]>();
  for (const { at, why } of unseen(passages)) found.set(why, [...(found.get(why) ?? []), at]);
  return [...found];
}

function Body({ file, redlined, compared, review, notes }: { file: File; redlined: Redlined; compared: Compared | null; review: Review | null; notes: ComponentChildren }) {
  const [query, address] = useQueryOf();
  const [asked, ask] = useState(1);
  const [drafted] = useState(() => draftOf(file.id));
  const may = useMay();
  const [carrying, carry] = useState(false);
  const panel = useRef<HTMLElement>(null);
  const above = useRef<HTMLDivElement>(null);
  const phone = usePhone();
  const [viewed, view] = useState<"text" | "list" | null>(null); // on a phone
  const batches = useRef<Set<string>[]>([]); // of decisions: each is taken back as a whole
  const { marks, index, at, groups, leads, proposed, comments, replies, decisions, all: whole, hidden: unread, authors } = useMemo(() => sorted(redlined), [redlined]);
  const [spot, point] = useState<number | null>(null); // a passage that is shown, whatever change is chosen
  // In a review what stood there before is no news.
  const all = useMemo(() => {
    const news = review && new Set(review.tracked.map(({ id }) => id));
    return news ? whole.filter(({ id, origin }) => origin === "proposed" || (groups.get(id)?.map((one) => one.id) ?? [id]).some((one) => news.has(one))) : whole;
  }, [whole, groups, review]);
  const kindOf = (change: Change): Kind => (groups.has(change.id) ? "replaced" : kindOfOne(change));
  const kind = kinds.find((one) => one === query.get("kind"));
  const wordsOf = useMemo(() => wordsOfChanges(redlined), [redlined]);
  const by = query.get("author");
  const off = query.getAll("without");
  const chosenId = query.get("change") ?? "";
  const current = leads.get(chosenId) ?? chosenId;
  const shown = useMemo(() => all.filter((change) => (!kind || kindOf(change) === kind) && (!by || authorOf(change) === by)), [all, groups, kind, by]);
  const chosen = shown.find(({ id }) => id === current);
  const choose = (id: string): void => {
    address({ change: id });
    point(null);
    view("text");
    ask((n) => n + 1);
  };
  const show = (passage: number): void => {
    point(passage);
    view("text");
    ask((n) => n + 1);
  };
  const move = (step: number): void => {
    const i = shown.findIndex(({ id }) => id === current);
    const next = shown[i < 0 ? (step > 0 ? 0 : shown.length - 1) : i + step];
    if (next) choose(next.id);
  };
  const decide = (some: Change[], type: "accept" | "reject"): void =>
    void attempt(async () => {
      if (compared || !may.change) return;
      // Both halves of replaced words, and both ends of a move, are one decision.
      const ids = new Set(some.flatMap((one) => [...(groups.get(one.id) ?? [one]).map(({ id }) => id), one.pair ?? []].flat()));
      const wanted = [...marks.values()].filter(({ id, status, type: what }) => ids.has(id) && what !== "comment" && status === "open");
      const n = some.filter(({ pair }, i) => !pair || !some.slice(0, i).some((one) => one.id === pair)).length;
      const made = new Set<string>();
      try {
        for (let i = 0; i < wanted.length; i += 1000) {
          const { items } = await api.createChanges({ path: { fileId: file.id }, body: { changes: wanted.slice(i, i + 1000).map(({ id }) => ({ type, target: id })) } });
          for (const { id } of items) made.add(id);
        }
      } finally {
        // Where it failed halfway, the first half can be taken back.
        if (made.size > 0) {
          batches.current.push(made);
          renew("file");
          say(words.redline.decided(n, type === "accept"), () => back(made));
        }
      }
    });
  /** Takes a batch of decisions back, once. */
  const back = (batch: Set<string> | undefined): void => {
    const ids = [...(batch ?? [])];
    batch?.clear();
    if (ids.length > 0) void attempt(() => withdraw(file.id, ids));
  };
  const drop = (change: Change): void =>
    void attempt(async () => {
      const ids = [...(groups.get(change.id) ?? [change]).map((one) => one.id), change.pair ?? []].flat().map((id) => decisions.get(id) ?? id).filter((id) => change.origin === "proposed" || !marks.has(id));
      await withdraw(file.id, ids);
      for (const batch of batches.current) for (const id of ids) batch.delete(id);
      if (change.origin !== "proposed") return;
      const { type, anchor, text, side, style, cells, format, of, settings, comment } = change;
      const again = { type: type as NonNullable<Schemas["ProposedChange"]["type"]>, ...(anchor && { anchor }), ...(text && { text }), ...(side && { side: side as "before" | "after" }), ...(style && { style }), ...(cells && { cells }), ...(format && { format }), ...(of && { of }), ...(settings && { settings }), ...(comment && { comment }) };
      say(words.redline.withdrawn, () => void attempt(async () => (await api.createChanges({ path: { fileId: file.id }, body: again }), renew("file"))));
    });
  const begin = (): void => {
    const now = selected();
    if (!compared && now) view("list");
    if (!compared && now) drafted.value = { ...now, sha256: redlined.document.sha256, now: now.text, comment: "" };
    else if (!compared) say(words.redline.editHint);
  };
  useKeys({ n: () => move(1), p: () => move(-1), j: () => move(1), k: () => move(-1), e: begin, a: () => chosen && decide([chosen], "accept"), r: () => chosen && decide([chosen], "reject"), z: () => back(batches.current.findLast(({ size }) => size > 0)) });

  const author = (change: Change): number => authors.indexOf(authorOf(change));
  const hidden = (change: Change): boolean => off.includes(authorOf(change));
  const open = compared || !may.change ? [] : shown.filter(({ origin, status, type }) => origin === "document" && status === "open" && type !== "comment");
  const toCarry = redlined.changes.filter(({ origin, status }) => origin === "proposed" && status === "proposed").length;
  const lost = redlined.changes.filter(({ status }) => status === "stale").length;
  const codes = review ? review.warnings.map((code) => (code === "untracked" && review.untracked.length === 0 ? "untracked_left" : code)) : compared ? redlined.warnings.map((code) => (code === "hidden_text" ? "hidden_compared" : code)) : file.warnings.some(({ code }) => code === "hidden_text") ? ["hidden_file"] : [];
  const place = ({ part, block }: Schemas["Resolved"]): void => {
    const i = index.get(placeOf(part, block));
    if (i !== undefined) show(i);
  };
  const shows = viewed ?? (review || codes.length > 0 ? "list" : "text"); // what to look at first comes first
  const top = (
    <>
      {notes}
      <Alarms {...{ codes, hidden: unread, show, current: spot }} left={review ? (review.left ?? []) : redlined.left} />
    </>
  );
  const buttons = (
    <>
      {!compared && <button class="bare" aria-label={words.redline.edit} title={`${words.redline.edit} (e)`} onMouseDown={(event) => event.preventDefault()} onClick={begin}><PenLine size={16} class="icon" /></button>}
      <button class="bare" aria-label={words.redline.previous} title={`${words.redline.previous} (p)`} onClick={() => move(-1)}><ChevronUp size={16} class="icon" /></button>
      <button class="bare" aria-label={words.redline.next} title={`${words.redline.next} (n)`} onClick={() => move(1)}><ChevronDown size={16} class="icon" /></button>
    </>
  );
  if (!review && wordless(redlined))
    return (
      <>
        {top}
        <Empty title={words.document.noText}>
          <p>{paged(file) ? words.redline.noWords : words.redline.noText}</p>
          <a class="button" href={`/files/${file.id}`}>{words.redline.toDocument}</a>
        </Empty>
      </>
    );
  return (
    <>
    {phone ? (
      <div class="redline-views">
        <div class="segments" role="group" aria-label={words.redline.title}>
          <button aria-pressed={shows === "text"} onClick={() => view("text")}>{words.redline.words}</button>
          <button aria-pressed={shows === "list"} onClick={() => view("list")}>{words.redline.changes(shown.length)}</button>
        </div>
        <span class="push" />
        {shows === "text" && buttons}
      </div>
    ) : (
      top
    )}
    <div class={`document-body redline-body ${phone ? `only-${shows}` : ""}`}>
      <Text {...{ passages: redlined.passages, marks, proposed, comments, replies, author, hidden, choose, asked, spot }} here={({ id }) => (leads.get(id) ?? id) === current} at={spot ?? at.get(current) ?? -1} />
      <aside class="panel" ref={panel} tabIndex={0} aria-label={words.redline.list}>
        <div ref={above}>
        {phone && top}
        {review && <Conflicts {...{ file, review }} show={place} />}
        {review && <Untracked {...{ file, review, show }} passages={redlined.passages} sha256={redlined.document.sha256} />}
        {!compared && <Propose fileId={file.id} drafted={drafted} />}
        <div class="redline-tools">
          <strong>{words.redline.changes(shown.length)}</strong>
          <Help title={words.redline.list} text={words.redline.help} request={compared ? { method: "POST", path: `/api/files/${file.id}/changes`, body: comparison(compared) } : { method: "GET", path: `/api/files/${file.id}/changes?limit=500` }} />
          <span class="push" />
          {(!phone || shows === "list") && buttons}
        </div>
        {authors.length > 0 && (
          <ul class="authors" aria-label={words.redline.authors}>
            {authors.map((name, i) => (
              <li key={name}>
                <label class="check">
                  <input type="checkbox" checked={!off.includes(name)} aria-label={words.redline.show(called(name))} onChange={() => address({ without: off.includes(name) ? off.filter((one) => one !== name) : [...off, name] })} />
                  <ins class={`changed inserted author-${i % 6}`}>{called(name)}</ins>
                </label>
              </li>
            ))}
          </ul>
        )}
        {all.length > 0 && (
          <div class="redline-tools">
            <select aria-label={words.redline.kindFilter} value={kind ?? ""} onChange={(event) => address({ kind: event.currentTarget.value })}>
              <option value="">{words.redline.kindFilter}: {words.redline.all}</option>
              {kinds.map((one) => <option key={one} value={one}>{words.redline.kinds[one]}</option>)}
            </select>
            <select aria-label={words.redline.authorFilter} value={by ?? ""} onChange={(event) => address({ author: event.currentTarget.value })}>
              <option value="">{words.redline.authorFilter}: {words.redline.all}</option>
              {authors.map((name) => <option key={name} value={name}>{called(name)}</option>)}
            </select>
          </div>
        )}
        {open.length > 0 && (
          <div class="redline-tools">
            <button class="button" onClick={() => decide(open, "accept")}><Check size={14} class="icon" /> {words.redline.acceptAll(open.length)}</button>
            <button class="button" onClick={() => decide(open, "reject")}><X size={14} class="icon" /> {words.redline.rejectAll(open.length)}</button>
          </div>
        )}
        {lost > 0 && !compared && !review && (
          <p class="note">{words.redline.failedOnes(lost)} {file.currentVersion > 1 && <button class="link" onClick={() => address({ review: String(file.currentVersion) })}>{words.redline.failedDecide}</button>}</p>
        )}
        </div>
        {all.length === 0 ? (
          <Empty title={compared ? words.redline.equal : words.redline.none}>{!compared && <p>{words.redline.noneText}</p>}</Empty>
        ) : shown.length === 0 ? (
          <p class="menu-label">{words.redline.nothing}</p>
        ) : (
          <List {...{ scroller: panel, above, shown, current, choose, author, asked, groups, kindOf, wordsOf }} act={compared || !may.change ? null : { decide, drop }} />
        )}
        {toCarry > 0 && !compared && may.change && redlined.document.source === "docx" && (
          <div class="redline-tools foot"><button class="button primary" onClick={() => carry(true)}>{words.redline.carryOut(toCarry)}</button></div>
        )}
      </aside>
      <CarryOut file={file} n={toCarry} open={carrying} close={() => carry(false)} />
    </div>
    </>
  );
}
