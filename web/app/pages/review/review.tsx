import { CircleSlash } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../../data/client.js";
import { useLabelName } from "../../data/document.js";
import { paged, useFile } from "../../data/files.js";
import type { Mark } from "../../data/marks.js";
import { decideItem, type Item, prefetch, settled, today, undoItem, useAround, useClaims, useModels, useNearest, useReviewProgress } from "../../data/review.js";
import { useMay } from "../../data/people.js";
import { waiting } from "../../data/outbox.js";
import { useStore } from "../../data/store.js";
import { percent } from "../../format.js";
import { useKeys } from "../../keys.js";
import { Help, readRequest } from "../../parts/help.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { say } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { words } from "../../words.js";
import { Blocks } from "../document/blocks.js";
import { Pages } from "../document/pages.js";

/** Decisions on labels are for members: viewers are told so. */
export function Review() {
  useTitle(words.nav.review);
  return useMay().change ? <Queue /> : <Empty title={words.review.title}><p>{words.review.members}</p></Empty>;
}

/** The sentences whose labels the model doubts, one after the other, those first whose decision is worth most. */
function Queue() {
  const claims = useClaims();
  const done = useStore(settled);
  const items = useMemo(() => (claims.data ?? []).filter(({ id }) => !done.has(id)), [claims.data, done]);
  const [at, move] = useState("");
  const [history, remember] = useState<Item[]>([]);
  const index = Math.max(0, items.findIndex(({ id }) => id === at));
  const item = items[index];
  const next = items[index + 1];
  useEffect(() => next && prefetch(next), [next?.id]);
  useEffect(() => void (at === "" && item && move(item.id)), [item?.id]); // what is claimed later and is worth more does not take its place
  useEffect(() => {
    const leave = (): void => void api.releaseReview({ keepalive: true }).catch(() => undefined); // the lease ends by itself
    addEventListener("pagehide", leave);
    return () => (removeEventListener("pagehide", leave), leave());
  }, []);

  // What is gone without having been decided here was decided by somebody else.
  const before = useRef<Item[]>([]);
  useEffect(() => {
    const now = new Set(claims.data?.map(({ id }) => id));
    const gone = before.current.filter(({ id }) => !now.has(id) && !settled.value.has(id));
    if (claims.data && gone.length > 0) say(words.review.taken(gone.length));
    before.current = claims.data ?? before.current;
  }, [claims.data]);

  const settle = (labels: string[], name: string): void => {
    if (!item) return;
    move(next?.id ?? "");
    remember((all) => [...all.slice(-99), item]);
    decideItem(item, labels);
    say(words.document.decided(name), () => undo(item));
  };
  const undo = (last: Item | undefined): void => {
    if (!last) return;
    remember((all) => all.filter((one) => one !== last));
    undoItem(last);
    move(last.id);
  };
  useKeys({
    j: () => next && move(next.id),
    k: () => index > 0 && move(items[index - 1]?.id ?? ""),
    u: () => undo(history.at(-1)),
  });
  return (
    <div class="document">
      <header class="page-head">
        <h1>{words.review.title}</h1>
        <Progress />
      </header>
      {item ? (
        <div class="document-body">
          <Place key={item.fileId} item={item} />
          <Question key={item.id} item={item} settle={settle} />
        </div>
      ) : claims.error && !claims.data ? (
        <Failed error={claims.error} again={() => void claims.refetch()} />
      ) : claims.data && !claims.isFetching ? (
        <Nothing />
      ) : (
        <Skeleton lines={16} />
      )}
    </div>
  );
}

/** How much is left, what was done today, and what it did to the model. */
function Progress() {
  const { data } = useReviewProgress();
  const models = useModels();
  const kept = useStore(waiting);
  const model = models.data?.items.find(({ kind }) => kind === "team");
  return (
    <>
      {data && <span class="quiet" role="status">{words.review.progress(data.left, data.decided, data.mine)}</span>}
      <Help title={words.review.title} text={words.review.help} request={readRequest("/api/review", { since: today() })} />
      {data && data.others > 0 && <span class="chip">{words.review.others(data.others)}</span>}
      {kept > 0 && <span class="doubtful" role="status">{words.review.waiting(kept)}</span>}
      <span class="push" />
      <span class="quiet wide-only">
        {model?.metrics && model.before ? <a href="/settings/models">{words.review.model(model.trainingSentences ?? 0, percent(model.metrics.microF1), percent(model.before.microF1))}</a> : words.review.modelNone}
      </span>
    </>
  );
}

function Nothing() {
  const { data } = useReviewProgress();
  return (
    <Empty title={words.review.nothing}>
      <p>{data && data.others > 0 ? words.review.nothingOthers(data.others) : words.review.nothingText}</p>
      <a class="button" href="/">{words.error.back}</a>
    </Empty>
  );
}

/** The page that a sentence is on. */
function Place({ item }: { item: Item }) {
  const file = useFile(item.fileId);
  const marks = useMemo<Mark[]>(() => [{ kind: "picked", span: item.span }], [item.id]);
  if (file.error && !file.data) return <Failed error={file.error} again={() => void file.refetch()} />;
  if (!file.data) return <Skeleton lines={16} />;
  return paged(file.data) ? <Pages file={file.data} marks={marks} picked={item.span} asked={0} point={() => undefined} /> : <Blocks file={file.data} picked={item.span} asked={0} />;
}

/** How many characters of the text before a sentence and after it are shown beside it. */
const around = 280;
const ending = (text: string): string => (text.length > around ? `… ${text.slice(-around).replace(/^\S*\s/, "")}` : text);
const beginning = (text: string): string => (text.length > around ? `${text.slice(0, around).replace(/\s\S*$/, "")} …` : text);

/** A sentence among its neighbours, the labels that it may have, and the decided ones that are nearest. */
function Question({ item, settle }: { item: Item; settle: (labels: string[], name: string) => void }) {
  const file = useFile(item.fileId);
  const neighbors = useAround(item.id);
  const nearest = useNearest(item.id);
  const name = useLabelName();
  // What the model says as a whole comes first, then one label each.
  const said = item.labels.map(({ node }) => node);
  const labels = useMemo(() => {
    const single = [...new Set([...said, item.suggested, ...(nearest.data ?? []).flatMap((near) => near.labels.map(({ node }) => node))])].filter((label) => label != null);
    return [...(said.length > 1 ? [said] : []), ...single.map((label) => [label])].slice(0, 9);
  }, [item, nearest.data]);
  const all = (labels: string[]): string => labels.map(name).join(", ");
  const likely = (label: string): number | undefined => item.labels.find(({ node }) => node === label)?.score ?? (label === item.suggested ? item.score : undefined);
  const take = (labels: string[] | undefined): void => {
    if (labels !== undefined) settle(labels, labels.length === 0 ? words.document.noClause : all(labels));
  };
  useKeys({ a: () => take(labels[0]), n: () => take([]), ...Object.fromEntries(labels.map((label, i) => [String(i + 1), () => take(label)])) });
  return (
    <aside class="panel review" aria-label={words.review.question}>
      <p class="quiet cut">
        <a href={`/files/${item.fileId}?at=${item.span.start}-${item.span.end}`}>{item.fileName}</a>{file.data && paged(file.data) && ` · ${words.document.short(item.page)}`}
      </p>
      <blockquote class="review-text">
        {neighbors.data && <span class="quiet">{ending(neighbors.data.before.map(({ text }) => text).join(" "))} </span>}
        <mark>{item.text}</mark>
        {neighbors.data && <span class="quiet"> {beginning(neighbors.data.after.map(({ text }) => text).join(" "))}</span>}
      </blockquote>
      {item.sentenceIds.length > 1 && <p class="quiet">{words.review.alike(item.sentenceIds.length)}</p>}
      <h2>{words.document.chooseLabel}</h2>
      <ol class="review-labels">
        {labels.map((label, i) => (
          <li key={label.join()}>
            <button class="button" onClick={() => take(label)}>
              <kbd>{i + 1}</kbd> <span class="cut">{all(label)}</span>
              {label.length === 1 && likely(label[0]!) !== undefined && <small class="quiet">{percent(likely(label[0]!)!)}</small>}
            </button>
          </li>
        ))}
        <li>
          <button class="button" onClick={() => take([])}>
            <kbd>n</kbd> <CircleSlash size={14} class="icon" /> {words.document.noClause}
          </button>
        </li>
      </ol>
      <h2>{words.review.nearest}</h2>
      {nearest.data?.length === 0 && <p class="quiet">{words.review.nearestNone}</p>}
      {nearest.isPending && <Skeleton lines={3} />}
      <ul class="plain">
        {nearest.data?.slice(0, 4).map((near) => (
          <li key={near.id}>
            <strong>{all(near.labels.map(({ node }) => node))}</strong> <small class="quiet">{percent(near.similarity)} · {near.fileName}</small>
            <span class="quote">{near.text}</span>
          </li>
        ))}
      </ul>
    </aside>
  );
}
