import { Check, CircleSlash, Pencil, Plus } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { decide, type Decision, type Sentence, together, touches, useClauses, useLabelName, useTags, withdraw } from "../../data/document.js";
import { paged } from "../../data/files.js";
import { useMay } from "../../data/people.js";
import { percent } from "../../format.js";
import { useKeys } from "../../keys.js";
import { type Choice, Choose } from "../../parts/choose.js";
import { Dialog } from "../../parts/dialog.js";
import { useHeir } from "../../parts/heir.js";
import { Help, readRequest } from "../../parts/help.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";
import type { Shown } from "./panel.js";

/** A decision that can be taken back: the sentences as they were before it. */
interface Step {
  before: Sentence[];
}

/** The clauses of a contract in its own order, to confirm, correct or refuse. */
export function Clauses({ file, picked, pick }: Shown) {
  const clauses = useClauses(file);
  const may = useMay();
  const [only, narrow] = useState(false);
  const [cursor, move] = useState("");
  const [choosing, choose] = useState<{ sentence: Sentence; instead?: string | undefined } | null>(null);
  const done = useRef<Step[]>([]); // the last decisions, which can be taken back
  const name = useLabelName();
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
  const settle = (sentence: Sentence, decision: Decision, said: string): void =>
    void attempt(async () => {
      const step: Step = { before: decision.clause ? [sentence, ...together(clauses.data ?? [], sentence).filter(({ id }) => id !== sentence.id)] : [sentence] };
      done.current = [...done.current.slice(-99), step];
      if (sentence.id === cursor && decision.add === undefined && decision.remove === undefined) go(index + 1);
      try {
        await decide(sentence, decision);
      } catch (error) {
        done.current = done.current.filter((one) => one !== step); // there is nothing to undo
        throw error;
      }
      say(words.document.decided(said), () => undo(step));
    });
  const undo = (step: Step | undefined): void => {
    const at = step ? done.current.indexOf(step) : -1;
    if (!step || at < 0) return;
    const all = done.current;
    // What was decided later on the same sentences is taken back with it.
    const ids = new Set(step.before.map(({ id }) => id));
    const later = all.slice(at + 1).map((one) => ({ one, before: one.before.filter(({ id }) => !ids.has(id)) }));
    done.current = [...all.slice(0, at), ...later.filter(({ before }) => before.length > 0).map(({ one, before }) => Object.assign(one, { before }))];
    void attempt(async () => {
      try {
        await withdraw(step.before);
      } catch (error) {
        done.current = [...done.current, step];
        throw error;
      }
    });
  };
  const allOf = ({ labels }: Sentence): string => labels.map(({ node }) => name(node)).join(", ");
  const confirm = (sentence: Sentence | undefined, clause: boolean): void => {
    if (sentence && sentence.labels.length > 0) settle(sentence, { clause }, allOf(sentence));
  };
  const put = (label: string | null): void => {
    if (!choosing) return;
    const { sentence, instead } = choosing;
    choose(null);
    if (label === null && instead !== undefined && sentence.labels.length > 1) settle(sentence, { remove: [instead] }, words.document.not(name(instead)));
    else if (label === null) settle(sentence, { labels: [] }, name(null));
    else if (instead === label) settle(sentence, { add: [label] }, name(label));
    else settle(sentence, { add: [label], ...(instead !== undefined && { remove: [instead] }) }, name(label));
  };
  useKeys({
    j: () => go(index + 1),
    k: () => go(index - 1),
    ...(may.change && {
      c: () => confirm(current, false),
      w: () => confirm(current, true),
      e: () => current && choose({ sentence: current, instead: current.label ?? undefined }),
      a: () => current && choose({ sentence: current }),
      n: () => current && settle(current, { labels: [] }, name(null)),
      z: () => undo(done.current.at(-1)),
    }),
  });

  useHeir(".clause", ".value");

  if (clauses.error && !clauses.data) return <Failed error={clauses.error} again={() => void clauses.refetch()} />;
  if (!clauses.data) return file.textReady ? <Skeleton /> : <Empty title={words.document.clausesNone} />;
  const question = choosing && choosing.instead === undefined ? words.document.addWhich : words.document.chooseLabel;
  const open = clauses.data.filter(({ source }) => source !== "validated").length;
  return (
    <>
      <div class="panel-head">
        <span class="titled">
          <span class="quiet" role="status">{words.document.toConfirm(open)}</span>
          <Help title={words.document.tabs.clauses} text={words.document.clausesHelp} request={readRequest("/api/sentences", { fileId: file.id, limit: "500" })} />
        </span>
        <label class="check">
          <input type="checkbox" checked={only} onChange={(event) => narrow(event.currentTarget.checked)} /> {words.document.clausesFilter}
        </label>
      </div>
      {all.length === 0 && <Empty title={words.document.clausesNone} />}
      <ul class="clauses">
        {all.map((sentence) => (
          <li key={sentence.id} id={`clause-${sentence.id}`} class={`clause${sentence.id === cursor ? " here" : ""}${may.change ? (sentence.labels.length > 1 ? " several" : "") : " read"}`}>
            <button class="value" aria-current={sentence.id === cursor} onClick={() => (move(sentence.id), pick(sentence.span))}>
              <span class="clause-name">
                {sentence.labels.length === 0 && <strong>{name(null)}</strong>}
                {sentence.labels.map((label) => (
                  <span key={label.node}>
                    <strong>{name(label.node)}</strong>{" "}
                    {label.source === "predicted" && <small class={(label.score ?? 1) < 0.6 ? "doubtful" : "quiet"}>{percent(label.score ?? 1)}</small>}
                    {label.source === "validated" && sentence.source !== "validated" && <Check size={14} class="icon" aria-label={words.document.confirmed} />}
                  </span>
                ))}
                {sentence.source === "validated" && (
                  <small class="decided">
                    <Check size={14} class="icon" /> {words.document.confirmed}
                  </small>
                )}
                {paged(file) && <small class="quiet">{words.document.short(sentence.page)}</small>}
              </span>
              <span class="quote">{sentence.text}</span>
            </button>
            {may.change && (
              <span class="decide">
                {sentence.labels.map(({ node, source }, i) => (
                  <span key={node}>
                    {sentence.labels.length > 1 && <span>{name(node)}</span>}
                    {source !== "validated" && (
                      <button class="bare" title={`${words.document.confirm}: ${name(node)}${sentence.labels.length === 1 ? " (c)" : ""}`} aria-label={`${words.document.confirm}: ${name(node)}`} onClick={() => settle(sentence, { add: [node] }, name(node))}>
                        <Check size={16} class="icon" />
                      </button>
                    )}
                    <button class="bare" title={`${words.document.correct}: ${name(node)}${i === 0 ? " (e)" : ""}`} aria-label={`${words.document.correct}: ${name(node)}`} onClick={() => choose({ sentence, instead: node })}>
                      <Pencil size={16} class="icon" />
                    </button>
                    <button class="bare" title={`${words.document.refuse}: ${name(node)}`} aria-label={`${words.document.refuse}: ${name(node)}`} onClick={() => settle(sentence, { remove: [node] }, words.document.not(name(node)))}>
                      <CircleSlash size={16} class="icon" />
                    </button>
                  </span>
                ))}
                <button class="bare" title={`${words.document.addLabel} (a)`} aria-label={words.document.addLabel} onClick={() => choose({ sentence })}>
                  <Plus size={16} class="icon" />
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      <Dialog open={choosing !== null} close={() => choose(null)} title={question} class="go-box" bare>
        {choosing && <Labels question={question} none={choosing.instead !== undefined} choose={put} />}
      </Dialog>
    </>
  );
}

const noLabel = "-"; // no key of a label

/** All labels to choose one of, and that it is none where that can be said. */
function Labels({ question, none, choose }: { question: string; none: boolean; choose: (label: string | null) => void }) {
  const tags = useTags();
  const [typed, type] = useState("");
  const choices = useMemo<Choice[]>(() => {
    const all = [...(tags.data ?? []).map(({ key, name, family }) => ({ value: key, text: name, note: family })), ...(none ? [{ value: noLabel, text: words.document.noClause }] : [])];
    return all.filter(({ text }) => text.toLowerCase().includes(typed.toLowerCase()));
  }, [tags.data, typed, none]);
  return <Choose label={question} choices={choices} typed={typed} type={type} choose={(value) => choose(value === noLabel ? null : value)} none={words.go.none} />;
}
