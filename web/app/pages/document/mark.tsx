import { Plus, Tag } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Schemas, status } from "../../data/client.js";
import type { Span } from "../../data/document.js";
import { type Field, fieldKinds, declareField, markField, unmarkField, useFields } from "../../data/fields.js";
import { type Selected, selectedWords } from "../../data/selection.js";
import { useMay } from "../../data/people.js";
import { useKeys } from "../../keys.js";
import { Choose } from "../../parts/choose.js";
import { Dialog } from "../../parts/dialog.js";
import { attempt, say, sayFailed } from "../../parts/toasts.js";
import { words } from "../../words.js";

const w = words.fields;
const declaring = "+"; // no key of a field

/** Words of the page that are to be marked, for a field if it is known. */
export interface Marking {
  span: Span | null;
  text: string;
  field?: Field;
}

/** Has selected words marked as the value of a field: a button beside them, or a key. */
export function MarkSelection({ file }: { file: Schemas["File"] }) {
  const may = useMay();
  const [selected, select] = useState<Selected | null>(null);
  const [marking, mark] = useState<Marking | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => select(selectedWords()), 150);
    };
    document.addEventListener("selectionchange", look);
    document.addEventListener("scroll", look, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("selectionchange", look);
      document.removeEventListener("scroll", look, true);
    };
  }, []);
  useKeys(may.change ? { f: () => begin(selectedWords()) } : {});
  const begin = (of: Selected | null): void => (of ? mark({ span: of.span, text: of.text }) : say(w.selectFirst));
  if (!may.change || !file.textReady) return null;
  return (
    <>
      {selected && !marking && (
        <div class="selection-bar" role="toolbar" aria-label={w.selected} style={{ left: `${Math.max(8, Math.min(selected.at.left, innerWidth - 160))}px`, top: `${Math.max(8, Math.min(selected.at.bottom + 6, innerHeight - 48))}px` }}>
          <button class="button primary" title={`${w.markAs} (f)`} onMouseDown={(event) => event.preventDefault()} onClick={() => begin(selected)}>
            <Tag size={16} class="icon" /> {w.markAs}
          </button>
        </div>
      )}
      {marking && <MarkValue file={file} marking={marking} close={() => (mark(null), select(null))} />}
    </>
  );
}

/** Marks words as the value of a field: which field is asked where it is not known, and the value where the words hold none. */
export function MarkValue({ file, marking, close }: { file: Schemas["File"]; marking: Marking; close: () => void }) {
  const fields = useFields();
  const [typed, type] = useState("");
  const [asking, ask] = useState<{ field: Field; why: string } | null>(marking.field && marking.span === null ? { field: marking.field, why: "" } : null);
  const [making, make] = useState(false);
  const save = async (field: Field, value: string): Promise<void> => {
    try {
      const made = await markField(field, file.id, marking.span, value, crypto.randomUUID());
      close();
      say(w.marked(field.name, made.value), () => void attempt(() => unmarkField(made)));
    } catch (error) {
      if (status(error) !== 422) return sayFailed(error);
      ask({ field, why: error instanceof Error ? error.message : "" });
    }
  };
  // A field that is known is marked at once.
  useEffect(() => {
    if (marking.field && marking.span) void save(marking.field, "");
  }, []);
  const choices = useMemo(
    () => [
      ...(fields.data ?? []).filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase())).map(({ key, name, kind }) => ({ value: key, text: name, note: w.kinds[kind] })),
      { value: declaring, text: typed.trim() === "" ? w.declare : w.declareNamed(typed.trim()), icon: Plus },
    ],
    [fields.data, typed],
  );
  if (making) {
    return (
      <Dialog open close={close} title={w.declare}>
        <Declare name={typed.trim()} close={close} made={(field) => (make(false), void save(field, ""))} />
      </Dialog>
    );
  }
  if (asking) {
    return (
      <Dialog open close={close} title={asking.field.name}>
        <Value field={asking.field} why={asking.why} text={marking.span ? marking.text : ""} save={(value) => save(asking.field, value)} close={close} />
      </Dialog>
    );
  }
  if (marking.field) return null;
  return (
    <Dialog open close={close} title={w.markAs} class="go-box" bare>
      <Choose
        label={w.which}
        choices={choices}
        typed={typed}
        type={type}
        choose={(key) => {
          const field = fields.data?.find((one) => one.key === key);
          if (field) void save(field, "");
          else if (key === declaring) make(true);
        }}
        none={words.go.none}
      />
    </Dialog>
  );
}

/** A form for a value, where the words do not hold it or there are none. */
function Value({ field, why, text, save, close }: { field: Field; why: string; text: string; save: (value: string) => Promise<void>; close: () => void }) {
  const [value, type] = useState("");
  const [busy, wait] = useState(false);
  const submit = (event: Event): void => {
    event.preventDefault();
    wait(true);
    void save(value.trim()).finally(() => wait(false));
  };
  return (
    <form class="form" onSubmit={submit}>
      {text && <blockquote class="quote">{text}</blockquote>}
      {why && <p class="note" role="alert">{why}</p>}
      <label>
        {field.question || w.value}
        {field.kind === "choice" ? (
          <select required data-autofocus value={value} onChange={(event) => type(event.currentTarget.value)}>
            <option value="" />
            {field.choices.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
        ) : (
          <input type="text" required data-autofocus maxLength={2000} dir="auto" value={value} onInput={(event) => type(event.currentTarget.value)} />
        )}
        {!text && <small class="quiet">{w.valueText}</small>}
      </label>
      <footer>
        <button class="button" type="button" onClick={close}>{words.cancel}</button>
        <button class="button primary" disabled={busy || value.trim() === ""}>{w.mark}</button>
      </footer>
    </form>
  );
}

/** A form for a field that the team has not declared yet. */
export function Declare({ name: first = "", close, made }: { name?: string; close?: () => void; made: (field: Field) => void }) {
  const [{ name, kind, question, choices }, type] = useState({ name: first, kind: "text" as Field["kind"], question: "", choices: "" });
  const [busy, wait] = useState(false);
  const put = (parts: { name?: string; kind?: Field["kind"]; question?: string; choices?: string }): void => type((now) => ({ ...now, ...parts }));
  const sent = useRef({ body: "", once: "" }); // the same form again, after a lost answer, declares one field
  const save = (event: Event): void => {
    event.preventDefault();
    wait(true);
    const listed = choices.split("\n").map((one) => one.trim()).filter(Boolean);
    const body = { name: name.trim(), kind, ...(question.trim() && { question: question.trim() }), ...(kind === "choice" && { choices: listed }) };
    if (sent.current.body !== JSON.stringify(body)) sent.current = { body: JSON.stringify(body), once: crypto.randomUUID() };
    void attempt(async () => made(await declareField(body, sent.current.once))).finally(() => wait(false));
  };
  return (
    <form class="form" onSubmit={save}>
      <label>{words.settings.name}<input type="text" required maxLength={100} data-autofocus value={name} onInput={(event) => put({ name: event.currentTarget.value })} /></label>
      <label>
        {w.kind}
        <select value={kind} onChange={(event) => put({ kind: event.currentTarget.value as Field["kind"] })}>
          {fieldKinds.map((one) => <option key={one} value={one}>{w.kinds[one]}</option>)}
        </select>
      </label>
      <label>{w.question}<input type="text" maxLength={500} value={question} onInput={(event) => put({ question: event.currentTarget.value })} /><small class="quiet">{w.questionText}</small></label>
      {kind === "choice" && <label>{w.choices}<textarea rows={4} required value={choices} onInput={(event) => put({ choices: event.currentTarget.value })} /></label>}
      <footer>
        {close && <button class="button" type="button" onClick={close}>{words.cancel}</button>}
        <button class="button primary" disabled={busy || name.trim() === ""}>{w.declareDo}</button>
      </footer>
    </form>
  );
}
