import { useState } from "preact/hooks";
import { api, type Schemas, status } from "../../data/client.js";
import { renew } from "../../data/live.js";
import type { Matter } from "../../data/matters.js";
import { nameOf, usePeople } from "../../data/people.js";
import { Dialog } from "../../parts/dialog.js";
import { Tick } from "../../parts/people.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { Access } from "./matters.js";

const w = words.matters;

/** What people set of a matter, as the fields of the form have it. */
const formOf = ({ name, description, ownerId, dueAt, access, peopleIds, counterparties }: Matter) => ({
  name,
  description,
  ownerId: ownerId ?? "",
  due: dueAt?.slice(0, 10) ?? "",
  access,
  people: [...peopleIds].sort().join(),
  counterparties: counterparties.join("\n"),
});
type Typed = ReturnType<typeof formOf>;

/** All that people set of a matter. A change of somebody else meanwhile is told, and not overwritten unless it is saved again. */
export function Edit({ matter, close }: { matter: Matter; close: () => void }) {
  const people = usePeople();
  const [based, rebase] = useState(matter);
  const [meanwhile, tell] = useState(false);
  const [typed, type] = useState(() => formOf(matter));
  const put = (parts: Partial<Typed>): void => type((now) => ({ ...now, ...parts }));
  const changed = (name: keyof Typed): boolean => typed[name].trim() !== formOf(based)[name].trim();
  const save = (event: Event): void => {
    event.preventDefault();
    const { name, description, ownerId, due, access } = typed;
    const body: Schemas["UpdateMatterRequest"] = {
      ...(changed("name") && { name: name.trim() }),
      ...(changed("description") && { description }),
      ...(changed("ownerId") && { ownerId }),
      ...(changed("due") && { dueAt: due || null }),
      ...(changed("access") && { access }),
      ...(access === "restricted" && { peopleIds: typed.people.split(",").filter(Boolean) }),
      ...(changed("counterparties") && { counterparties: typed.counterparties.split("\n").map((one) => one.trim()).filter(Boolean) }),
    };
    void attempt(async () => {
      try {
        await api.updateMatter({ path: { matterId: matter.id }, header: { "If-Match": `"${based.version}"` }, body });
      } catch (error) {
        if (status(error) !== 409) throw error;
        // What was not touched here is as they left it; what was typed stays, to be saved over theirs or not.
        const newest = await api.getMatter({ path: { matterId: matter.id } });
        const theirs = formOf(newest);
        put(Object.fromEntries(Object.entries(theirs).filter(([name]) => !changed(name as keyof Typed))));
        rebase(newest);
        tell(true);
        return;
      }
      renew("matters");
      close();
      say(w.saved(name.trim()));
    });
  };
  const listed = typed.people.split(",").filter(Boolean);
  return (
    <Dialog open close={close} title={w.edit}>
      <form class="form" onSubmit={save}>
        {meanwhile && <p class="note" role="alert">{w.meanwhile}</p>}
        <label>{w.name}<input type="text" required maxLength={300} data-autofocus value={typed.name} onInput={(event) => put({ name: event.currentTarget.value })} /></label>
        <label>{w.description}<textarea rows={3} maxLength={20000} value={typed.description} onInput={(event) => put({ description: event.currentTarget.value })} /></label>
        <label>
          {w.owner}
          <select value={typed.ownerId} onChange={(event) => put({ ownerId: event.currentTarget.value })}>
            <option value="">{w.nobody}</option>
            {people.data?.map((one) => <option key={one.id} value={one.id}>{nameOf(one)}</option>)}
          </select>
        </label>
        <label>{w.due}<input type="date" value={typed.due} onInput={(event) => put({ due: event.currentTarget.value })} /></label>
        <label>{w.counterparties}<textarea rows={2} value={typed.counterparties} onInput={(event) => put({ counterparties: event.currentTarget.value })} /></label>
        <Access access={typed.access} restrict={(access) => put({ access })} />
        {typed.access === "restricted" && <Tick legend={w.people} people={people.data} ticked={listed} tick={(ids) => put({ people: ids.sort().join() })} />}
        <footer>
          <button class="button" type="button" onClick={close}>{words.cancel}</button>
          <button class="button primary">{words.document.save}</button>
        </footer>
      </form>
    </Dialog>
  );
}
