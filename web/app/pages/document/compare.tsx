import { useLikenesses, useRadar } from "../../data/document.js";
import { useTypes } from "../../data/files.js";
import { percent } from "../../format.js";
import { Help } from "../../parts/help.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { words } from "../../words.js";
import type { Shown } from "./panel.js";

/** The contract beside others of its type: what is usual, and what is missing here. */
export function Compare({ file }: Shown) {
  const radar = useRadar(file);
  const like = useLikenesses(file);
  const types = useTypes();
  if (radar.error && !radar.data) return <Failed error={radar.error} again={() => void radar.refetch()} />;
  if (!radar.data) return file.textReady ? <Skeleton /> : <Empty title={words.document.compareNone} />;
  const { compared, axes } = radar.data;
  const over = words.document.compareOf(compared.files, types.data?.get(compared.documentTypeId ?? ""));
  const missing = axes.flatMap(({ nodes }) => nodes).filter(({ sentences, frequency }) => sentences === 0 && frequency >= 0.5);
  return (
    <div class="compare">
      {compared.files > 0 && (
        <section>
          <header class="titled">
            <h2>{words.document.compareAbove}</h2>
            <Help title={words.document.compareAbove} text={over} request={{ method: "GET", path: `/api/files/${file.id}/radar` }} />
          </header>
          <p class="quiet">{over}</p>
          <table class="bars">
            <thead>
              <tr>
                <th scope="col">{words.document.compareTable.topic}</th>
                <th scope="col"><span class="unseen">{words.document.compareTable.chart}</span></th>
                <th scope="col" class="number">{words.document.compareTable.here}</th>
                <th scope="col" class="number">{words.document.compareTable.usual}</th>
              </tr>
            </thead>
            <tbody>
              {axes.map(({ node, label, value, corpusMean, corpusP10, corpusP90, typical }) => (
                <tr key={node} class={typical ? "" : "odd"}>
                  <th scope="row">{label}</th>
                  <td aria-hidden="true">
                    <svg class="bar" viewBox="0 0 100 12" preserveAspectRatio="none" width="100%" height="12">
                      <rect class="bar-ground" x="0" y="4" width="100" height="4" />
                      <rect class="bar-usual" x={corpusP10 * 100} y="4" width={Math.max((corpusP90 - corpusP10) * 100, 1)} height="4" />
                      <rect class="bar-here" x={Math.max(value * 100 - 1, 0)} y="0" width="2" height="12" />
                    </svg>
                  </td>
                  <td class="number">{percent(value)}</td>
                  <td class="number quiet">{percent(corpusMean)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {missing.length > 0 && (
        <section>
          <h2>{words.document.missing}</h2>
          <ul class="plain">
            {missing.map(({ node, label, frequency }) => (
              <li key={node}>
                {label} <small class="quiet">{words.document.inShare(percent(frequency))}</small>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <header class="titled">
          <h2>{words.document.compareLike}</h2>
          <Help title={words.document.compareLike} text={words.document.likeHelp} request={{ method: "GET", path: `/api/files/${file.id}/likeness` }} />
        </header>
        {like.data?.length === 0 && <p class="quiet">{words.document.compareNone}</p>}
        <ul class="plain">
          {like.data?.map((other) => (
            <li key={other.fileId}>
              <a href={`/files/${other.fileId}`}>{other.name}</a>{" "}
              <small class="quiet">
                {words.document.kind[other.kind]} · {percent(other.percent / 100)}
              </small>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
