import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { ArrowDown, ArrowUp, Ellipsis, Pencil, StretchHorizontal, Trash2 } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useQueryOf } from "../../address.js";
import { api, cache, type Schemas } from "../../data/client.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { date } from "../../format.js";
import { Chart, type Point } from "../../parts/chart.js";
import { Dialog } from "../../parts/dialog.js";
import { Help } from "../../parts/help.js";
import { Menu } from "../../parts/menu.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { toTrash } from "../../parts/trash.js";
import { words } from "../../words.js";

type Widget = Schemas["Widget"];
type Data = Schemas["Data"];

/** Questions in plain words, each answered by a chart, and those that the team keeps. */
export function Questions() {
  const may = useMay();
  const [query, change] = useQueryOf();
  const asked = query.get("ask") ?? "";
  const [typed, type] = useState(asked);
  useEffect(() => type(asked), [asked]);
  useTitle(words.questions.title);
  const answer = useQuery({
    queryKey: ["files", "question", asked],
    queryFn: () => api.generateWidgetConfig({ body: { prompt: asked } }),
    enabled: asked !== "",
    placeholderData: keepPreviousData,
  });
  const widgets = useQuery({ queryKey: ["widgets"], queryFn: async ({ signal }) => (await api.listWidgets({ signal })).items });
  const keep = ({ kind, query, title }: Schemas["WidgetConfig"]): void =>
    void attempt(async () => {
      await api.createWidget({ body: { kind, query, title } });
      renew("widgets");
      change({ ask: undefined });
      say(words.questions.kept(title));
    });
  return (
    <div class="questions">
      <header class="page-head">
        <h1>{words.questions.title}</h1>
        <form class="search-form ask" onSubmit={(event) => (event.preventDefault(), change({ ask: typed.trim() }))}>
          <input type="search" aria-label={words.questions.ask} placeholder={words.questions.placeholder} maxLength={1000} value={typed} onInput={(event) => type(event.currentTarget.value)} />
          <button class="button primary" disabled={typed.trim() === ""}>{words.questions.button}</button>
        </form>
        <Help title={words.questions.title} text={words.questions.help} request={{ method: "POST", path: "/api/dashboard-widgets/generate-config", body: { prompt: asked || typed } }} />
      </header>
      <div class="report">
        {asked !== "" && (
          <section class="widget answer" aria-label={words.questions.answer}>
            {answer.error && !answer.data ? (
              <Failed error={answer.error} again={() => void answer.refetch()} />
            ) : !answer.data ? (
              <Skeleton />
            ) : (
              <>
                <header>
                  <h2>{answer.data.config.title}</h2>
                  <span class="push" />
                  {may.change && <button class="button primary" onClick={() => keep(answer.data.config)}>{words.questions.keep}</button>}
                </header>
                <dl class="understood" aria-label={words.questions.understood}>
                  {answer.data.understood.map(({ phrase, meaning }, i) => (
                    <div key={i}><dt>{phrase}</dt><dd>{meaning}</dd></div>
                  ))}
                </dl>
                <Figure config={answer.data.config} data={answer.data.preview} />
              </>
            )}
          </section>
        )}
        {widgets.error && !widgets.data && <Failed error={widgets.error} again={() => void widgets.refetch()} />}
        {widgets.isPending && <Skeleton />}
        {widgets.data?.length === 0 && asked === "" && (
          <Empty title={words.questions.none}>
            <p>{words.questions.noneText}</p>
            <ul class="plain">
              {words.questions.examples.map((example) => (
                <li key={example}><button class="button" onClick={() => change({ ask: example })}>{example}</button></li>
              ))}
            </ul>
          </Empty>
        )}
        <div class="widgets">
          {widgets.data?.map((widget, i) => <One key={widget.id} widget={widget} all={widgets.data} index={i} />)}
        </div>
      </div>
    </div>
  );
}

/** A question that is kept, with its present answer. */
function One({ widget, all, index }: { widget: Widget; all: Widget[]; index: number }) {
  const may = useMay();
  const [renaming, rename] = useState(false);
  const [name, type] = useState(widget.title);
  const data = useQuery({ queryKey: ["files", "widget", widget.query], queryFn: () => api.executeWidgetQuery({ body: { query: widget.query } }), placeholderData: keepPreviousData });
  const put = (change: Schemas["UpdateWidgetRequest"]): Promise<unknown> => api.updateWidget({ path: { id: widget.id }, body: change });
  const remove = (): void => toTrash(widget.title, () => api.deleteWidget({ path: { id: widget.id } }), ["widgets"]);
  // The order is laid out anew, so that no two overlap.
  const arrange = (order: Widget[], wide: (one: Widget) => number = (one) => one.position.w): void =>
    void attempt(async () => {
      let [x, y, tall] = [0, 0, 0];
      const placed = order.map((one) => {
        const w = wide(one);
        if (x + w > 12) [x, y, tall] = [0, y + tall, 0];
        const position = { x, y, w, h: one.position.h };
        [x, tall] = [x + w, Math.max(tall, one.position.h)];
        return { ...one, position };
      });
      const before = cache.getQueryData<Widget[]>(["widgets"]);
      cache.setQueryData<Widget[]>(["widgets"], placed);
      try {
        await api.arrangeWidgets({ body: { widgets: placed.map(({ id, position }) => ({ id, position })) } });
      } catch (error) {
        cache.setQueryData(["widgets"], before);
        throw error;
      } finally {
        renew("widgets");
      }
    });
  const moved = (to: number): Widget[] => {
    const order = all.filter(({ id }) => id !== widget.id);
    order.splice(to, 0, widget);
    return order;
  };
  const save = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      await put({ title: name });
      rename(false);
      renew("widgets");
      say(words.questions.kept(name), () => attempt(async () => (await put({ title: widget.title }), renew("widgets"))));
    });
  };
  const broad = widget.position.w > 6;
  return (
    <section class={broad ? "widget broad" : "widget"} aria-labelledby={`widget-${widget.id}`}>
      <header>
        <h2 class="cut" id={`widget-${widget.id}`} title={widget.title}>{widget.title}</h2>
        <Help title={widget.title} text={words.questions.over(data.data?.total ?? 0)} request={{ method: "POST", path: "/api/dashboard-widgets/execute-query", body: { query: widget.query } }} />
        <span class="push" />
        {may.change && (
          <>
            <button class="bare small" disabled={index === 0} aria-label={words.questions.before(widget.title)} onClick={() => arrange(moved(index - 1))}><ArrowUp size={14} class="icon" /></button>
            <button class="bare small" disabled={index === all.length - 1} aria-label={words.questions.after(widget.title)} onClick={() => arrange(moved(index + 1))}><ArrowDown size={14} class="icon" /></button>
            <Menu
              class="bare small"
              label={`${words.more}: ${widget.title}`}
              entries={[
                { text: words.search.rename, icon: Pencil, act: () => (type(widget.title), rename(true)) },
                { text: broad ? words.questions.half : words.questions.whole, icon: StretchHorizontal, act: () => arrange(all, (one) => (one.id === widget.id ? (broad ? 6 : 12) : one.position.w)) },
                {},
                { text: words.files.remove, icon: Trash2, act: remove },
              ]}
            >
              <Ellipsis size={14} class="icon" />
            </Menu>
          </>
        )}
      </header>
      {data.data ? <Figure config={widget} data={data.data} /> : data.error ? <Failed error={data.error} again={() => void data.refetch()} /> : <Skeleton />}
      <Dialog open={renaming} close={() => rename(false)} title={words.search.rename}>
        <form class="unlock" onSubmit={save}>
          <input type="text" required maxLength={200} aria-label={words.search.name} value={name} onInput={(event) => type(event.currentTarget.value)} data-autofocus />
          <button class="button primary">{words.document.save}</button>
        </form>
      </Dialog>
    </section>
  );
}

/** The answer to a query in the shape that it asks for. Pies are shown as bars, which can be compared. */
function Figure({ config: { kind, title, query }, data }: { config: Schemas["WidgetConfig"]; data: Data }) {
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
    return n === data.columns.length - 1 ? (points[i]?.shown ?? "") : value === null ? words.questions.no : columns[n]?.kind === "date" ? date(String(value)) : String(value);
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

function pointsOf({ columns, rows, keys }: Data, query: Schemas["Query"]): Point[] {
  return rows.map((row, i) => {
    const last: unknown = row.at(-1);
    const name = row.slice(0, -1).map((one: unknown, n) => (one === null ? words.questions.no : columns[n]?.kind === "date" ? date(String(one)) : String(one))).join(" · ");
    const number = typeof last === "number" ? last : Number.parseFloat(String(last));
    const shown = typeof last === "number" ? last.toLocaleString(undefined, { maximumFractionDigits: 2 }) : last === null || last === undefined ? "–" : String(last);
    return { name: name || words.questions.all, value: Number.isFinite(number) ? number : 0, shown, path: behind(query, keys[i] ?? []) };
  });
}

/** The inbox with the files behind a value. Values of dates are periods, which no single condition names. */
function behind({ source, filters = [], groupBy = [] }: Schemas["Query"], keys: (string | null)[]): string | undefined {
  if (source !== "files" || groupBy.some((field) => /date|At$/i.test(field))) return undefined;
  const all: Schemas["Condition"][] = [...filters, ...groupBy.map((field, i) => (keys[i] === null || keys[i] === undefined ? { field, op: "missing" as const } : { field, op: "in" as const, values: [keys[i]] }))];
  return all.length > 0 ? `/?${new URLSearchParams({ filter: JSON.stringify({ all }) })}` : "/";
}
