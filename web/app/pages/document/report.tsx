import { useEffect } from "preact/hooks";
import { useClauses, useFacts, useLabelName, useRadar } from "../../data/document.js";
import { factsOf } from "../../data/facts.js";
import { useFieldNames } from "../../data/fields.js";
import { type File, paged, useTypes } from "../../data/files.js";
import { listed, useRedline } from "../../data/redline.js";
import { at, percent } from "../../format.js";
import { words } from "../../words.js";
import { told } from "../redline/text.js";
import { Compare } from "./compare.js";
import { Sure } from "./facts.js";

/** What is printed of a document: all that was found in it. It is in the page only while it is printed, and tells when all of it is there. */
export function Report({ file, ready }: { file: File; ready: (() => void) | undefined }) {
  const [facts, clauses, radar, redline] = [useFacts(file), useClauses(file), useRadar(file), useRedline(file, null)];
  const types = useTypes();
  const name = useLabelName();
  const own = useFieldNames();
  const loading = [facts, clauses, radar, redline].some(({ isLoading }) => isLoading);
  useEffect(() => {
    if (!loading) ready?.();
  }, [loading, ready]);
  const pages = paged(file);
  const found = factsOf(facts.data ?? [], file, own);
  const labelled = (clauses.data ?? []).filter(({ label }) => label !== null);
  const changes = listed(redline.data?.changes ?? []);
  return (
    <article class="printed">
      <header>
        <h1>{file.name}</h1>
        <p class="quiet">{[types.data?.get(file.documentTypeId ?? ""), words.lifecycle[file.lifecycleStage], words.document.version(file.currentVersion), at(new Date().toISOString())].filter(Boolean).join(" · ")}</p>
      </header>
      {found.length > 0 && (
        <section>
          <h2>{words.document.tabs.facts}</h2>
          <dl>
            {found.map((fact) => (
              <div key={fact.key}>
                <dt>{fact.name}</dt>
                {fact.values.map((value) => <dd key={value.value}>{value.shown} <Sure value={value} paged={pages} /></dd>)}
              </div>
            ))}
          </dl>
        </section>
      )}
      {labelled.length > 0 && (
        <section>
          <h2>{words.document.tabs.clauses}</h2>
          <ul>
            {labelled.map((clause) => (
              <li key={clause.id}>
                <span>
                  {clause.labels.map(({ node }) => name(node)).join(", ")}{" "}
                  <small class="quiet">{[clause.source === "validated" ? words.document.confirmed : percent(clause.score ?? 1), pages && words.document.short(clause.page)].filter(Boolean).join(" · ")}</small>
                </span>
                <span>{clause.text}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {radar.data && <section><h2>{words.document.tabs.compare}</h2><Compare file={file} picked={null} pick={() => undefined} /></section>}
      {changes.length > 0 && (
        <section>
          <h2>{words.redline.changes(changes.length)}</h2>
          <ul>{changes.map((change) => <li key={change.id}><span>{told(change)}</span><span>{change.type === "replace" && change.anchor?.text ? <><del>{change.anchor.text}</del> {change.text}</> : change.text || change.anchor?.text || change.comment}</span></li>)}</ul>
        </section>
      )}
    </article>
  );
}
