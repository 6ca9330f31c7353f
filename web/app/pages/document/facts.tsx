import { Pencil } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, type Schemas } from "../../data/client.js";
import { touches, useFacts } from "../../data/document.js";
import { type Fact, factsOf } from "../../data/facts.js";
import { renew } from "../../data/live.js";
import { percent } from "../../format.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";
import type { Shown } from "./panel.js";

/** Who made the contract, when, for how long, under which law: each value with the words that say so. */
export function Facts({ file, picked, pick }: Shown) {
  const facts = useFacts(file);
  const [editing, edit] = useState("");
  if (facts.error) return <Failed error={facts.error} again={() => void facts.refetch()} />;
  if (!facts.data) return file.textReady ? <Skeleton /> : <Empty title={words.document.factsNone} />;
  const all = factsOf(facts.data, file);
  if (all.length === 0) return <Empty title={words.document.factsNone} />;
  return (
    <dl class="facts">
      {all.map((fact) => (
        <div key={fact.key} class="fact">
          <dt>
            {fact.name}
            {editing !== fact.key && (
              <button class="bare small" aria-label={`${words.document.correct}: ${fact.name}`} onClick={() => edit(fact.key)}>
                <Pencil size={14} class="icon" />
              </button>
            )}
          </dt>
          {editing === fact.key ? (
            <dd>
              <Correction fact={fact} file={file} close={() => edit("")} />
            </dd>
          ) : (
            fact.values.map((value, i) => {
              const place = value.spans[0];
              const here = picked !== null && place !== undefined && touches(place, picked);
              const doubtful = value.source !== "human" && value.confidence < 0.75;
              return (
                <dd key={i} class={here ? "here" : ""}>
                  <button class="value" disabled={!place} onClick={() => place && pick(place)}>
                    <span>{value.shown}</span>
                    <small class={doubtful ? "doubtful" : "quiet"}>
                      {value.source === "human" ? words.document.setByPeople : words.document.confidence(percent(value.confidence))}
                      {place && file.pageCount > 1 && ` · ${words.document.short(place.page)}`}
                    </small>
                  </button>
                </dd>
              );
            })
          )}
        </div>
      ))}
    </dl>
  );
}

/** A field for the right value. What a person sets stays, however often the file is read. */
function Correction({ fact, file, close }: { fact: Fact; file: Schemas["File"]; close: () => void }) {
  const [typed, type] = useState(fact.values.map(({ value }) => value).join("\n"));
  const put = (values: string[] | null): Promise<unknown> => {
    if (fact.key !== "party") return api.updateFile({ path: { fileId: file.id }, body: { attributes: { [fact.key]: values?.map((value) => ({ value })) ?? null } } });
    const roles = new Map(fact.values.map(({ value, normalized: { role } }) => [value, role]));
    const parties = values?.map((name) => ({ name, ...(roles.get(name) && { role: roles.get(name)! }) })) ?? null;
    return api.updateFile({ path: { fileId: file.id }, body: { parties, counterparties: parties ? file.counterparties : null } });
  };
  const save = (event: Event): void => {
    event.preventDefault();
    const values = typed.split("\n").map((value) => value.trim()).filter((value) => value !== "");
    void attempt(async () => {
      await put(values.length > 0 ? values : null);
      close();
      renew("file", "files");
      say(words.document.saved(fact.name), () => attempt(async () => (await put(null), renew("file", "files"))));
    });
  };
  return (
    <form class="correction" onSubmit={save}>
      <textarea
        rows={Math.max(1, fact.values.length)}
        aria-label={fact.name}
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => (event.key === "Escape" ? close() : event.key === "Enter" && !event.shiftKey && save(event))}
        ref={(element) => element?.focus()}
      />
      <button class="button primary">{words.document.save}</button>
      <button class="button" type="button" onClick={close}>{words.cancel}</button>
    </form>
  );
}
