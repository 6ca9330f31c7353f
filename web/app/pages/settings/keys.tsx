import { useState } from "preact/hooks";
import { api, type Schemas } from "../../data/client.js";
import { gathered } from "../../data/document.js";
import { useMay, useSession } from "../../data/people.js";
import { words } from "../../words.js";
import { Credentials } from "./parts.js";

const w = words.settings;
type Kind = Schemas["APIKeyKind"];

/** Keys of programs: one's own, and for admins those of the organization. */
export function Keys() {
  const may = useMay();
  const session = useSession();
  const organization = may.manage && session?.team.kind === "organization";
  const [kind, be] = useState<Kind>("user");
  return (
    <Credentials
      page="keys"
      list={() => gathered(api.all("listAPIKeys", { query: { limit: 500 } }))}
      none={w.keysNone}
      makeText={w.makeKey}
      secretTitle={w.newKey}
      make={(name) => api.createAPIKey({ body: { name, kind } }).then(({ secret }) => secret)}
      revoke={(id, signal) => api.revokeAPIKey({ path: { id }, signal })}
      columns={[
        { text: w.kind, class: "wide", show: (one) => w.kinds[one.kind] },
        { text: w.hint, show: (one) => <span class="mono">{one.hint}</span> },
      ]}
    >
      <label>
        {w.kind}
        <select value={kind} onChange={(event) => be(event.currentTarget.value as Kind)}>
          <option value="user">{w.kinds.user}</option>
          {organization && <option value="organization">{w.kinds.organization}</option>}
        </select>
      </label>
    </Credentials>
  );
}
