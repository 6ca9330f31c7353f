import { api, ClausemillError, type Schemas, status } from "../data/client.js";
import { date, fromToday, named, percent, reckoned } from "../format.js";
import { useQuery } from "@tanstack/preact-query";
import { words } from "../words.js";
import { Chart, type Point } from "./chart.js";
import { Failed, Skeleton } from "./states.js";

type Data = Schemas["Data"];
type Query = Schemas["Query"];
type Condition = Schemas["Condition"];

/** What was understood of a question: each phrase in words, and the query that it stands for. */
export function Understood({ question: { understood, config, model } }: { question: Schemas["Generated"] }) {
  return (
    <>
      {model && <p class="quiet">{words.questions.model(model)}</p>}
      <dl class="understood" aria-label={words.questions.understood}>
        {understood.map(({ phrase, meaning }, i) => (
          <div key={i}><dt>{phrase}</dt><dd>{meaning}</dd></div>
        ))}
      </dl>
      <details class="query">
        <summary>{words.questions.query}</summary>
        <pre class="curl" tabIndex={0} aria-label={words.questions.query}>{JSON.stringify(config.query, null, 2)}</pre>
      </details>
    </>
  );
}

/** What of a question was not understood, with the nearest that is known. */
export function NotUnderstood({ error, again }: { error: unknown; again: () => void }) {
  if (status(error) !== 422 || !(error instanceof ClausemillError)) return <Failed error={error} again={again} />;
  return (
    <div role="alert">
      <h2>{words.questions.notUnderstood}</h2>
      <p>{error.message}</p>
      <ul class="plain">{error.details.map(({ message }, i) => <li key={i}>{message}</li>)}</ul>
    </div>
  );
}

/** The answer to a question. It is understood once, and its figures follow what changes. Words that may be no question are not put to a language model. */
export function useAnswer(text: string, asked: boolean, grammarOnly = false) {
  const { data: read, error, refetch } = useQuery({
    queryKey: ["question", text, grammarOnly],
    queryFn: () => api.generateWidgetConfig({ body: { prompt: text, ...(grammarOnly && { grammarOnly }) } }),
    enabled: asked,
    staleTime: Infinity,
    placeholderData: (before, query) => (query?.queryKey[2] === grammarOnly && asked ? before : undefined),
  });
  const query = read?.config.query;
  const figures = useQuery({
    queryKey: ["files", "widget", query],
    queryFn: () => api.executeWidgetQuery({ body: { query: query! } }),
    enabled: query !== undefined,
    initialData: read?.preview,
  });
  return { data: read && { ...read, preview: figures.data ?? read.preview }, error, refetch };
}

/** What a search is answered with that is a question: nothing where its words are to be looked for only. */
export function AnswerTo({ text, answer }: { text: string; answer: ReturnType<typeof useAnswer> }) {
  if (answer.error && (status(answer.error) !== 422 || !text.trim().endsWith("?"))) return null;
  return (
    <section class="widget answer" aria-label={words.questions.answer}>
      {answer.error ? (
        <NotUnderstood error={answer.error} again={() => void answer.refetch()} />
      ) : !answer.data ? (
        <Skeleton lines={3} />
      ) : (
        <>
          <header>
            <h2>{answer.data.config.title}</h2>
            <span class="push" />
            <a class="button" href={`/questions?ask=${encodeURIComponent(text)}`}>{words.questions.open}</a>
          </header>
          <Understood question={answer.data} />
          <Figure config={answer.data.config} data={answer.data.preview} />
        </>
      )}
    </section>
  );
}

const fieldOf = (field: string): string => named(field.replace(/^(attribute|field|metadata)\./, "").replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`));

/** A value of a condition in words: no ids, and days that are told from today, as today+90d, as people say them or by their date. */
function valueIn(value: string): string {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value)) return "…";
  const month = /^(next-)?(january|february|march|april|may|june|july|august|september|october|november|december)$/.exec(value);
  if (month) return (month[1] ? words.questions.coming : words.questions.latest)(named(month[2]!));
  const [, sign, n, unit] = /^today(?:([+-])(\d+)([dwmy]))?$/.exec(value) ?? [];
  const on = reckoned(value);
  return n === undefined || unit === undefined ? (on ? date(on) : value) : fromToday(Number(`${sign}${n}`), ({ d: "day", w: "week", m: "month", y: "year" } as Record<string, Parameters<typeof fromToday>[1]>)[unit]!);
}

/** A condition in words. */
function conditionIn({ all, any, not, field = "", op, values = [], than }: Condition): string {
  if (all) return all.map(conditionIn).join(" · ");
  if (any) return any.map(conditionIn).join(` ${words.questions.or} `);
  if (not) return words.questions.notThat(conditionIn(not));
  return [fieldOf(field), (op && words.questions.operators[op]) ?? op, ...(than ? [fieldOf(than)] : []), values.map((one) => valueIn(String(one))).join(", ")].filter(Boolean).join(" ");
}

/** A query in words: what is measured, by what, and of which files. */
export function inWords({ metric, groupBy = [], across, filters = [], only = [], having = [] }: Query, data: Data | undefined): string {
  const label = (i: number, field: string): string => data?.columns[i]?.label ?? fieldOf(field);
  const measured = data?.columns.at(-1)?.label ?? named(metric.op);
  const by = across ? "" : groupBy.map((field, i) => label(i, field).toLowerCase()).join(", "); // it is in the name of the measure
  const share = metric.filters ? `${measured}: ${metric.filters.map(conditionIn).join(" · ")}` : measured;
  const bound = (value: number, whole: string | undefined): string => (whole === undefined ? value.toLocaleString() : value === 1 ? whole : words.questions.times(value.toLocaleString(), whole));
  const bounds = having.map(({ op, value, across: figure }) => `${measured} ${words.questions.bounds[op]} ${bound(value, figure && words.questions.ofAll[figure])}`);
  return [by === "" ? share : words.questions.by(share, by), ...bounds, ...[...only, ...filters].map(conditionIn)].filter(Boolean).join(" · ");
}

/** The answer to a query in the shape that it asks for. Pies are shown as bars, which can be compared. */
export function Figure({ config: { kind, title, query }, data }: { config: Schemas["WidgetConfig"]; data: Data }) {
  const points = pointsOf(data, query);
  const column = data.columns.at(-1);
  if (points.length === 0) return <p class="quiet">{words.questions.nothing}</p>;
  if (kind === "number" && points.length === 1) return <p class="figure">{points[0]!.path ? <a href={points[0]!.path}>{points[0]!.shown}</a> : points[0]!.shown}</p>;
  if (kind === "table") return <Table title={title} data={data} query={query} />;
  const names = data.columns.slice(0, -1).map(({ label }) => label).join(" · ") || title;
  return (
    <>
      <Chart kind={kind === "line" ? "line" : "bar"} title={title} names={[names, column?.label ?? ""]} points={points} />
      {data.truncated && <p class="quiet">{words.questions.truncated(points.length, data.total)}</p>}
    </>
  );
}

/** What single rows are called, which are listed by their names and not counted. */
const ofRows = ["file", "sentence", "matterName"];

function Table({ title, data, query }: { title: string; data: Data; query: Schemas["Query"] }) {
  const counted = query.metric.op !== "count" || !query.groupBy?.some((field) => ofRows.includes(field));
  const columns = counted ? data.columns : data.columns.slice(0, -1);
  const points = pointsOf(data, query);
  const cell = (i: number, n: number): string => {
    const value: unknown = data.rows[i]?.[n];
    return n === data.columns.length - 1 ? (points[i]?.shown ?? "") : value === null ? words.questions.no : columns[n]?.kind === "date" ? period(String(value), query.bucket) : String(value);
  };
  return (
    <div class="scrolled" tabIndex={0} role="group" aria-label={title}>
      <table class="table">
        <thead>
          <tr>{columns.map(({ key, label }) => <th key={key} scope="col">{label}</th>)}</tr>
        </thead>
        <tbody>
          {data.rows.map((_, i) => (
            <tr key={i}>
              {columns.map(({ key }, n) => (
                <td key={key}>{key === "file" && data.keys[i]?.[n] ? <a href={`/files/${data.keys[i][n]}`}>{cell(i, n)}</a> : cell(i, n)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">{data.truncated ? words.questions.truncated(points.length, data.total) : words.questions.rows(data.total)}</p>
    </div>
  );
}

/** A period by its first day, as precise as it is long. */
function period(day: string, bucket: Query["bucket"] = "month"): string {
  if (bucket === "quarter") return words.questions.quarter(Math.ceil(Number(day.slice(5, 7)) / 3), day.slice(0, 4));
  return date(bucket === "year" ? day.slice(0, 4) : bucket === "month" ? day.slice(0, 7) : day);
}

function pointsOf({ columns, rows, keys }: Data, query: Schemas["Query"]): Point[] {
  return rows.map((row, i) => {
    const last: unknown = row.at(-1);
    const name = row.slice(0, -1).map((one: unknown, n) => (one === null ? words.questions.no : columns[n]?.kind === "date" ? period(String(one), query.bucket) : String(one))).join(" · ");
    const number = typeof last === "number" ? last : Number.parseFloat(String(last));
    const shown = typeof last === "number" ? (query.metric.op === "share" ? percent(last / 100, 1) : last.toLocaleString(undefined, { maximumFractionDigits: 2 })) : last === null || last === undefined ? "–" : String(last);
    return { name: name || words.questions.all, value: Number.isFinite(number) ? number : 0, shown, path: behind(query, keys[i] ?? []) };
  });
}

/** The inbox with the files behind a value. Values of dates are periods, which no single condition names. */
function behind({ source, metric, filters = [], groupBy = [], across }: Schemas["Query"], keys: (string | null)[]): string | undefined {
  if (source !== "files" || across || groupBy.some((field) => /date|At$/i.test(field))) return undefined;
  const all: Schemas["Condition"][] = [...filters, ...(metric.filters ?? []), ...groupBy.map((field, i) => (keys[i] === null || keys[i] === undefined ? { field, op: "missing" as const } : { field, op: "in" as const, values: [keys[i]] }))];
  return all.length > 0 ? `/?${new URLSearchParams({ filter: JSON.stringify({ all }) })}` : "/";
}
