import { Check, RotateCcw, UserPlus } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../../data/client.js";
import { renew } from "../../data/live.js";
import { type Assignment, assignmentRoles, type Matter, useAssignments } from "../../data/matters.js";
import { nameOf, useMay, usePeople, useSession } from "../../data/people.js";
import { ago } from "../../format.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { Due } from "./matters.js";

const w = words.matters;

/** Who is to do what in a matter, until when. */
export function Assignments({ matter }: { matter: Matter }) {
  const may = useMay();
  const me = useSession()?.user.id;
  const assignments = useAssignments(matter.id);
  const [asking, ask] = useState(false);
  const put = async (one: Assignment, status: Assignment["status"]): Promise<void> => {
    await api.updateMatterAssignment({ path: { matterId: matter.id, assignmentId: one.id }, body: { status } });
    renew("matters");
  };
  const end = (one: Assignment, status: Assignment["status"]): void =>
    void attempt(async () => {
      await put(one, status);
      say(w.assignment[status](one.userName || one.userEmail), () => void attempt(() => put(one, one.status)));
    });
  return (
    <section aria-labelledby="matter-work">
      <header>
        <h2 id="matter-work">{w.work}</h2>
        {may.change && !asking && (
          <button class="button" onClick={() => ask(true)}>
            <UserPlus size={16} class="icon" /> {w.assign}
          </button>
        )}
      </header>
      {asking && <Assign matter={matter} close={() => ask(false)} />}
      {assignments.error && !assignments.data && <Failed error={assignments.error} again={() => void assignments.refetch()} />}
      {assignments.isPending && <Skeleton lines={2} />}
      {assignments.data?.length === 0 && !asking && <p class="quiet">{w.workNone}</p>}
      <ul class="assignments">
        {assignments.data?.map((one) => {
          const own = may.manage || one.userId === me || one.createdBy === me;
          const overdue = one.status === "open" && one.dueAt !== null && Date.parse(one.dueAt) < Date.now();
          return (
            <li key={one.id} class={one.status}>
              <div>
                <strong>{one.userName || one.userEmail}</strong> <span class="chip">{w.role[one.role]}</span>{" "}
                {one.status === "open" ? <Due matter={{ dueAt: one.dueAt, overdue }} /> : <span class="quiet">{w.ending[one.status]} {ago(one.doneAt ?? one.declinedAt ?? one.updatedAt)}</span>}
                {one.note && <p class="quiet note-text">{one.note}</p>}
              </div>
              {own && (
                <span class="buttons">
                  {one.status === "open" ? (
                    <>
                      <button class="button" onClick={() => end(one, "done")}><Check size={16} class="icon" /> {w.done}</button>
                      <button class="button" onClick={() => end(one, "declined")}>{w.decline}</button>
                    </>
                  ) : (
                    <button class="button" onClick={() => end(one, "open")}><RotateCcw size={16} class="icon" /> {w.reopen}</button>
                  )}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Assign({ matter, close }: { matter: Matter; close: () => void }) {
  const people = usePeople();
  const [userId, choose] = useState("");
  const [role, be] = useState<Assignment["role"]>("reviewer");
  const [due, set] = useState("");
  const [note, write] = useState("");
  const first = useRef<HTMLSelectElement>(null);
  useEffect(() => first.current?.focus(), []);
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // the form is left, and not the page
    close();
  };
  const save = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      await api.createMatterAssignment({ path: { matterId: matter.id }, body: { role, ...(userId && { userId }), ...(due && { dueAt: due }), ...(note && { note }) } });
      renew("matters");
      close();
    });
  };
  return (
    <form class="form inline" onSubmit={save} onKeyDown={escape}>
      <label>
        {w.person}
        <select required value={userId} onChange={(event) => choose(event.currentTarget.value)} ref={first}>
          <option value="">{w.choosePerson}</option>
          {people.data?.map((one) => <option key={one.id} value={one.id}>{nameOf(one)}</option>)}
        </select>
      </label>
      <label>
        {w.roleLabel}
        <select value={role} onChange={(event) => be(event.currentTarget.value as Assignment["role"])}>
          {assignmentRoles.map((one) => <option key={one} value={one}>{w.role[one]}</option>)}
        </select>
      </label>
      <label>{w.due}<input type="date" value={due} onInput={(event) => set(event.currentTarget.value)} /></label>
      <label class="long">{w.note}<input type="text" maxLength={5000} value={note} onInput={(event) => write(event.currentTarget.value)} /></label>
      <footer>
        <button class="button" type="button" onClick={close}>{words.cancel}</button>
        <button class="button primary">{w.assign}</button>
      </footer>
    </form>
  );
}
