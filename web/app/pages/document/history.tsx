import { useQueryOf } from "../../address.js";
import { useVersions } from "../../data/document.js";
import { paged } from "../../data/files.js";
import { at, bytes, language } from "../../format.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { words } from "../../words.js";
import type { Shown } from "./panel.js";

/** Where the file comes from, its versions, and how it was read. */
export function History({ file }: Shown) {
  const [, change] = useQueryOf();
  const versions = useVersions(file);
  if (versions.error && !versions.data) return <Failed error={versions.error} again={() => void versions.refetch()} />;
  if (!versions.data) return <Skeleton />;
  return (
    <div class="compare">
      <section>
        <h2>{words.document.versions}</h2>
        <ul class="plain">
          {versions.data.map((version) => (
            <li key={version.n}>
              <a href={`/api/files/${file.id}/download?version=${version.n}`} download>{words.document.version(version.n)}</a>{" "}
              {version.current ? <small class="quiet">{words.document.current}</small> : paged(file) && file.textReady && <button class="link" onClick={() => change({ since: String(version.n) })}>{words.document.markSince}</button>}
              <div class="quiet">
                {at(version.createdAt)} · {version.author?.name || words.document.unknown} · {bytes(version.size)}
              </div>
              {version.note && <div>{version.note}</div>}
            </li>
          ))}
        </ul>
      </section>
      {file.warnings.length > 0 && (
        <section>
          <h2>{words.document.warnings}</h2>
          <ul class="plain">{file.warnings.map((warning) => <li key={warning.code}>{warning.message}</li>)}</ul>
        </section>
      )}
      {file.attempts && file.attempts.length > 0 && (
        <section>
          <h2>{words.document.attempts}</h2>
          <ul class="plain">
            {file.attempts.map((one) => (
              <li key={one.attempt}>
                {words.document.attempt(one.attempt)} <small class="quiet">{words.status[one.status]} · {at(one.finishedAt)}</small>
                {one.error && <div class="bad">{one.error.message}</div>}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{words.document.about}</h2>
        <dl class="facts-short">
          <div><dt>{words.document.size}</dt><dd>{bytes(file.size)}</dd></div>
          <div><dt>{words.document.language}</dt><dd>{file.language ? language(file.language) : words.document.unknown}</dd></div>
          <div><dt>{words.document.sha}</dt><dd class="mono">{file.sha256}</dd></div>
          {Object.entries(file.metadata).map(([key, value]) => (
            <div key={key}><dt>{key}</dt><dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd></div>
          ))}
        </dl>
      </section>
    </div>
  );
}
