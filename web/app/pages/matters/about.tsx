import { Pencil } from "lucide-preact";
import type { Matter } from "../../data/matters.js";
import { nameOf, useMay, usePeople } from "../../data/people.js";
import { words } from "../../words.js";
import { Due } from "./matters.js";

const w = words.matters;

/** What people set of a matter. */
export function About({ matter, edit }: { matter: Matter; edit: () => void }) {
  const may = useMay();
  const people = usePeople();
  const nameBy = (id: string): string => {
    const person = people.data?.find((one) => one.id === id);
    return person ? nameOf(person) : w.notPerson;
  };
  const overdue = matter.dueAt !== null && matter.status !== "closed" && matter.status !== "cancelled" && Date.parse(matter.dueAt) < Date.now();
  return (
    <section aria-labelledby="matter-about">
      <header>
        <h2 id="matter-about">{w.about}</h2>
        {may.change && (
          <button class="bare" aria-label={w.edit} title={w.edit} onClick={edit}>
            <Pencil size={16} class="icon" />
          </button>
        )}
      </header>
      {matter.description && <p class="note-text">{matter.description}</p>}
      <dl class="facts-short">
        <div><dt>{w.owner}</dt><dd>{matter.ownerId ? nameBy(matter.ownerId) : w.nobody}</dd></div>
        <div><dt>{w.due}</dt><dd>{matter.dueAt ? <Due matter={{ dueAt: matter.dueAt, overdue }} /> : w.noDue}</dd></div>
        <div><dt>{w.people}</dt><dd>{matter.access === "open" ? w.everybody : matter.peopleIds.map(nameBy).join(" · ")}</dd></div>
        {matter.parties.length > 0 && <div><dt>{words.files.columns.parties}</dt><dd>{matter.parties.map(({ name }) => name).join(" · ")}</dd></div>}
        {matter.counterparties.length > 0 && <div><dt>{w.counterparties}</dt><dd>{matter.counterparties.join(" · ")}</dd></div>}
      </dl>
    </section>
  );
}
