import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../data/client.js";
import { gathered } from "../../data/document.js";
import { refreshed } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { percent } from "../../format.js";
import { Ask } from "../../parts/ask.js";
import { attempt, useAttempt } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { Listing } from "./parts.js";

const w = words.settings;

/** Features that programs ask the service about: on or off, and for whom. */
export function Flags() {
  const may = useMay();
  const flags = useQuery({ queryKey: ["flags"], queryFn: ({ signal }) => gathered(api.all("listFlags", { query: { limit: 500 }, signal })) });
  const [key, type] = useState("");
  const tried = useAttempt();
  const [removing, remove] = useState<{ id: string; key: string }>();
  const renewed = () => refreshed("flags");
  const make = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => (await api.createFlag({ body: { key: key.trim() } }), type(""), await renewed()));
  };
  return (
    <>
      <h1>{w.pages.flags}</h1>
      <p class="quiet">{w.flagsText}</p>
      {may.manage && (
        <form class="form inline" onSubmit={make}>
          <label>{w.flagKey}<input type="text" required maxLength={100} value={key} onInput={(event) => type(event.currentTarget.value)} /></label>
          <button class="button primary">{w.makeFlag}</button>
        </form>
      )}
      <Listing
        label={w.pages.flags}
        of={flags}
        none={w.flagsNone}
        columns={[{ text: w.flagKey }, { text: w.on }, { text: w.conditions, class: "wide" }, ...(may.manage ? [{ text: "" }] : [])]}
        row={(one) => (
          <tr key={one.id}>
            <th scope="row">{one.key} <small class="quiet">{one.description}</small></th>
            <td>
              {may.manage ? (
                <input type="checkbox" aria-label={`${w.on}: ${one.key}`} checked={one.enabled} onChange={() => void tried(async () => (await api.updateFlag({ path: { id: one.id }, body: { enabled: !one.enabled } }), await renewed()))} />
              ) : one.enabled ? (
                w.yes
              ) : (
                w.no
              )}
            </td>
            <td class="wide">
              {one.conditions.length === 0
                ? w.forEverybody
                : one.conditions.map(({ attribute, operator, values, rollout }) => `${operator === "any" ? w.forEverybody : `${attribute} ${w.operators[operator]} ${values.join(", ")}`} (${percent(rollout / 100)})`).join("; ")}
            </td>
            {may.manage && <td class="number"><button class="link" aria-label={`${w.delete}: ${one.key}`} onClick={() => remove(one)}>{w.delete}</button></td>}
          </tr>
        )}
      />
      {removing && (
        <Ask
          title={w.deleteFlag(removing.key)}
          text={w.deleteFlagText}
          yes={w.delete}
          close={() => remove(undefined)}
          act={async (signal) => {
            await api.deleteFlag({ path: { id: removing.id }, signal });
            await renewed();
          }}
        />
      )}
    </>
  );
}
