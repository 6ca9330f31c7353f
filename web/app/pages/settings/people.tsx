import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, type Schemas } from "../../data/client.js";
import { refreshed } from "../../data/live.js";
import { nameOf, type Role, useMay, usePeople, useSession } from "../../data/people.js";
import { ago, at } from "../../format.js";
import { Ask } from "../../parts/ask.js";
import { attempt, say, useAttempt } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { Listing, Secret } from "./parts.js";

const w = words.settings;
const roles: Role[] = ["viewer", "member", "admin"];

/** Who is in the team, and who is invited. */
export function People() {
  const session = useSession();
  const may = useMay();
  const people = usePeople();
  const manage = may.manage && session?.team.kind === "organization";
  const [removing, remove] = useState<Schemas["TeamUser"]>();
  const tried = useAttempt();
  const put = async (one: Schemas["TeamUser"], role: Role): Promise<void> => {
    await api.setTeamUserRole({ path: { userId: one.id }, body: { role } });
    await refreshed("people");
    if (one.id === session?.user.id) await refreshed("session");
  };
  const change = (one: Schemas["TeamUser"], role: Role): void =>
    void tried(async () => {
      await put(one, role);
      say(w.roleOf(nameOf(one), w.roles[role]), () => void attempt(() => put(one, one.role)));
    });
  return (
    <>
      <h1>{w.pages.people}</h1>
      <Listing
        label={w.pages.people}
        of={people}
        none={w.none}
        columns={[{ text: w.name }, { text: w.email, class: "wide" }, { text: w.role }, { text: w.joined, class: "wide" }, ...(manage ? [{ text: "" }] : [])]}
        row={(one) => (
          <tr key={one.id}>
            <th scope="row">{nameOf(one)}</th>
            <td class="wide">{one.email}</td>
            <td>
              {manage ? (
                <select aria-label={`${w.role}: ${nameOf(one)}`} value={one.role} onChange={(event) => change(one, event.currentTarget.value as Role)}>
                  {roles.map((role) => <option key={role} value={role}>{w.roles[role]}</option>)}
                </select>
              ) : (
                w.roles[one.role]
              )}
            </td>
            <td class="wide"><time dateTime={one.joinedAt} title={at(one.joinedAt)}>{ago(one.joinedAt)}</time></td>
            {manage && <td class="number">{one.id !== session.user.id && <button class="link" aria-label={`${w.remove}: ${nameOf(one)}`} onClick={() => remove(one)}>{w.remove}</button>}</td>}
          </tr>
        )}
      />
      <p class="quiet">{w.rolesText}</p>
      {manage && <Invitations />}
      {removing && (
        <Ask
          title={w.removePerson(nameOf(removing))}
          text={w.removePersonText}
          yes={w.remove}
          close={() => remove(undefined)}
          act={async (signal) => {
            await api.removeTeamUser({ path: { userId: removing.id }, signal });
            await refreshed("people");
          }}
        />
      )}
    </>
  );
}

function Invitations() {
  const open = useQuery({ queryKey: ["people", "invitations"], queryFn: async ({ signal }) => (await api.listInvitations({ signal })).items });
  const [email, type] = useState("");
  const [role, be] = useState<Role>("member");
  const [token, show] = useState("");
  const renewed = () => refreshed("people", "invitations");
  const invite = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      const made = await api.createInvitation({ body: { email, role } });
      type("");
      show(made.token);
      await renewed();
    });
  };
  return (
    <section>
      <h2>{w.invitations}</h2>
      <form class="form inline" onSubmit={invite}>
        <label>{w.email}<input type="email" required maxLength={254} value={email} onInput={(event) => type(event.currentTarget.value)} /></label>
        <label>
          {w.role}
          <select value={role} onChange={(event) => be(event.currentTarget.value as Role)}>{roles.map((one) => <option key={one} value={one}>{w.roles[one]}</option>)}</select>
        </label>
        <button class="button primary">{w.invite}</button>
      </form>
      <Listing
        label={w.invitations}
        of={open}
        none={w.invitationsNone}
        columns={[{ text: w.email }, { text: w.role }, { text: w.expires, class: "wide" }, { text: "" }]}
        row={(one) => (
          <tr key={one.id}>
            <th scope="row">{one.email}</th>
            <td>{w.roles[one.role]}</td>
            <td class="wide">{ago(one.expiresAt)}</td>
            <td class="number">
              <button class="link" aria-label={`${w.withdraw}: ${one.email}`} onClick={() => void attempt(async () => (await api.deleteInvitation({ path: { id: one.id } }), await renewed()))}>{w.withdraw}</button>
            </td>
          </tr>
        )}
      />
      {token && <Secret title={w.invitationToken} secret={token} close={() => show("")} />}
    </section>
  );
}
