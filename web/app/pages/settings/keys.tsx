import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, cache, type Schemas } from "../../data/client.js";
import { gathered } from "../../data/document.js";
import { useMay, useSession } from "../../data/people.js";
import { ago } from "../../format.js";
import { attempt } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { Listing, Revoke, Secret } from "./parts.js";

const w = words.settings;
type Kind = Schemas["APIKeyKind"];

/** Keys of programs: one's own, and for admins those of the organization. */
export function Keys() {
  const may = useMay();
  const session = useSession();
  const organization = may.manage && session?.team.kind === "organization";
  const keys = useQuery({ queryKey: ["keys"], queryFn: ({ signal }) => gathered(api.all("listAPIKeys", { query: { limit: 500 }, signal })) });
  const [name, type] = useState("");
  const [kind, be] = useState<Kind>("user");
  const [secret, show] = useState("");
  const [revoking, revoke] = useState<Schemas["APIKey"]>();
  const make = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      const made = await api.createAPIKey({ body: { name: name.trim(), kind } });
      type("");
      show(made.secret);
      await cache.invalidateQueries({ queryKey: ["keys"] });
    });
  };
  return (
    <>
      <h1>{w.pages.keys}</h1>
      <form class="form inline" onSubmit={make}>
        <label>{w.name}<input type="text" required maxLength={200} value={name} onInput={(event) => type(event.currentTarget.value)} /></label>
        <label>
          {w.kind}
          <select value={kind} onChange={(event) => be(event.currentTarget.value as Kind)}>
            <option value="user">{w.kinds.user}</option>
            {organization && <option value="organization">{w.kinds.organization}</option>}
          </select>
        </label>
        <button class="button primary">{w.makeKey}</button>
      </form>
      <Listing
        label={w.pages.keys}
        of={keys}
        none={w.keysNone}
        columns={[{ text: w.name }, { text: w.kind, class: "wide" }, { text: w.hint }, { text: w.used, class: "wide" }, { text: "" }]}
        row={(one) => (
          <tr key={one.id}>
            <th scope="row">{one.name}</th>
            <td class="wide">{w.kinds[one.kind]}</td>
            <td class="mono">{one.hint}</td>
            <td class="wide">{one.lastUsedAt ? ago(one.lastUsedAt) : w.never}</td>
            <td class="number">{one.revokedAt ? <span class="quiet">{w.revoked}</span> : <button class="link" aria-label={`${w.revoke}: ${one.name}`} onClick={() => revoke(one)}>{w.revoke}</button>}</td>
          </tr>
        )}
      />
      {secret && <Secret title={w.newKey} secret={secret} close={() => show("")} />}
      {revoking && (
        <Revoke
          name={revoking.name}
          close={() => revoke(undefined)}
          act={async () => {
            await api.revokeAPIKey({ path: { id: revoking.id } });
            await cache.invalidateQueries({ queryKey: ["keys"] });
          }}
        />
      )}
    </>
  );
}
