import { useState } from "preact/hooks";
import { useQueryOf } from "../../address.js";
import { api, cache } from "../../data/client.js";
import { type Field, useField, useFields } from "../../data/fields.js";
import { useMay, useSession } from "../../data/people.js";
import { ago, at, percent } from "../../format.js";
import { Dialog } from "../../parts/dialog.js";
import { Help } from "../../parts/help.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { say } from "../../parts/toasts.js";
import { toTrash } from "../../parts/trash.js";
import { words } from "../../words.js";
import { Declare } from "../document/mark.js";
import { Listing } from "./parts.js";

const w = words.settings;
const f = words.fields;

/** The facts that the team declared: what each asks for, and how well it is learned. */
export function Fields() {
  const may = useMay();
  const me = useSession()?.user.id;
  const [query, change] = useQueryOf();
  const fields = useFields();
  const [making, make] = useState(false);
  const chosen = fields.data?.find(({ key }) => key === query.get("key")) ?? fields.data?.[0];
  const remove = ({ key, name }: Field): void =>
    toTrash(
      name,
      async () => {
        const gone = await api.deleteField({ path: { key }, query: { force: true } });
        cache.setQueryData<Field[]>(["fields"], (all) => all?.filter((one) => one.key !== key)); // what was learned of it is not asked for again
        return gone;
      },
      ["fields", "files", "file"],
    );
  return (
    <>
      <h1>{w.pages.fields}</h1>
      <p class="quiet">{f.text}</p>
      {may.change && <p><button class="button" onClick={() => make(true)}>{f.declare}</button></p>}
      <Listing
        label={w.pages.fields}
        of={fields}
        none={f.none}
        columns={[{ text: w.name }, { text: f.kind }, { text: f.question, class: "wide" }, { text: "" }]}
        row={(one) => (
          <tr key={one.key} aria-current={one === chosen}>
            <th scope="row">{one.name}</th>
            <td>{f.kinds[one.kind]}</td>
            <td class="wide">{one.question}</td>
            <td class="number">
              <button class="link" aria-label={`${w.scores}: ${one.name}`} aria-pressed={one === chosen} onClick={() => change({ key: one.key })}>{w.scores}</button>
              {may.change && (may.manage || one.createdBy === me) && <button class="link" aria-label={`${w.delete}: ${one.name}`} onClick={() => remove(one)}>{w.delete}</button>}
            </td>
          </tr>
        )}
      />
      {chosen && <Learned key={chosen.key} field={chosen} />}
      <Dialog open={making} close={() => make(false)} title={f.declare}>
        <Declare close={() => make(false)} made={(field) => (make(false), change({ key: field.key }), say(f.declared(field.name)))} />
      </Dialog>
    </>
  );
}

/** What was learned of a field, version by version. */
function Learned({ field }: { field: Field }) {
  const { data, error, refetch } = useField(field.key);
  if (error && !data) return <Failed error={error} again={() => void refetch()} />;
  if (!data?.learning) return <Skeleton lines={3} />;
  const { status, files, needed, reason, versions } = data.learning;
  return (
    <section>
      <h2>
        {f.learnedOf(field.name)} <Help title={f.learnedOf(field.name)} text={f.scoresText} request={{ method: "GET", path: `/api/fields/${field.key}` }} />
      </h2>
      <p>{f.status[status](files, needed)} {reason}</p>
      <p class="quiet">{f.filter}</p>
      <p><a class="button" href={`/?${new URLSearchParams({ filter: JSON.stringify({ field: field.filter, op: "exists" }) })}`}>{f.filesWith}</a></p>
      {versions.length > 0 && (
        <Listing
          label={f.versions}
          of={{ data: versions, error: null, refetch: () => undefined }}
          none=""
          columns={[{ text: f.version }, { text: w.state }, { text: w.trained, class: "wide" }, { text: w.f1, class: "number" }, { text: w.precision, class: "number" }, { text: w.recall, class: "number" }, { text: f.threshold, class: "number wide" }, { text: w.files, class: "number wide" }]}
          row={(one) => (
            <tr key={one.version}>
              <th scope="row">{one.version.toLocaleString()}</th>
              <td title={one.reason}>{f.versionStatus[one.status]}</td>
              <td class="wide"><time dateTime={one.trainedAt} title={at(one.trainedAt)}>{ago(one.trainedAt)}</time></td>
              <td class="number">{percent(one.f1)}</td>
              <td class="number">{percent(one.precision)}</td>
              <td class="number">{percent(one.recall)}</td>
              <td class="number wide">{percent(one.threshold)}</td>
              <td class="number wide">{one.files.toLocaleString()}</td>
            </tr>
          )}
        />
      )}
    </section>
  );
}
