import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, cache, type Schemas } from "../../data/client.js";
import { gathered } from "../../data/document.js";
import type { Role } from "../../data/people.js";
import { ago } from "../../format.js";
import { attempt } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { Listing, Revoke, Secret } from "./parts.js";

const w = words.settings;
const scopes: Schemas["ServiceScope"][] = ["files:read", "files:write", "export", "webhooks", "audit"];

/** Accounts of programs that work in the team unattended. */
export function Accounts() {
  const accounts = useQuery({ queryKey: ["accounts"], queryFn: ({ signal }) => gathered(api.all("listServiceAccounts", { query: { limit: 500 }, signal })) });
  const [name, type] = useState("");
  const [role, be] = useState<Role>("member");
  const [chosen, choose] = useState<Schemas["ServiceScope"][]>(["files:read"]);
  const [secret, show] = useState("");
  const [revoking, revoke] = useState<Schemas["ServiceAccount"]>();
  const renewed = () => cache.invalidateQueries({ queryKey: ["accounts"] });
  const make = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      const made = await api.createServiceAccount({ body: { name: name.trim(), role, scopes: chosen } });
      type("");
      show(`client_id=${made.id} client_secret=${made.secret ?? ""}`);
      await renewed();
    });
  };
  const replace = (one: Schemas["ServiceAccount"]): void =>
    void attempt(async () => {
      const made = await api.replaceServiceAccountSecret({ path: { id: one.id }, body: { overlapHours: 24 } });
      show(`client_id=${one.id} client_secret=${made.secret ?? ""}`);
      await renewed();
    });
  return (
    <>
      <h1>{w.pages.accounts}</h1>
      <form class="form inline" onSubmit={make}>
        <label>{w.name}<input type="text" required maxLength={200} value={name} onInput={(event) => type(event.currentTarget.value)} /></label>
        <label>
          {w.role}
          <select value={role} onChange={(event) => be(event.currentTarget.value as Role)}>
            {(["viewer", "member", "admin"] as const).map((one) => <option key={one} value={one}>{w.roles[one]}</option>)}
          </select>
        </label>
        <fieldset class="long checks">
          <legend>{w.scopes}</legend>
          {scopes.map((scope) => (
            <label key={scope} class="check">
              <input type="checkbox" checked={chosen.includes(scope)} onChange={() => choose(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope])} /> {scope}
            </label>
          ))}
        </fieldset>
        <button class="button primary">{w.makeAccount}</button>
      </form>
      <Listing
        label={w.pages.accounts}
        of={accounts}
        none={w.accountsNone}
        columns={[{ text: w.name }, { text: w.role }, { text: w.scopes, class: "wide" }, { text: w.used, class: "wide" }, { text: "" }]}
        row={(one) => (
          <tr key={one.id}>
            <th scope="row">{one.name}</th>
            <td>{w.roles[one.role]}</td>
            <td class="wide">{one.scopes.join(", ")}</td>
            <td class="wide">{one.lastUsedAt ? ago(one.lastUsedAt) : w.never}</td>
            <td class="number">
              {one.revokedAt ? (
                <span class="quiet">{w.revoked}</span>
              ) : (
                <>
                  <button class="link" aria-label={`${w.replace}: ${one.name}`} title={w.replaceText} onClick={() => replace(one)}>{w.replace}</button>
                  <button class="link" aria-label={`${w.revoke}: ${one.name}`} onClick={() => revoke(one)}>{w.revoke}</button>
                </>
              )}
            </td>
          </tr>
        )}
      />
      {secret && <Secret title={w.newSecret} secret={secret} close={() => show("")} />}
      {revoking && (
        <Revoke
          name={revoking.name}
          close={() => revoke(undefined)}
          act={async () => {
            await api.revokeServiceAccount({ path: { id: revoking.id } });
            await renewed();
          }}
        />
      )}
    </>
  );
}
