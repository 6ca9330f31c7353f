import { useState } from "preact/hooks";
import { api } from "../../data/client.js";
import { refreshed } from "../../data/live.js";
import { useMay, useTeamNames } from "../../data/people.js";
import { Help } from "../../parts/help.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";

const w = words.settings;

/** Under which names the team makes contracts, by which its counterparties are told. */
export function Names() {
  const may = useMay();
  const all = useTeamNames();
  const [name, type] = useState("");
  if (all.error && !all.data) return <Failed error={all.error} again={() => void all.refetch()} />;
  if (!all.data) return <Skeleton lines={4} />;
  const { names, source, suggestions } = all.data;
  const save = async (list: string[]): Promise<void> => {
    await api.setTeamNames({ body: { names: list } });
    await refreshed("names");
    say(w.namesSaved);
  };
  const set = (list: string[]): void => void attempt(() => save(list));
  const add = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => (await save([...names, name.trim()]), type("")));
  };
  return (
    <>
      <h1>{w.names} <Help title={w.names} text={w.namesHelp} request={{ method: "GET", path: "/api/teams/names" }} /></h1>
      <p class="quiet">{source === undefined ? w.namesUnknown : source === "given" && names.length === 0 ? w.namesNone : w.namesSource[source]}</p>
      {may.change && (
        <form class="form inline" onSubmit={add}>
          <label>{w.name}<input type="text" required maxLength={200} value={name} onInput={(event) => type(event.currentTarget.value)} /></label>
          <button class="button primary">{w.namesMake}</button>
          {source === "learned" && <button type="button" class="button" onClick={() => set(names)}>{w.namesConfirm}</button>}
          {!(source === "given" && names.length === 0) && <button type="button" class="link" onClick={() => set([])}>{w.namesClear}</button>}
        </form>
      )}
      {names.length > 0 && (
        <ul class="names" aria-label={w.names}>
          {names.map((one) => (
            <li key={one}>
              <span>{one}</span>
              {may.change && <button class="link" aria-label={`${w.remove}: ${one}`} onClick={() => set(names.filter((other) => other !== one))}>{w.remove}</button>}
            </li>
          ))}
        </ul>
      )}
      {suggestions.length > 0 && (
        <section>
          <h2>{w.namesOften}</h2>
          <ul class="names" aria-label={w.namesOften}>
            {suggestions.map(({ name: one, files, of }) => (
              <li key={one}>
                <span>{one}</span> <span class="quiet">{w.namesOf(files, of)}</span>
                {may.change && <button class="link" aria-label={`${w.namesMake}: ${one}`} onClick={() => set([...names, one])}>{w.namesMake}</button>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
