import { useQuery } from "@tanstack/preact-query";
import { api, cache, type Schemas } from "./client.js";

export type Change = Schemas["Change"];
export type Passage = Schemas["Passage"];
type Run = Schemas["PassageRun"];

/** A document with its changes, as the page shows it. */
export interface Redlined {
  passages: Passage[];
  changes: Change[];
  document: Schemas["ChangedSource"];
  /** Only of a comparison: what changes cannot express. */
  left: string[];
  /** Codes of what a reader should look at first. */
  warnings: string[];
}

/** What a document is compared with: a file, at a version. */
export interface Compared {
  base: number | undefined;
  fileId: string;
  version: number | undefined;
}

async function read(fileId: string, before: Redlined | undefined, signal: AbortSignal): Promise<Redlined> {
  // A new version has all of a file fetched again, maybe before it is read. Until then the changes of the one before stay.
  if (before && !redlinable(await api.getFile({ path: { fileId }, signal }))) return before;
  const first = await api.listChanges({ path: { fileId }, query: { passages: true, limit: 500 }, signal });
  const changes = [...first.items];
  for (let cursor = first.nextCursor; cursor; ) {
    const page = await api.listChanges({ path: { fileId }, query: { limit: 500, cursor }, signal });
    changes.push(...page.items);
    cursor = page.nextCursor;
  }
  return { passages: first.passages ?? [], changes, document: first.document, left: [], warnings: [] };
}

/** The request that compares, and stores nothing. */
export const comparison = ({ base, fileId: compareTo, version }: Compared) => ({ compareTo, preview: true, ...(base !== undefined && { version: base }), ...(version !== undefined && { compareToVersion: version }) });

async function compare(fileId: string, compared: Compared, signal: AbortSignal): Promise<Redlined> {
  const { base } = compared;
  const [of, found] = await Promise.all([
    api.listChanges({ path: { fileId }, query: { passages: true, limit: 1, ...(base !== undefined && { version: base }) }, signal }),
    api.createChanges({ path: { fileId }, body: comparison(compared), signal }),
  ]);
  const pairs = new Map((found.moves ?? []).flatMap(([from, to]) => (from && to ? [[from, to], [to, from]] as const : [])));
  const changes = found.items.map((change) => ({ ...change, ...(pairs.has(change.id) && { pair: pairs.get(change.id)! }) }));
  return { passages: of.passages ?? [], changes, document: of.document, left: found.left ?? [], warnings: found.warnings ?? [] };
}

export const useRedline = (file: Schemas["File"], compared: Compared | null) =>
  useQuery({
    queryKey: ["file", file.id, "redline", file.currentVersion, compared],
    queryFn: ({ queryKey, signal }) => (compared ? compare(file.id, compared, signal) : read(file.id, cache.getQueryData(queryKey), signal)),
    // While a new version is read the old one stays; the text of another comparison would be told as this one's.
    placeholderData: (before, query) => (query?.queryKey[1] === file.id && JSON.stringify(query.queryKey[4]) === JSON.stringify(compared) ? before : undefined),
    enabled: compared !== null || redlinable(file),
  });

export type Review = Schemas["VersionReview"];

/** What a version does to the one before, and to what was proposed for that. */
export const useReview = (file: Schemas["File"], n: number | null) =>
  useQuery({
    // Open proposals are carried over once the version is read.
    queryKey: ["file", file.id, "review", n, file.textVersion],
    queryFn: ({ signal }) => api.reviewFileVersion({ path: { fileId: file.id, n: n! }, signal }),
    placeholderData: (before, query) => (query?.queryKey[1] === file.id && query.queryKey[3] === n ? before : undefined),
    enabled: n !== null && file.textReady && (file.textVersion ?? 0) >= n,
  });

/** Whether there is a text of the current version to change: a Word document has one even if reading it failed. Before it is read, nobody knows that it is one. */
export const redlinable = (file: Schemas["File"]): boolean =>
  file.textVersion === file.currentVersion || ((file.status === "failed" || file.status === "cancelled") && file.contentType.includes("wordprocessingml"));

/** Who made a change, as the address has it: "-" where the document does not say. */
export const authorOf = ({ author: { name } }: Change): string => name.trim() || "-";

/** What a change does to what is read. */
export type Kind = "inserted" | "deleted" | "replaced" | "moved" | "formatted" | "comment" | "other";
export const kinds: Kind[] = ["inserted", "deleted", "replaced", "moved", "formatted", "comment", "other"];

export function kindOf(change: Change): Kind {
  if (change.pair || change.type === "moveFrom" || change.type === "moveTo") return "moved";
  if (change.type === "replace" || change.type === "rewrite") return "replaced";
  if (["ins", "insert", "insertParagraph", "insertRow", "cellIns"].includes(change.type)) return "inserted";
  if (["del", "delete", "deleteParagraph", "deleteRow", "cellDel"].includes(change.type)) return "deleted";
  if (change.on === "properties" || change.type === "format" || change.type === "properties") return "formatted";
  return change.type === "comment" || change.type === "reply" ? "comment" : "other";
}

/** Changes that the page lists: the open ones, without decisions on others. */
export const listed = (changes: Change[]): Change[] =>
  changes.filter(({ origin, status, type }) => (origin === "document" || status === "proposed" || status === "stale") && type !== "accept" && type !== "reject" && type !== "reply");

/** Words of one author that are struck and put in side by side are replaced: one decision, known by the first of them. */
export function replacements(passages: Passage[], marks: Map<string, Change>): Map<string, Change[]> {
  const groups = new Map<string, Change[]>();
  const taken = new Set<string>();
  const close = (group: Change[]): void => {
    if (group.some(({ type }) => type === "ins") && group.some(({ type }) => type === "del")) groups.set(group[0]!.id, group);
  };
  const walk = ({ runs = [], rows = [] }: Passage): void => {
    let group: Change[] = [];
    for (const { changes = [] } of runs) {
      const change = changes.map((id) => marks.get(id)).find((one) => one && (one.type === "ins" || one.type === "del"));
      const only = changes.length === 1 && change && !change.pair ? change : undefined;
      if (only && group.at(-1) === only) continue;
      if (!only || taken.has(only.id) || (group[0] && authorOf(group[0]) !== authorOf(only))) {
        close(group);
        group = [];
      }
      if (only && !taken.has(only.id)) {
        taken.add(only.id);
        group.push(only);
      }
    }
    close(group);
    for (const { cells } of rows) for (const { passages: inner } of cells) inner.forEach(walk);
  };
  passages.forEach(walk);
  return groups;
}

const whole = ({ runs = [], rows = [] }: Passage): string => (rows.length > 0 ? rows.flatMap(({ cells }) => cells.flatMap(({ passages }) => passages.map(whole))).join(" ") : runs.map(({ text }) => text).join(""));

/** Whether a document has no word, and nothing is done about it. */
export const wordless = ({ passages, changes }: Redlined): boolean => changes.length === 0 && passages.every((passage) => whole(passage).trim() === "");

/** The words that changes are on, by their ids: also those of a format, a row or the end of a paragraph, which have none themselves, and of a paragraph that gets a new text. */
export function wordsOfChanges({ passages, changes }: Redlined): Map<string, string> {
  const found = new Map<string, string>();
  const texts = new Map<string, string>();
  const add = (ids: string[] = [], text: string): void => ids.forEach((id) => found.set(id, (found.get(id) ?? "") + text));
  const walk = (passage: Passage): void => {
    texts.set(`${passage.part} ${passage.block}`, textOf(passage));
    add(passage.changes, whole(passage));
    for (const { changes, text } of passage.runs ?? []) add(changes, text);
    for (const row of passage.rows ?? []) {
      add(row.changes, row.cells.flatMap(({ passages }) => passages.map(whole)).join(" "));
      for (const cell of row.cells) {
        add(cell.changes, cell.passages.map(whole).join(" "));
        cell.passages.forEach(walk);
      }
    }
  };
  passages.forEach(walk);
  for (const { id, type, resolved: at } of changes) if (at && type === "rewrite") found.set(id, texts.get(`${at.part} ${at.block}`) ?? "");
  return found;
}

/** Where text is that a reader may not see, and why. */
export function unseen(passages: Passage[]): { at: number; why: Schemas["HiddenWhy"] }[] {
  const found: { at: number; why: Schemas["HiddenWhy"] }[] = [];
  const walk = ({ runs = [], rows = [] }: Passage, at: number): void => {
    for (const { hidden: why } of runs) if (why && !found.some((one) => one.at === at && one.why === why)) found.push({ at, why });
    for (const { cells } of rows) for (const { passages: inner } of cells) for (const one of inner) walk(one, at);
  };
  passages.forEach(walk);
  return found;
}

/** A piece of a paragraph: text of the document, or text that a proposed change puts in. */
export interface Piece {
  text: string;
  /** Its place among the code points of the paragraph; none where it is not the document's own text as it reads. */
  start?: number;
  changes: Change[];
  inserted: boolean;
  deleted: boolean;
  look: Pick<Run, "bold" | "italic" | "underline" | "strike" | "hidden">;
}

interface Hunk {
  start: number;
  end: number;
  text: string;
  change: Change;
}

const tokens = (text: string): string[] => text.match(/[\p{L}\p{N}]+|\s+|[^\p{L}\p{N}\s]/gu) ?? [];
const length = (text: string): number => [...text].length;

/** The words that differ between two texts, at their places in the old one. */
export function differences(old: string, now: string, at: number): Omit<Hunk, "change">[] {
  const [a, b] = [tokens(old), tokens(now)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const x = a.slice(head, a.length - tail);
  const y = b.slice(head, b.length - tail);
  let start = at + length(a.slice(0, head).join(""));
  if (x.length * y.length > 250_000) return [{ start, end: start + length(x.join("")), text: y.join("") }];
  const common = Array.from({ length: x.length + 1 }, () => new Uint16Array(y.length + 1));
  for (let i = x.length - 1; i >= 0; i--) for (let j = y.length - 1; j >= 0; j--) common[i]![j] = x[i] === y[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const found: Omit<Hunk, "change">[] = [];
  for (let i = 0, j = 0; i < x.length || j < y.length; ) {
    if (i < x.length && j < y.length && x[i] === y[j]) {
      start += length(x[i]!);
      i++, j++;
      continue;
    }
    const hunk = { start, end: start, text: "" };
    while ((i < x.length || j < y.length) && !(i < x.length && j < y.length && x[i] === y[j])) {
      if (j >= y.length || (i < x.length && common[i + 1]![j]! >= common[i]![j + 1]!)) hunk.end += length(x[i++]!);
      else hunk.text += y[j++]!;
    }
    start = hunk.end;
    found.push(hunk);
  }
  return found;
}

/** The text of a paragraph as positions count it: without what is deleted. */
export const textOf = (passage: Passage): string => (passage.runs ?? []).map(({ deleted, text }) => (deleted ? "" : text)).join("");

// A change is never another one: what it changes is computed once.
const known = new WeakMap<Change, { old: string; hunks: Hunk[] }>();

function rewritten(change: Change, old: string, start: number): Hunk[] {
  let found = known.get(change);
  if (found?.old !== old) known.set(change, (found = { old, hunks: differences(old, change.text ?? "", start).map((hunk) => ({ ...hunk, change })) }));
  return found.hunks;
}

/** Where the proposed changes cut into a paragraph. */
function hunks(passage: Passage, proposals: Change[]): Hunk[] {
  const all = [...textOf(passage)];
  return proposals.flatMap((change) => {
    const { resolved: at, text = "", type } = change;
    if (!at) return [];
    const start = passage.block === at.block ? at.start : 0;
    const end = Math.min(passage.block === at.endBlock ? at.end : all.length, all.length);
    const last = passage.block === at.endBlock;
    switch (type) {
      case "deleteParagraph":
        return [{ start: 0, end: all.length, text: "", change }];
      case "insert":
        return [{ start: end, end, text, change }];
      case "delete":
        return [{ start, end, text: "", change }];
      case "replace":
      case "rewrite":
        if (at.block !== at.endBlock) return [{ start, end, text: last ? text : "", change }];
        return rewritten(change, all.slice(start, end).join(""), start);
      case "format":
        return [{ start, end, text: "", change }];
      default:
        return [];
    }
  }).sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The pieces of a paragraph, with the proposed changes put into the document's own text. */
export function pieces(passage: Passage, proposals: Change[], marks: Map<string, Change>): Piece[] {
  const cuts = hunks(passage, proposals);
  const out: Piece[] = [];
  let next = 0;
  const put = (at: number, look: Piece["look"]): void => {
    for (let hunk = cuts[next]; hunk && hunk.end <= at; hunk = cuts[++next]) if (hunk.text !== "") out.push({ text: hunk.text, changes: [hunk.change], inserted: true, deleted: false, look });
  };
  let look: Piece["look"] = {};
  for (const run of passage.runs ?? []) {
    const { bold = false, italic = false, underline = false, strike = false } = run;
    look = { bold, italic, underline, strike, ...(run.hidden && { hidden: run.hidden }) };
    const changes = (run.changes ?? []).flatMap((id) => marks.get(id) ?? []);
    const inserted = changes.some(({ type }) => type === "ins" || type === "moveTo");
    if (run.deleted) {
      out.push({ text: run.text, changes, inserted, deleted: true, look });
      continue;
    }
    const points = [...run.text];
    const at = [...new Set([run.start, run.end, ...cuts.flatMap(({ start, end }) => [start, end])])].filter((i) => i >= run.start && i <= run.end).sort((a, b) => a - b);
    for (let i = 0; i + 1 < at.length; i++) {
      const [from, to] = [at[i]!, at[i + 1]!];
      put(from, look);
      const over = cuts.filter(({ start, end }) => start < to && end > from).map(({ change }) => change);
      out.push({ text: points.slice(from - run.start, to - run.start).join(""), start: from, changes: [...changes, ...over], inserted, deleted: over.some(({ type }) => type !== "format"), look });
    }
  }
  put(Infinity, look);
  return out;
}
