import { Check, Pencil, Tag, Undo2, X } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Schemas } from "../../data/client.js";
import { type Attribute, decideFact, touches, useFacts, useRefusedFacts } from "../../data/document.js";
import { type Fact, factsOf } from "../../data/facts.js";
import { type Field, markField, markOf, unmarkField, useFieldNames, useFields } from "../../data/fields.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { selectedWords } from "../../data/selection.js";
import { percent } from "../../format.js";
import { useKeys } from "../../keys.js";
import { Help } from "../../parts/help.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { type Marking, MarkValue } from "./mark.js";
import type { Shown } from "./panel.js";

type Value = Fact["values"][number];

/** Whether nobody has said yet that a value is right or wrong. */
const undecided = ({ source, decision }: Value): boolean => source !== "human" && decision === undefined;

const idOf = ({ key, value }: Attribute): string => `${key} ${value}`;

/** Who made the contract, when, for how long, under which law: each value with the words that say so, to confirm, correct or refuse. */
export function Facts({ file, picked, pick }: Shown) {
  const facts = useFacts(file);
  const refused = useRefusedFacts(file);
  const may = useMay();
  const [editing, edit] = useState("");
  const [cursor, move] = useState("");
  const [done, remember] = useState<Value[]>([]);
  const own = useFieldNames();
  const fields = useFields();
  const [marking, mark] = useState<Marking | null>(null);
  const all = facts.data ? factsOf(facts.data, file, own) : [];
  const values = all.flatMap((fact) => fact.values);
  const index = values.findIndex((value) => idOf(value) === cursor);
  const current = values[index];
  useEffect(() => document.getElementById(`fact-${cursor}`)?.scrollIntoView({ block: "nearest" }), [cursor]);
  const go = (to: number): void => {
    const next = values[Math.max(0, Math.min(to, values.length - 1))];
    if (!next) return;
    move(idOf(next));
    if (next.spans[0]) pick(next.spans[0]);
  };
  const settle = (value: Value, decision: Schemas["AttributeDecision"]): void =>
    void attempt(async () => {
      remember((before) => [...before.slice(-99), value]);
      if (idOf(value) === cursor) go(index + 1);
      try {
        await decideFact(file, value, decision);
      } catch (error) {
        remember((before) => before.filter((one) => one !== value)); // there is nothing to undo
        throw error;
      }
      say(words.document.factDecided[decision](value.shown), () => undo(value));
    });
  const undo = (value: Value | undefined): void => {
    if (!value) return;
    remember((before) => before.filter((one) => one !== value));
    void attempt(() => decideFact(file, value, value.decision ?? "withdrawn"));
  };
  const unmark = (fact: Fact, value: Value): void =>
    void attempt(async () => {
      const made = await markOf(file.id, value.key, value);
      if (!made) return;
      await unmarkField(made);
      say(words.fields.unmarked(fact.name, value.shown), () => void attempt(() => markField({ key: made.field }, file.id, made.place ? { start: made.place.start, end: made.place.end } : null, made.value, crypto.randomUUID())));
    });
  const begin = (field: Field): void => {
    const chosen = selectedWords();
    mark({ field, span: chosen?.span ?? null, text: chosen?.text ?? "" });
  };
  useKeys({
    j: () => go(index + 1),
    k: () => go(index - 1),
    ...(may.change && {
      c: () => current && undecided(current) && settle(current, "confirmed"),
      e: () => current && edit(current.key),
      n: () => current && current.source !== "human" && settle(current, "refused"),
      z: () => undo(done.at(-1)),
    }),
  });

  if (facts.error && !facts.data) return <Failed error={facts.error} again={() => void facts.refetch()} />;
  if (!facts.data) return file.textReady ? <Skeleton /> : <Empty title={words.document.factsNone} />;
  const back = factsOf(refused.data ?? [], { ...file, partiesSource: "read" }, own);
  const without = (fields.data ?? []).filter(({ key }) => !all.some((fact) => fact.key === key));
  if (all.length === 0 && back.length === 0 && without.length === 0) return <Empty title={words.document.factsNone} />;
  return (
    <>
      <div class="panel-head">
        <span class="quiet" role="status">{words.document.toConfirm(values.filter(undecided).length)}</span>
        <Help title={words.document.tabs.facts} text={words.document.factsHelp} request={{ method: "GET", path: `/api/files/${file.id}/documents?limit=1` }} />
      </div>
      <dl class="facts">
        {all.map((fact) => (
          <div key={fact.key} class="fact">
            <dt>{fact.name}</dt>
            {editing === fact.key ? (
              <dd>
                <Correction fact={fact} file={file} close={() => edit("")} />
              </dd>
            ) : (
              fact.values.map((value) => {
                const place = value.spans[0];
                const here = idOf(value) === cursor || (picked !== null && place !== undefined && touches(place, picked));
                return (
                  <dd key={idOf(value)} id={`fact-${idOf(value)}`} class={here ? "here" : ""}>
                    <button class="value" disabled={!place} aria-current={idOf(value) === cursor} onClick={() => (move(idOf(value)), place && pick(place))}>
                      <span>{value.shown}</span>
                      <Sure value={value} paged={file.pageCount > 1} />
                    </button>
                    {may.change && (
                      <span class="decide">
                        {undecided(value) && (
                          <button class="bare small" title={`${words.document.confirm} (c)`} aria-label={`${words.document.confirm}: ${value.shown}`} onClick={() => settle(value, "confirmed")}>
                            <Check size={14} class="icon" />
                          </button>
                        )}
                        <button class="bare small" title={`${words.document.correct} (e)`} aria-label={`${words.document.correct}: ${fact.name}`} onClick={() => edit(fact.key)}>
                          <Pencil size={14} class="icon" />
                        </button>
                        {value.source !== "human" && (
                          <button class="bare small" title={`${words.document.refuseValue} (n)`} aria-label={`${words.document.refuseValue}: ${value.shown}`} onClick={() => settle(value, "refused")}>
                            <X size={14} class="icon" />
                          </button>
                        )}
                        {value.source === "human" && own.has(value.key) && (
                          <button class="bare small" title={words.fields.unmark} aria-label={`${words.fields.unmark}: ${value.shown}`} onClick={() => unmark(fact, value)}>
                            <X size={14} class="icon" />
                          </button>
                        )}
                      </span>
                    )}
                  </dd>
                );
              })
            )}
          </div>
        ))}
      </dl>
      {without.length > 0 && (
        <details class="refused" open>
          <summary>{words.fields.open(without.length)}</summary>
          <ul>
            {without.map((field) => (
              <li key={field.key}>
                <span title={field.question}>{field.name}</span>
                {may.change && (
                  <button class="button small push-right" aria-label={words.fields.markValue(field.name)} onMouseDown={(event) => event.preventDefault()} onClick={() => begin(field)}>
                    <Tag size={14} class="icon" /> {words.fields.mark}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      {marking && <MarkValue file={file} marking={marking} close={() => mark(null)} />}
      {back.length > 0 && (
        <details class="refused">
          <summary>{words.document.refused(back.flatMap((fact) => fact.values).length)}</summary>
          <ul>
            {back.flatMap((fact) =>
              fact.values.map((value) => (
                <li key={idOf(value)}>
                  <span class="quiet">{fact.name}:</span> <s>{value.shown}</s>
                  {may.change && (
                    <button class="bare small push-right" aria-label={`${words.document.takeBack}: ${value.shown}`} onClick={() => settle(value, "withdrawn")}>
                      <Undo2 size={14} class="icon" />
                    </button>
                  )}
                </li>
              )),
            )}
          </ul>
        </details>
      )}
    </>
  );
}

/** How sure a value is: by a person, or by how much. */
export function Sure({ value, paged }: { value: Value; paged: boolean }) {
  const { source, decision, confidence, needsReview, spans } = value;
  const page = spans[0] && paged ? ` · ${words.document.short(spans[0].page)}` : "";
  if (decision === "confirmed") {
    return (
      <small class="decided">
        <Check size={14} class="icon" /> {words.document.confirmed}
        {page}
      </small>
    );
  }
  return (
    <small class={needsReview ? "doubtful" : "quiet"}>
      {source === "human" ? words.document.setByPeople : words.document.confidence(percent(confidence))}
      {page}
    </small>
  );
}

/** A field for the right value. What a person sets stays, however often the file is read. */
function Correction({ fact, file, close }: { fact: Fact; file: Schemas["File"]; close: () => void }) {
  const [typed, type] = useState(fact.values.map(({ value }) => value).join("\n"));
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const path = { fileId: file.id };
  const party = fact.key === "party";
  /** Sets values: what is known of those that stay is kept, and a party that is renamed stays on its side. */
  const put = (values: string[]): Promise<unknown> => {
    const known = new Map(fact.values.map((one) => [one.value, one.normalized]));
    if (!party) {
      return api.updateFile({ path, body: { attributes: { [fact.key]: values.map((value) => ({ value, ...(known.has(value) && { normalized: known.get(value)! }) })) } } });
    }
    const parties = values.map((name) => ({ name, ...(known.get(name)?.role && { role: known.get(name)!.role! }) }));
    const sameLines = values.length === fact.values.length;
    const now = (name: string): string => (sameLines ? (values[fact.values.findIndex(({ value }) => value === name)] ?? name) : name);
    return api.updateFile({ path, body: { parties, counterparties: file.counterparties.map(now) } });
  };
  const clear = (): Promise<unknown> => api.updateFile({ path, body: party ? { parties: null, counterparties: null } : { attributes: { [fact.key]: null } } });
  /** Goes back to what was read, or to what somebody had set before. */
  const back = (): Promise<unknown> => {
    if (!fact.values.some(({ source }) => source === "human")) return clear();
    if (party) return api.updateFile({ path, body: { parties: file.parties, counterparties: file.counterparties } });
    return api.updateFile({ path, body: { attributes: { [fact.key]: fact.values.map(({ value, normalized }) => ({ value, normalized })) } } });
  };
  const save = (event: Event): void => {
    event.preventDefault();
    const values = typed.split("\n").map((value) => value.trim()).filter((value) => value !== "");
    void attempt(async () => {
      await (values.length > 0 ? put(values) : clear());
      close();
      renew("file", "files");
      say(words.document.saved(fact.name), () => attempt(async () => (await back(), renew("file", "files"))));
    });
  };
  return (
    <form class="correction" onSubmit={save}>
      <textarea
        rows={Math.max(1, fact.values.length)}
        aria-label={fact.name}
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => (event.key === "Escape" ? close() : event.key === "Enter" && !event.shiftKey && !event.isComposing && save(event))}
        ref={field}
      />
      <button class="button primary">{words.document.save}</button>
      <button class="button" type="button" onClick={close}>{words.cancel}</button>
    </form>
  );
}
