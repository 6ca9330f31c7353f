import { useQueryOf } from "../../address.js";
import { api, type Schemas } from "../../data/client.js";
import { useTags } from "../../data/document.js";
import { refreshed } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { useModels } from "../../data/review.js";
import { ago, percent } from "../../format.js";
import { Chart } from "../../parts/chart.js";
import { Help } from "../../parts/help.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { Listing } from "./parts.js";

const w = words.settings;

/** The models that label clauses, with how well each does by label. */
export function Models() {
  const may = useMay();
  const [query, change] = useQueryOf();
  const tags = useTags();
  const answer = useModels();
  const models = { ...answer, data: answer.data?.items };
  const chosen = models.data?.find(({ id }) => id === query.get("id")) ?? models.data?.find(({ status }) => status === "active");
  const metrics = chosen?.metrics;
  const scores = metrics && [...metrics.perNode].sort((a, b) => b.sentences - a.sentences);
  return (
    <>
      <h1>{w.pages.models} <Help title={w.pages.models} text={`${w.modelsText} ${w.f1Text}`} request={{ method: "GET", path: "/api/models/section" }} /></h1>
      <p class="quiet">{w.modelsText}</p>
      {answer.data?.refused && <p class="note">{w.refused} {answer.data.refused.reason}</p>}
      <Listing
        label={w.pages.models}
        of={models}
        none={w.none}
        columns={[{ text: w.name }, { text: w.state }, { text: w.trained, class: "wide" }, { text: w.f1, class: "number" }, { text: "" }]}
        row={(one) => (
          <tr key={one.id} aria-current={one === chosen}>
            <th scope="row">{one.name} <small class="quiet">{one.version}</small></th>
            <td>{w.modelStatus[one.status]}</td>
            <td class="wide">{one.trainedAt ? ago(one.trainedAt) : ""}</td>
            <td class="number">{one.metrics && percent(one.metrics.microF1)}</td>
            <td class="number">
              <button class="link" aria-label={`${w.scores}: ${one.name}`} aria-pressed={one === chosen} onClick={() => change({ id: one.id })}>{w.scores}</button>
              {may.manage && one.status !== "active" && (
                <button
                  class="link"
                  aria-label={`${w.activate}: ${one.name}`}
                  onClick={() => void attempt(async () => (await api.activateSectionModel({ path: { id: one.id } }), say(w.activated(one.name)), await refreshed("models")))}
                >
                  {w.activate}
                </button>
              )}
            </td>
          </tr>
        )}
      />
      <Curve models={models.data ?? []} />
      {chosen && (
        <section>
          <h2>{w.scoresOf(chosen.name)} {metrics && <Help title={w.scoresOf(chosen.name)} text={w.measured(metrics.sentences)} request={{ method: "GET", path: `/api/models/section/${chosen.id}` }} />}</h2>
          {metrics && <p class="quiet">{w.measured(metrics.sentences)}</p>}
          <Listing
            label={w.scores}
            of={{ data: scores ?? [], error: null, refetch: () => undefined }}
            none={w.scoresNone}
            columns={[{ text: w.label }, { text: w.f1, class: "number" }, { text: w.precision, class: "number wide" }, { text: w.recall, class: "number wide" }, { text: w.sentences, class: "number" }]}
            row={(one) => (
              <tr key={one.node}>
                <th scope="row">{tags.data?.find(({ key }) => key === one.node)?.name ?? one.node}</th>
                <td class="number">{percent(one.f1)}</td>
                <td class="number wide">{percent(one.precision)}</td>
                <td class="number wide">{percent(one.recall)}</td>
                <td class="number">{one.sentences.toLocaleString()}</td>
              </tr>
            )}
          />
        </section>
      )}
    </>
  );
}

/** How well each model of the team did on decisions that it did not learn from, beside the one before it on the same. */
function Curve({ models }: { models: Schemas["Model"][] }) {
  const learned = models.filter(({ kind, metrics, before }) => kind === "team" && metrics && before).reverse();
  const first = learned[0];
  if (!first) return null;
  const f1 = (of: Schemas["ModelMetrics"] | undefined): number => of?.microF1 ?? 0;
  return (
    <section>
      <h2>{w.curve} <Help title={w.curve} text={w.curveText} request={{ method: "GET", path: "/api/models/section" }} /></h2>
      <p class="quiet">{w.curveText}</p>
      <Chart
        kind="line"
        title={w.curve}
        names={[w.decisions, w.f1]}
        points={[
          { name: "0", value: f1(first.before), shown: percent(f1(first.before)) },
          ...learned.map(({ trainingSentences, metrics, before }) => ({ name: (trainingSentences ?? 0).toLocaleString(), value: f1(metrics), shown: w.against(percent(f1(metrics)), percent(f1(before))) })),
        ]}
      />
    </section>
  );
}
