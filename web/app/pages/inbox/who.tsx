import { refreshed } from "../../data/live.js";
import { api } from "../../data/client.js";
import { useTeamNames } from "../../data/people.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";

const w = words.files;

/** A party that is on one or two contracts says nothing. */
const leastFiles = 3;

/** Asks, once, which of the parties the team is. */
export function Who() {
  const names = useTeamNames();
  const offered = (names.data?.source === undefined ? names.data?.suggestions : undefined)?.filter(({ files }) => files >= leastFiles) ?? [];
  if (offered.length === 0) return null;
  const are = (list: string[]): void =>
    void attempt(async () => {
      await api.setTeamNames({ body: { names: list } });
      await refreshed("names");
      say(words.settings.namesSaved);
    });
  return (
    <div class="note who" role="group" aria-label={w.who}>
      <span>{w.who}</span>
      {offered.map(({ name, files, of }) => (
        <button key={name} class="button" title={words.settings.namesOf(files, of)} onClick={() => are([name])}>{name}</button>
      ))}
      <a class="button" href="/settings/names">{w.whoOther}</a>
      <button class="link" onClick={() => are([])}>{w.whoNone}</button>
    </div>
  );
}
