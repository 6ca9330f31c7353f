import { useQuery } from "@tanstack/preact-query";
import { ChevronLeft, RotateCw } from "lucide-preact";
import { useRoute } from "preact-iso";
import { useQueryOf } from "../../address.js";
import { api, type Schemas, status } from "../../data/client.js";
import { useRadar } from "../../data/document.js";
import { useFile } from "../../data/files.js";
import { useMay } from "../../data/people.js";
import { date, duration, named, percent } from "../../format.js";
import { Card } from "../../parts/card.js";
import { Chart } from "../../parts/chart.js";
import { Help } from "../../parts/help.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { words } from "../../words.js";

type Condition = Schemas["Condition"];

/** The inbox with the files of a type that a condition holds for. */
function inbox(type: string, ...more: Condition[]): string {
  return `/?${new URLSearchParams({ filter: JSON.stringify({ all: [{ field: "documentType", op: "in", values: [type] }, ...more] }) })}`;
}

/** All kinds of contracts that the team has, with how much there is of each. */
export function Types() {
  const stats = useQuery({ queryKey: ["files", "types"], queryFn: ({ signal }) => api.listDocumentTypeStats({ signal }) });
  useTitle(words.types.title);
  const all = [...(stats.data?.items ?? [])].filter(({ files }) => files > 0).sort((a, b) => b.files - a.files || a.name.localeCompare(b.name));
  const most = Math.max(1, ...all.map(({ files }) => files));
  return (
    <div class="questions">
      <header class="page-head">
        <h1>{words.types.title}</h1>
        <Help title={words.types.title} text={words.types.help} request={{ method: "GET", path: "/api/document-types/stats" }} />
        {stats.data && stats.data.untyped > 0 && <span class="quiet">{words.types.untyped(stats.data.untyped)}</span>}
      </header>
      <div class="report" tabIndex={0} role="region" aria-label={words.types.title}>
        {stats.isPending && <Skeleton lines={10} />}
        {stats.error && !stats.data && <Failed error={stats.error} again={() => void stats.refetch()} />}
        {stats.data && all.length === 0 && (
          <Empty title={words.types.none}>
            <p>{words.types.noneText}</p>
            <a class="button" href="/">{words.error.back}</a>
          </Empty>
        )}
        {all.length > 0 && (
          <table class="bars types">
            <thead>
              <tr>
                <th scope="col">{words.files.columns.type}</th>
                <th scope="col"><span class="unseen">{words.document.compareTable.chart}</span></th>
                {[words.types.files, words.files.columns.pages, words.types.assigned, words.types.labelled, words.types.validated].map((name) => <th key={name} scope="col" class="number">{name}</th>)}
              </tr>
            </thead>
            <tbody>
              {all.map((one) => (
                <tr key={one.documentTypeId}>
                  <th scope="row"><a href={`/types/${one.documentTypeId}`}>{one.name}</a></th>
                  <td aria-hidden="true">
                    <svg class="bar" viewBox="0 0 100 12" preserveAspectRatio="none" width="100%" height="12">
                      <rect class="bar-ground" x="0" y="2" width="100" height="8" />
                      <rect class="chart-fill" x="0" y="2" width={(one.files / most) * 100} height="8" />
                    </svg>
                  </td>
                  <td class="number"><a href={inbox(one.documentTypeId)}>{one.files.toLocaleString()}</a></td>
                  {[one.pages, one.assigned, one.labelled, one.validated].map((n, i) => <td key={i} class="number">{n.toLocaleString()}</td>)}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </div>
  );
}

/** What contracts of a type usually say, in which order, since when, and which of them are unusual. */
export function Type() {
  const { params } = useRoute();
  const dtid = params["typeId"] ?? "";
  const may = useMay();
  const type = useQuery({ queryKey: ["files", "type", dtid], queryFn: ({ signal }) => api.getDocumentType({ path: { dtid }, signal }) });
  const nodes = useQuery({ queryKey: ["files", "type", dtid, "nodes"], queryFn: async ({ signal }) => (await api.listDocumentTypeTags({ path: { dtid }, signal })).items });
  const analytics = useQuery({ queryKey: ["files", "type", dtid, "analytics"], queryFn: ({ signal }) => api.getDocumentTypeAnalytics({ path: { dtid }, signal }) });
  const graph = useQuery({ queryKey: ["files", "type", dtid, "graph"], queryFn: ({ signal }) => api.getDocumentTypeGraph({ path: { dtid }, query: { kind: ["follows"], minWeight: 0.1 }, signal }) });
  useTitle(type.data?.name ?? words.types.title);
  if (type.error && !type.data) return <Failed error={type.error} again={() => void type.refetch()} />;
  if (!type.data) return <Skeleton lines={16} />;
  const analyze = (): void =>
    void attempt(async () => {
      await api.analyzeDocumentType({ path: { dtid } });
      say(words.types.analyzing);
    });
  const names = new Map(nodes.data?.map(({ label, name }) => [label, name]));
  const nameOf = (label: string): string => names.get(label) ?? named(label);
  const families = new Map<string, number>();
  for (const { family, frequency } of nodes.data ?? []) if (family) families.set(family, Math.max(families.get(family) ?? 0, frequency));
  const path = (rest: string): string => `/api/document-types/${dtid}/${rest}`;
  const missing = status(analytics.error) === 409;
  const { name, fileCount } = type.data;
  const of = words.types.over(fileCount);
  return (
    <div class="questions">
      <header class="page-head">
        <a class="bare" href="/types" aria-label={words.types.title}><ChevronLeft size={16} class="icon" /></a>
        <h1 class="cut" title={name}>{name}</h1>
        <a href={inbox(dtid)}>{words.files.count(fileCount)}</a>
        <span class="push" />
        {(analytics.data?.stale || missing) && (
          <>
            <span class="quiet" role="status">{missing ? words.types.never : words.types.stale}</span>
            {may.change && <button class="button" onClick={analyze}><RotateCw size={16} class="icon" /> {words.types.analyze}</button>}
          </>
        )}
      </header>
      <div class="report" tabIndex={0} role="region" aria-label={name}>
        {nodes.error && !nodes.data && <Failed error={nodes.error} again={() => void nodes.refetch()} />}
        {nodes.isPending && <Skeleton lines={10} />}
        <div class="widgets">
          {nodes.data && nodes.data.length > 0 && (
            <Card title={words.types.frequencies} text={`${words.types.frequenciesText} ${of}`} request={path("tags")}>
              <Chart
                kind="bar"
                title={`${name}: ${words.types.frequencies}`}
                names={[words.types.clause, words.types.share]}
                points={nodes.data.map((node) => ({ name: node.name, value: node.frequency, shown: percent(node.frequency), path: inbox(dtid, { field: "label", op: "in", values: [node.label] }) }))}
              />
            </Card>
          )}
          {families.size > 2 && (
            <Card title={words.types.radar} text={`${words.types.radarText} ${of}`} request={path("tags")}>
              <Chart kind="radar" title={`${name}: ${words.types.radar}`} names={[words.types.family, words.types.share]} points={[...families].map(([family, value]) => ({ name: family, value, shown: percent(value) }))} />
            </Card>
          )}
          {graph.data && graph.data.edges.length > 0 && (
            <Card title={words.types.order} text={`${words.types.orderText} ${of}`} request={path("graph?kind=follows&minWeight=0.1")}>
              <Order nodes={nodes.data ?? []} edges={graph.data.edges} nameOf={nameOf} />
            </Card>
          )}
          {analytics.data && analytics.data.overTime.length > 0 && (
            <Card title={words.types.years} text={`${words.types.yearsText} ${of}`} request={path("analytics")}>
              <Chart kind="line" title={`${name}: ${words.types.years}`} names={[words.types.year, words.types.files]} points={analytics.data.overTime.map(({ year, files }) => ({ name: year, value: files }))} />
            </Card>
          )}
          {analytics.data?.attributes.filter(({ key }) => key === "governing_law").map(({ key, values, files }) => (
            <Card key={key} title={words.document.facts[key] ?? named(key)} text={words.types.lawText(files)} request={path("analytics")}>
              <Chart
                kind="bar"
                title={`${name}: ${words.document.facts[key] ?? named(key)}`}
                names={[words.document.facts[key] ?? named(key), words.types.files]}
                points={values.map(({ value, files: n }) => ({ name: value, value: n, path: inbox(dtid, { field: `attribute.${key}`, op: "in", values: [value] }) }))}
              />
            </Card>
          ))}
          {analytics.data && analytics.data.unusual.length > 0 && (
            <Card title={words.types.unusual} text={`${words.types.unusualText} ${of}`} request={path("analytics")}>
              <table class="bars">
                <thead><tr><th scope="col">{words.files.columns.name}</th><th scope="col">{words.types.rare}</th><th scope="col" class="number">{words.types.rarity}</th></tr></thead>
                <tbody>
                  {analytics.data.unusual.slice(0, 10).map((file) => (
                    <tr key={file.fileId}>
                      <th scope="row"><a href={`/files/${file.fileId}`}>{file.name}</a></th>
                      <td>{file.nodes.map(nameOf).join(", ")}</td>
                      <td class="number">{file.rarity.toLocaleString(undefined, { maximumFractionDigits: 1 })}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Card>
          )}
        </div>
        {fileCount > 1 && <Beside dtid={dtid} nameOf={nameOf} />}
      </div>
    </div>
  );
}

const step = 26;

/** Clauses from the first to the last in a contract; an arc leads to what comes next, the broader the oftener. */
function Order({ nodes, edges, nameOf }: { nodes: Schemas["TypeNode"][]; edges: Schemas["CorpusEdge"][]; nameOf: (label: string) => string }) {
  const common = [...nodes].sort((a, b) => b.frequency - a.frequency).slice(0, 14).sort((a, b) => a.place - b.place);
  const place = new Map(common.map(({ label }, i) => [label, i * step + step / 2]));
  const drawn = edges.filter(({ source, target }) => place.has(source) && place.has(target) && source !== target).sort((a, b) => b.weight - a.weight).slice(0, 24);
  return (
    <figure class="chart">
      <svg viewBox={`0 0 420 ${common.length * step}`} width="100%" aria-hidden="true">
        {drawn.map(({ source, target, weight }) => {
          const [from, to] = [place.get(source)!, place.get(target)!];
          const reach = 234 + Math.min(Math.abs(to - from) * 0.9, 170);
          return (
            <path key={source + target} class="chart-arc" stroke-width={1 + weight * 5} d={`M234 ${from}C${reach} ${from} ${reach} ${to} 234 ${to}`}>
              <title>{words.types.next(nameOf(source), nameOf(target), percent(weight))}</title>
            </path>
          );
        })}
        {common.map((node) => (
          <g key={node.label}>
            <circle class="chart-fill" cx={230} cy={place.get(node.label)} r={2 + node.frequency * 5} />
            <text x={216} y={place.get(node.label)! + 4} text-anchor="end">{node.name}</text>
          </g>
        ))}
      </svg>
      <details>
        <summary>{words.chart.table}</summary>
        <table class="bars">
          <thead><tr><th scope="col">{words.types.clause}</th><th scope="col">{words.types.then}</th><th scope="col" class="number">{words.types.share}</th></tr></thead>
          <tbody>{drawn.map(({ source, target, weight }) => <tr key={source + target}><th scope="row">{nameOf(source)}</th><td>{nameOf(target)}</td><td class="number">{percent(weight)}</td></tr>)}</tbody>
        </table>
      </details>
    </figure>
  );
}

/** One contract beside the others of its type: its clauses, its dates, and the most similar ones. */
function Beside({ dtid, nameOf }: { dtid: string; nameOf: (label: string) => string }) {
  const [query, change] = useQueryOf();
  const files = useQuery({ queryKey: ["files", "type", dtid, "files"], queryFn: async ({ signal }) => (await api.listDocumentTypeFiles({ path: { dtid }, query: { limit: 200, sort: "name" }, signal })).items.filter(({ textReady }) => textReady) });
  const fileId = query.get("file") ?? files.data?.[0]?.id ?? "";
  const file = useFile(fileId).data;
  const enabled = fileId !== "";
  const radar = useRadar(file);
  const dates = useQuery({ queryKey: ["file", fileId, "type", "dates"], queryFn: () => api.getFileCohortDates({ path: { fileId }, body: { bucket: "year", dateKey: "agreement_date", documentTypeId: dtid } }), enabled });
  const board = useQuery({ queryKey: ["file", fileId, "type", "board"], queryFn: async ({ signal }) => (await api.getFileScoreboard({ path: { fileId }, query: { limit: 10 }, signal })).items, enabled });
  if (!files.data || files.data.length === 0) return null;
  const here = dates.data?.thisFile;
  const missing = [radar, dates, board].find(({ data, error }) => error && !data);
  return (
    <section class="report-part" aria-labelledby="beside">
      <header class="page-head">
        <h2 id="beside">{words.types.beside}</h2>
        <select aria-label={words.types.besideFile} value={fileId} onChange={(event) => change({ file: event.currentTarget.value })}>
          {files.data.map((file) => <option key={file.id} value={file.id}>{file.name}</option>)}
        </select>
        <a href={`/files/${fileId}`}>{words.files.open}</a>
      </header>
      {missing && <Failed error={missing.error} again={() => void Promise.all([radar.refetch(), dates.refetch(), board.refetch()])} />}
      <div class="widgets">
        {radar.data && radar.data.axes.length > 2 && (
          <Card title={words.types.profile} text={words.types.profileText(radar.data.compared.files)} request={`/api/files/${fileId}/radar`}>
            <Chart kind="radar" title={words.types.profile} names={[words.document.compareTable.topic, words.document.compareTable.here]} points={radar.data.axes.map(({ label, value, corpusMean }) => ({ name: label, value, shown: percent(value), usual: corpusMean }))} />
          </Card>
        )}
        {dates.data && dates.data.series.length > 0 && (
          <section class="widget" aria-label={words.types.dates}>
            <header>
              <h2>{words.types.dates}</h2>
              <Help title={words.types.dates} text={words.types.datesText(dates.data.compared.files, dates.data.undated)} request={{ method: "POST", path: `/api/files/${fileId}/document-types/dates`, body: { bucket: "year", dateKey: "agreement_date", documentTypeId: dtid } }} />
            </header>
            <p class="quiet">{here ? words.types.dateHere(date(here.date), percent(here.percentile)) : words.types.dateNone}</p>
            <Chart
              kind="bar"
              title={words.types.dates}
              names={[words.types.year, words.types.files]}
              points={dates.data.series.map(({ from, to, count }) => ({ name: from.slice(0, 4), value: count, path: inbox(dtid, { field: "attribute.agreement_date", op: "gte", values: [from] }, { field: "attribute.agreement_date", op: "lte", values: [to] }) }))}
            />
            {dates.data.durations.length > 0 && (
              <table class="bars">
                <thead><tr><th scope="col">{words.types.durations}</th><th scope="col" class="number">{words.document.compareTable.here}</th><th scope="col" class="number">{words.types.median}</th></tr></thead>
                <tbody>
                  {dates.data.durations.map(({ key, thisFile, median }) => (
                    <tr key={key}><th scope="row">{words.document.facts[key] ?? named(key)}</th><td class="number">{thisFile ? duration(thisFile.duration) : "–"}</td><td class="number">{words.types.days(median)}</td></tr>
                  ))}
                </tbody>
              </table>
            )}
          </section>
        )}
        {board.data && board.data.length > 0 && (
          <Card title={words.types.board} text={words.types.boardText} request={`/api/files/${fileId}/scoreboard?limit=10`}>
            <table class="bars">
              <thead><tr><th scope="col">{words.files.columns.name}</th><th scope="col">{words.types.lacks}</th><th scope="col" class="number">{words.types.score}</th></tr></thead>
              <tbody>
                {board.data.map((one) => (
                  <tr key={one.fileId}>
                    <th scope="row"><a href={`/files/${one.fileId}`}>{one.name}</a></th>
                    <td>{one.missingNodes.slice(0, 4).map(nameOf).join(", ")}</td>
                    <td class="number">{percent(one.score)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Card>
        )}
      </div>
    </section>
  );
}
