import { Check, ChevronDown, ChevronLeft, ChevronUp, GitCompare, PenLine, X } from "lucide-preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { useQueryOf } from "../../address.js";
import { api, type Schemas } from "../../data/client.js";
import { useFile } from "../../data/files.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { authorOf, type Change, type Compared, comparison, kindOf, kinds, listed, redlinable, type Redlined, useRedline } from "../../data/redline.js";
import { useKeys } from "../../keys.js";
import { Help } from "../../parts/help.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { words } from "../../words.js";
import { CarryOut } from "./carry_out.js";
import { Against, CompareWith } from "./compare.js";
import { List } from "./list.js";
import { draftOf, Propose, selected, withdraw } from "./propose.js";
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
  const [comparing, compare] = useState(false);
  useTitle(`${words.redline.title} · ${file.name}`);
  return (
    <div class="document redline">
      <header class="page-head">
        <a class="bare" href={`/files/${file.id}`} aria-label={words.redline.back}><ChevronLeft size={16} class="icon" /></a>
        <h1 class="cut" title={file.name}>{file.name}</h1>
        <span class="chip">{words.document.version(base ?? file.currentVersion)}</span>
        <span class="push" />
        <button class="button" onClick={() => compare(true)}><GitCompare size={16} class="icon" /> {words.redline.compare}</button>
        <Versions file={file} />
        <Downloads file={file} />
      </header>
      {compared && <Against file={file} compared={compared} end={() => change({ with: undefined, base: undefined, version: undefined, change: undefined })} />}
      {redline.data?.document.source === "text" && <p class="note" role="status">{words.redline.text}</p>}
      {redline.data && redline.data.left.length > 0 && (
        <details class="note">
          <summary>{words.redline.left}: {redline.data.left.length.toLocaleString()}</summary>
          <ul>{redline.data.left.map((line, i) => <li key={i}>{line}</li>)}</ul>
        </details>
      )}
      {redline.data ? (
        <Body file={file} redlined={redline.data} compared={compared} />
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
      <p>{file.error ? `${file.error.message} ${file.error.hint}` : ended ? words.redline.unreadStopped : words.redline.unreadText}</p>
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
  const all = listed(changes).sort((a, b) => (at.get(a.id) ?? Infinity) - (at.get(b.id) ?? Infinity) || (a.resolved?.start ?? 0) - (b.resolved?.start ?? 0));
  return { marks, at, proposed, comments, replies, decisions, all, authors: [...new Set(changes.map(authorOf))] };
}

function Body({ file, redlined, compared }: { file: File; redlined: Redlined; compared: Compared | null }) {
  const [query, address] = useQueryOf();
  const [asked, ask] = useState(1);
  const [drafted] = useState(() => draftOf(file.id));
  const may = useMay();
  const [carrying, carry] = useState(false);
  const batches = useRef<Set<string>[]>([]); // of decisions: each is taken back as a whole
  const { marks, at, proposed, comments, replies, decisions, all, authors } = useMemo(() => sorted(redlined), [redlined]);
  const kind = kinds.find((one) => one === query.get("kind"));
  const by = query.get("author");
  const off = query.getAll("without");
  const current = query.get("change") ?? "";
  const shown = useMemo(() => all.filter((change) => (!kind || kindOf(change) === kind) && (!by || authorOf(change) === by)), [all, kind, by]);
  const chosen = shown.find(({ id }) => id === current);
  const choose = (id: string): void => {
    address({ change: id });
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
      const wanted = some.filter(({ origin, status, type: what }) => origin === "document" && what !== "comment" && status === "open");
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
          say(words.redline.decided(made.size, type === "accept"), () => back(made));
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
      const id = decisions.get(change.id) ?? change.id;
      await withdraw(file.id, [id]);
      for (const batch of batches.current) batch.delete(id);
      if (change.origin !== "proposed") return;
      const { type, anchor, text, side, style, cells, format, of, settings, comment } = change;
      const again = { type: type as NonNullable<Schemas["ProposedChange"]["type"]>, ...(anchor && { anchor }), ...(text && { text }), ...(side && { side: side as "before" | "after" }), ...(style && { style }), ...(cells && { cells }), ...(format && { format }), ...(of && { of }), ...(settings && { settings }), ...(comment && { comment }) };
      say(words.redline.withdrawn, () => void attempt(async () => (await api.createChanges({ path: { fileId: file.id }, body: again }), renew("file"))));
    });
  const begin = (): void => {
    const now = selected();
    if (!compared && now) drafted.value = { ...now, sha256: redlined.document.sha256, now: now.text, comment: "" };
    else if (!compared) say(words.redline.editHint);
  };
  useKeys({ n: () => move(1), p: () => move(-1), j: () => move(1), k: () => move(-1), e: begin, a: () => chosen && decide([chosen], "accept"), r: () => chosen && decide([chosen], "reject"), z: () => back(batches.current.findLast(({ size }) => size > 0)) });

  const author = (change: Change): number => authors.indexOf(authorOf(change));
  const hidden = (change: Change): boolean => off.includes(authorOf(change));
  const open = compared || !may.change ? [] : shown.filter(({ origin, status, type }) => origin === "document" && status === "open" && type !== "comment");
  const toCarry = redlined.changes.filter(({ origin, status }) => origin === "proposed" && status === "proposed").length;
  const lost = redlined.changes.filter(({ status }) => status === "stale").length;
  return (
    <div class="document-body redline-body">
      <Text {...{ passages: redlined.passages, marks, proposed, comments, replies, author, hidden, current, choose, asked }} at={at.get(current) ?? -1} />
      <aside class="panel" aria-label={words.redline.list}>
        {!compared && <Propose fileId={file.id} drafted={drafted} />}
        <div class="redline-tools">
          <strong>{words.redline.changes(shown.length)}</strong>
          <Help title={words.redline.list} text={words.redline.help} request={compared ? { method: "POST", path: `/api/files/${file.id}/changes`, body: comparison(compared) } : { method: "GET", path: `/api/files/${file.id}/changes?limit=500` }} />
          <span class="push" />
          {!compared && <button class="bare" aria-label={words.redline.edit} title={`${words.redline.edit} (e)`} onMouseDown={(event) => event.preventDefault()} onClick={begin}><PenLine size={16} class="icon" /></button>}
          <button class="bare" aria-label={words.redline.previous} title={`${words.redline.previous} (p)`} onClick={() => move(-1)}><ChevronUp size={16} class="icon" /></button>
          <button class="bare" aria-label={words.redline.next} title={`${words.redline.next} (n)`} onClick={() => move(1)}><ChevronDown size={16} class="icon" /></button>
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
        {open.length > 0 && (
          <div class="redline-tools">
            <button class="button" onClick={() => decide(open, "accept")}><Check size={14} class="icon" /> {words.redline.acceptAll(open.length)}</button>
            <button class="button" onClick={() => decide(open, "reject")}><X size={14} class="icon" /> {words.redline.rejectAll(open.length)}</button>
          </div>
        )}
        {lost > 0 && <p class="note">{words.redline.failedOnes(lost)}</p>}
        {all.length === 0 ? (
          <Empty title={compared ? words.redline.equal : words.redline.none}>{!compared && <p>{words.redline.noneText}</p>}</Empty>
        ) : shown.length === 0 ? (
          <p class="menu-label">{words.redline.nothing}</p>
        ) : (
          <List {...{ shown, current, choose, author, asked }} act={compared || !may.change ? null : { decide, drop }} />
        )}
        {toCarry > 0 && !compared && may.change && redlined.document.source === "docx" && (
          <div class="redline-tools foot"><button class="button primary" onClick={() => carry(true)}>{words.redline.carryOut(toCarry)}</button></div>
        )}
      </aside>
      <CarryOut file={file} n={toCarry} open={carrying} close={() => carry(false)} />
    </div>
  );
}
