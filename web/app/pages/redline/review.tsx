import { EyeOff, TriangleAlert } from "lucide-preact";
import { api, type Schemas } from "../../data/client.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { differences, type Passage, type Review, textOf } from "../../data/redline.js";
import { attempt, say } from "../../parts/toasts.js";
import { properties, words } from "../../words.js";
import { withdraw } from "./propose.js";

type File = Schemas["File"];

/** What is found of text that nobody may see, by the reason: passages in order. */
export type Hidden = [string, number[]][];

/** What to look at before all else: above the text, and each leads to its places. */
export function Alarms({ codes, hidden, left, show, current }: { codes: string[]; hidden: Hidden; left: string[]; show: (at: number) => void; current: number | null }) {
  if (codes.length === 0 && hidden.length === 0 && left.length === 0) return null;
  const told = codes.flatMap((code) => words.redline.warnings[code] ?? []);
  return (
    <section class="alarms" aria-label={words.redline.alarms}>
      {(told.length > 0 || hidden.length > 0) && (
        <div class="note bad" role="alert">
          <TriangleAlert size={16} class="icon" />
          <ul>
            {told.map((text) => <li key={text}><strong>{text}</strong></li>)}
            {hidden.map(([why, places]) => (
              <li key={why}>
                <EyeOff size={14} class="icon" /> {words.redline.hiddenText(places.length, words.redline.hiddenWhy[why] ?? why)}{" "}
                <button class="link" onClick={() => show(places.find((at) => at > (current ?? -1)) ?? places[0]!)}>{words.redline.nextPlace}</button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {left.length > 0 && (
        <details class="note">
          <summary>{words.redline.left}: {left.length.toLocaleString()}</summary>
          <ul>{left.map((line, i) => <li key={i}>{line}</li>)}</ul>
        </details>
      )}
    </section>
  );
}

/** A text with what another one changes in it. */
function Differing({ old, now }: { old: string; now: string }) {
  const points = [...old];
  let at = 0;
  const hunks: ReturnType<typeof differences> = [];
  for (const hunk of differences(old, now, 0)) {
    // Words in place of others are told as one where only blanks are between them.
    const last = hunks.at(-1);
    const between = points.slice(last?.end ?? 0, hunk.start).join("");
    if (last && between.trim() === "" && last.text !== "" && hunk.text !== "" && last.end > last.start && hunk.end > hunk.start) hunks[hunks.length - 1] = { start: last.start, end: hunk.end, text: last.text + between + hunk.text };
    else hunks.push(hunk);
  }
  const out = hunks.map(({ start, end, text }, i) => {
    const before = points.slice(at, start).join("");
    at = end;
    return <span key={i}>{before}{end > start && <del>{points.slice(start, end).join("")}</del>}{text !== "" && <ins>{text}</ins>}</span>;
  });
  return <span class="said">{out}{points.slice(at).join("")}</span>;
}

/** Words that both sides changed, side by side, each with a decision. */
export function Conflicts({ file, review, show }: { file: File; review: Review; show: (place: Schemas["Resolved"]) => void }) {
  const may = useMay();
  const { conflicts } = review;
  const decidable = may.change && review.version.version === file.currentVersion;
  if (conflicts.length === 0) return null;
  const ask = async (body: NonNullable<Parameters<typeof api.createChanges>[0]["body"]>) => {
    const { items } = await api.createChanges({ path: { fileId: file.id }, body });
    renew("file");
    return items;
  };
  const ours = ({ change, keep }: Schemas["ConflictedChange"]): void =>
    void attempt(async () => {
      const items = await ask({ changes: [keep!, { type: "withdraw", target: change.id }] });
      say(words.redline.keptOurs, () => void attempt(() => withdraw(file.id, items.filter(({ status }) => status === "proposed").map(({ id }) => id))));
    });
  const theirs = ({ change, keep }: Schemas["ConflictedChange"]): void =>
    void attempt(async () => {
      await ask({ type: "withdraw", target: change.id });
      say(words.redline.tookTheirs, keep ? () => void attempt(() => ask(keep)) : undefined);
    });
  return (
    <section class="conflicts" aria-label={words.redline.conflicts(conflicts.length)}>
      <h2>{words.redline.conflicts(conflicts.length)}</h2>
      <ul>
        {conflicts.map((conflict) => {
          const { change, base, ours: mine, theirs: other, authors, place, keep } = conflict;
          const said = change.type === "comment" ? change.text : change.comment;
          return (
            <li key={change.id} class="conflict">
              <dl>
                <div><dt>{words.redline.conflictBase}</dt><dd class="said">{base || change.anchor?.text}</dd></div>
                <div>
                  <dt>{words.redline.conflictOurs} <small class="quiet">{change.author.name}</small></dt>
                  <dd>
                    {change.type !== "comment" && (base === "" ? <span class="said">{change.text}</span> : <Differing old={base} now={mine} />)}
                    {said && <p class="said"><small class="quiet">{words.redline.conflictComment}:</small> {said}</p>}
                  </dd>
                </div>
                <div>
                  <dt>{words.redline.conflictTheirs} <small class="quiet">{authors.length > 0 ? words.redline.conflictBy(authors.join(", ")) : words.redline.conflictUntracked}</small></dt>
                  <dd>{other === "" ? <em>{words.redline.conflictGone}</em> : <Differing old={base} now={other} />}</dd>
                </div>
              </dl>
              {decidable && !keep && <p class="quiet">{words.redline.noKeep}</p>}
              <div class="conflict-acts">
                {decidable && keep && <button class="button" onClick={() => ours(conflict)}>{words.redline.keepOurs}</button>}
                {decidable && <button class="button" onClick={() => theirs(conflict)}>{words.redline.takeTheirs}</button>}
                {place && <button class="link" onClick={() => show(place)}>{words.redline.showPlace}</button>}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Differences that nobody marked, each with its place in the text. */
export function Untracked({ file, review, passages, sha256, show }: { file: File; review: Review; passages: Passage[]; sha256: string; show: (at: number) => void }) {
  const may = useMay();
  if (review.untracked.length === 0) return null;
  const decidable = may.change && review.version.version === file.currentVersion;
  const back = ({ part, block }: Passage, now: string, was: string): void =>
    void attempt(async () => {
      const { items } = await api.createChanges({ path: { fileId: file.id }, body: { type: "rewrite", anchor: { part, block, text: now, docSha256: sha256 }, text: was } });
      renew("file");
      say(words.redline.proposedOne, () => void attempt(() => withdraw(file.id, items.map(({ id }) => id))));
    });
  return (
    <details class="untracked" open>
      <summary><strong>{words.redline.untrackedTitle(review.untracked.length)}</strong></summary>
      <ul>
        {review.untracked.map((one) => {
          const names = (one.properties ?? []).map((name) => properties[name] ?? name);
          const said = one.type.startsWith("delete") ? one.was : one.text || one.was;
          const at = said === "" ? -1 : passages.findIndex((passage) => passage.part === (one.resolved?.part ?? "body") && textOf(passage).includes(said));
          const passage = passages[at];
          return (
            <li key={one.id}>
              <button class="value" disabled={at < 0} onClick={() => show(at)}>
                <small class="quiet">{names.length > 0 ? words.redline.properties([...new Set(names)].join(", ")) : (words.redline.untrackedKinds[one.type] ?? words.redline.kinds.other)}</small>
                {names.length > 0 ? <span class="said">{said}</span> : one.type.startsWith("delete") ? <del class="said">{one.was}</del> : one.type.startsWith("insert") ? <ins class="said">{one.text}</ins> : <Differing old={one.was} now={one.text} />}
              </button>
              {decidable && one.type === "rewrite" && passage && textOf(passage) === one.text && <button class="link" onClick={() => back(passage, one.text, one.was)}>{words.redline.oldWords}</button>}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
