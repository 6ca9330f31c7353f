import { useState } from "preact/hooks";
import { api, type Schemas } from "../../data/client.js";
import { gathered } from "../../data/document.js";
import type { Role } from "../../data/people.js";
import { words } from "../../words.js";
import { Credentials } from "./parts.js";

const w = words.settings;
const scopes: Schemas["ServiceScope"][] = ["files:read", "files:write", "export", "webhooks", "audit"];
const secretOf = ({ id, secret = "" }: Schemas["ServiceAccount"]): string => `client_id=${id} client_secret=${secret}`;

/** Accounts of programs that work in the team unattended. */
export function Accounts() {
  const [role, be] = useState<Role>("member");
  const [chosen, choose] = useState<Schemas["ServiceScope"][]>(["files:read"]);
  return (
    <Credentials
      page="accounts"
      list={() => gathered(api.all("listServiceAccounts", { query: { limit: 500 } }))}
      none={w.accountsNone}
      makeText={w.makeAccount}
      secretTitle={w.newSecret}
      make={(name) => api.createServiceAccount({ body: { name, role, scopes: chosen } }).then(secretOf)}
      revoke={(id, signal) => api.revokeServiceAccount({ path: { id }, signal })}
      replace={({ id }) => api.replaceServiceAccountSecret({ path: { id }, body: { overlapHours: 24 } }).then(secretOf)}
      columns={[
        { text: w.role, show: (one) => w.roles[one.role] },
        { text: w.scopes, class: "wide", show: (one) => one.scopes.join(", ") },
      ]}
    >
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
    </Credentials>
  );
}
