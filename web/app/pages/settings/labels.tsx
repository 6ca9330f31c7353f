import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../data/client.js";
import { gathered, useTags } from "../../data/document.js";
import { refreshed } from "../../data/live.js";
import { useMay, useSession } from "../../data/people.js";
import { Help, readRequest } from "../../parts/help.js";
import { attempt } from "../../parts/toasts.js";
import { toTrash } from "../../parts/trash.js";
import { words } from "../../words.js";
import { Listing } from "./parts.js";

const w = words.settings;

/** Types of contracts and labels of clauses: those that come with the service, and the team's own. */
export function Labels() {
  const may = useMay();
  const me = useSession()?.user.id;
  const types = useQuery({ queryKey: ["types", "all"], queryFn: ({ signal }) => gathered(api.all("listDocumentTypes", { query: { limit: 500 }, signal })) });
  const tags = useTags();
  const renewed = () => refreshed("types");
  return (
    <>
      <h1>{w.pages.labels}</h1>
      <section>
        <h2>{w.types} <Help title={w.types} text={w.typesHelp} request={readRequest("/api/document-types", { limit: "500" })} /></h2>
        {may.change && <Make label={w.makeType} make={async (name) => (await api.createDocumentType({ body: { name } }), await renewed())} />}
        <Listing
          label={w.types}
          of={types}
          none={w.none}
          columns={[{ text: w.name }, { text: w.files, class: "number" }, { text: w.origin, class: "wide" }, ...(may.change ? [{ text: "" }] : [])]}
          row={(one) => (
            <tr key={one.id}>
              <th scope="row">{one.name}</th>
              <td class="number">{one.fileCount.toLocaleString()}</td>
              <td class="wide">{one.key ? w.builtIn : w.own}</td>
              {may.change && <td class="number">{!one.key && (may.manage || one.createdBy === me) && <button class="link" aria-label={`${w.delete}: ${one.name}`} onClick={() => toTrash(one.name, () => api.deleteDocumentType({ path: { dtid: one.id } }), ["types", "files"])}>{w.delete}</button>}</td>}
            </tr>
          )}
        />
      </section>
      <section>
        <h2>{w.labels} <Help title={w.labels} text={w.labelsHelp} request={{ method: "GET", path: "/api/tags" }} /></h2>
        {may.change && <Make label={w.makeLabel} make={async (name) => (await api.createTag({ body: { name } }), await refreshed("tags"))} />}
        <Listing
          label={w.labels}
          of={tags}
          none={w.none}
          columns={[{ text: w.name }, { text: w.family, class: "wide" }, { text: w.sentences, class: "number" }, { text: w.decided, class: "number wide" }, ...(may.change ? [{ text: "" }] : [])]}
          row={(one) => (
            <tr key={one.key}>
              <th scope="row">{one.name}</th>
              <td class="wide">{one.family}</td>
              <td class="number">{one.sentences.toLocaleString()}</td>
              <td class="number wide">{one.validated.toLocaleString()}</td>
              {may.change && <td class="number">{one.own && (may.manage || one.createdBy === me) && <button class="link" aria-label={`${w.delete}: ${one.name}`} onClick={() => toTrash(one.name, () => api.deleteTag({ path: { key: one.key } }), ["tags", "files"])}>{w.delete}</button>}</td>}
            </tr>
          )}
        />
      </section>
    </>
  );
}

function Make({ label, make }: { label: string; make: (name: string) => Promise<unknown> }) {
  const [name, type] = useState("");
  const save = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => (await make(name.trim()), type("")));
  };
  return (
    <form class="form inline" onSubmit={save}>
      <label>{w.name}<input type="text" required maxLength={200} value={name} onInput={(event) => type(event.currentTarget.value)} /></label>
      <button class="button">{label}</button>
    </form>
  );
}
