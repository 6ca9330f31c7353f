import { Check, CircleSlash, Pencil } from "lucide-preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { decide, type Sentence, touches, useClauses, useTags, withdraw } from "../../data/document.js";
import { paged } from "../../data/files.js";
import { useMay } from "../../data/people.js";
import { named, percent } from "../../format.js";
import { useKeys } from "../../keys.js";
import { type Choice, Choose } from "../../parts/choose.js";
import { Dialog } from "../../parts/dialog.js";
import { Help, readRequest } from "../../parts/help.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";
import type { Shown } from "./panel.js";

/** The clauses of a contract in its own order, to confirm, correct or refuse. */
export function Clauses({ file, picked, pick }: Shown) {
  const clauses = useClauses(file);
  const tags = useTags();
  const may = useMay();
  const [only, narrow] = useState(false);
  const [cursor, move] = useState("");
  const [choosing, choose] = useState<Sentence | null>(null);
  const [done, remember] = useState<Sentence[]>([]);
  const names = useMemo(() => new Map(tags.data?.map((tag) => [tag.key, tag.name])), [tags.data]);
  const name = (label: string | null): string => (label === null ? words.document.noClause : (names.get(label) ?? named(label)));
  const all = useMemo(() => (clauses.data ?? []).filter((one) => !only || one.source !== "validated" || one.id === cursor), [clauses.data, only, cursor]);
  const index = all.findIndex(({ id }) => id === cursor);
  const current = all[index];

  // What is picked on the page is the current one here.
  useEffect(() => {
    const here = picked && all.find(({ span }) => touches(span, picked));
    if (here && here.id !== cursor) move(here.id);
  }, [picked]);
  useEffect(() => document.getElementById(`clause-${cursor}`)?.scrollIntoView({ block: "nearest" }), [cursor]);
  const go = (to: number): void => {
    const next = all[Math.max(0, Math.min(to, all.length - 1))];
    if (!next) return;
    move(next.id);
    pick(next.span);
  };
  const settle = (sentence: Sentence, label: string | null): void =>
    void attempt(async () => {
      remember((before) => [...before.slice(-99), sentence]);
      if (sentence.id === cursor) go(index + 1);
      try {
        await decide(sentence, label);
      } catch (error) {
        remember((before) => before.filter((one) => one !== sentence)); // there is nothing to undo
        throw error;
      }
      say(words.document.decided(name(label)), () => undo(sentence));
    });
  const undo = (sentence: Sentence | undefined): void => {
    if (!sentence) return;
    remember((before) => before.filter((one) => one !== sentence));
    void attempt(() => withdraw(sentence));
  };
  useKeys({
    j: () => go(index + 1),
    k: () => go(index - 1),
    ...(may.change && {
      c: () => current?.label != null && settle(current, current.label),
      e: () => current && choose(current),
      n: () => current && settle(current, null),
      z: () => undo(done.at(-1)),
    }),
  });

  if (clauses.error && !clauses.data) return <Failed error={clauses.error} again={() => void clauses.refetch()} />;
  if (!clauses.data) return file.textReady ? <Skeleton /> : <Empty title={words.document.clausesNone} />;
  const open = clauses.data.filter(({ source }) => source !== "validated").length;
  return (
    <>
      <div class="panel-head">
        <span class="titled">
          <span class="quiet" role="status">{words.document.toConfirm(open)}</span>
          <Help title={words.document.tabs.clauses} text={words.document.clausesHelp} request={readRequest("/api/sentences", { fileId: file.id, limit: "500", minScore: "0.01" })} />
        </span>
        <label class="check">
          <input type="checkbox" checked={only} onChange={(event) => narrow(event.currentTarget.checked)} /> {words.document.clausesFilter}
        </label>
      </div>
      {all.length === 0 && <Empty title={words.document.clausesNone} />}
      <ul class="clauses">
        {all.map((sentence) => (
          <li key={sentence.id} id={`clause-${sentence.id}`} class={sentence.id === cursor ? "clause here" : "clause"}>
            <button class="value" aria-current={sentence.id === cursor} onClick={() => (move(sentence.id), pick(sentence.span))}>
              <span class="clause-name">
                <strong>{name(sentence.label)}</strong>
                {sentence.source === "validated" ? (
                  <small class="decided">
                    <Check size={14} class="icon" /> {words.document.confirmed}
                  </small>
                ) : (
                  <small class={(sentence.score ?? 1) < 0.6 ? "doubtful" : "quiet"}>{percent(sentence.score ?? 1)}</small>
                )}
                {paged(file) && <small class="quiet">{words.document.short(sentence.page)}</small>}
              </span>
              <span class="quote">{sentence.text}</span>
            </button>
            {may.change && (
              <span class="decide">
                {sentence.source !== "validated" && sentence.label !== null && (
                  <button class="bare" title={`${words.document.confirm} (c)`} aria-label={`${words.document.confirm}: ${name(sentence.label)}`} onClick={() => settle(sentence, sentence.label)}>
                    <Check size={16} class="icon" />
                  </button>
                )}
                <button class="bare" title={`${words.document.correct} (e)`} aria-label={`${words.document.correct}: ${name(sentence.label)}`} onClick={() => choose(sentence)}>
                  <Pencil size={16} class="icon" />
                </button>
                {sentence.label !== null && (
                  <button class="bare" title={`${words.document.refuse} (n)`} aria-label={`${words.document.refuse}: ${name(sentence.label)}`} onClick={() => settle(sentence, null)}>
                    <CircleSlash size={16} class="icon" />
                  </button>
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
      <Dialog open={choosing !== null} close={() => choose(null)} title={words.document.chooseLabel} class="go-box" bare>
        {choosing && <Labels choose={(label) => (settle(choosing, label), choose(null))} />}
      </Dialog>
    </>
  );
}

const none = "-"; // no key of a label

function Labels({ choose }: { choose: (label: string | null) => void }) {
  const tags = useTags();
  const [typed, type] = useState("");
  const choices = useMemo<Choice[]>(() => {
    const all = [...(tags.data ?? []).map(({ key, name, family }) => ({ value: key, text: name, note: family })), { value: none, text: words.document.noClause }];
    return all.filter(({ text }) => text.toLowerCase().includes(typed.toLowerCase()));
  }, [tags.data, typed]);
  return <Choose label={words.document.chooseFind} choices={choices} typed={typed} type={type} choose={(value) => choose(value === none ? null : value)} none={words.go.none} />;
}
