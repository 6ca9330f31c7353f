import { useQuery } from "@tanstack/preact-query";
import { CircleAlert, CircleCheck, CircleX, ExternalLink } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useQueryOf } from "../../address.js";
import { api, saying, type Schemas } from "../../data/client.js";
import { useSession } from "../../data/people.js";
import { ago, bytes, language, named, percent } from "../../format.js";
import { Card } from "../../parts/card.js";
import { Chart } from "../../parts/chart.js";
import { Help } from "../../parts/help.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { useTitle } from "../../parts/title.js";
import { words } from "../../words.js";

type State = Schemas["Installation"];

const w = words.installation;
const path = "/api/installation";
const every = 5000;

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const time = (moment: string): string => clock.format(new Date(moment));
const sum = (numbers: number[]): number => numbers.reduce((all, n) => all + n, 0);

/** Seconds as people say them: 350 ms, 4.2 s, 12 min, 3 hr. */
function took(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "–";
  const [n, unit] = seconds < 1 ? [seconds * 1000, "millisecond"] : seconds < 60 ? [seconds, "second"] : seconds < 3600 ? [seconds / 60, "minute"] : seconds < 86400 ? [seconds / 3600, "hour"] : [seconds / 86400, "day"];
  return new Intl.NumberFormat(undefined, { style: "unit", unit: unit as string, unitDisplay: "short", maximumFractionDigits: seconds >= 1 && (n as number) < 10 ? 1 : 0 }).format(n as number);
}

/** What people who run the installation look at: the work of all teams, and what does it. */
export function Operations() {
  const operator = useSession()?.operator === true;
  useTitle(w.title);
  const state = useQuery({ queryKey: ["installation"], queryFn: ({ signal }) => api.getInstallation({ signal }), enabled: operator, staleTime: 0, refetchInterval: every });
  if (!operator) return <Empty title={words.error.gone}><p>{words.error.goneText}</p><a class="button" href="/">{words.error.back}</a></Empty>;
  const { data, error } = state;
  return (
    <div class="questions operations">
      <header class="page-head">
        <h1>{w.title}</h1>
        <Help title={w.title} text={w.help} request={{ method: "GET", path }} />
        <span class="quiet" title={w.every(every / 1000)}>{data && w.measured(exact.format(new Date(data.measuredAt)))}</span>
        <span class="push" />
        <a class="button" href="/admin/river/" target="_blank" rel="noreferrer"><ExternalLink size={16} class="icon" /> {w.queue}</a>
      </header>
      <div class="report" tabIndex={0} role="region" aria-label={w.title}>
        {error && !data && <Failed error={error} again={() => void state.refetch()} />}
        {!error && !data && <Loading />}
        {data && (
          <>
            <Trouble data={data} error={error} again={() => void state.refetch()} />
            <Figures data={data} />
            <div class="widgets">
              <Queues data={data} />
              <Workers data={data} />
              <Files data={data} />
              <Failures data={data} />
              <Steps data={data} />
              <Parts data={data} />
            </div>
          </>
        )}
      </div>
    </div>
  );
}

/** The shape of the page while it is fetched. */
function Loading() {
  return (
    <>
      <div class="tiles">{[1, 2, 3, 4].map((n) => <div key={n} class="widget tile"><Skeleton lines={2} /></div>)}</div>
      <div class="widgets">
        <div class="widget broad"><Skeleton lines={8} /></div>
        <div class="widget broad"><Skeleton lines={3} /></div>
      </div>
    </>
  );
}

/** What is wrong now, with what to do; the worst first. */
function Trouble({ data, error, again }: { data: State; error: unknown; again: () => void }) {
  const alive = data.workers.filter((one) => one.alive);
  const idle = data.queues.filter(({ name, waiting, slots }) => waiting > 0 && slots === 0 && (name !== "index" || data.index.engine !== "postgres"));
  const all: { bad?: boolean; text: ComponentChildren }[] = [];
  if (error) all.push({ bad: true, text: <>{w.stale(saying(error))} <button class="link" onClick={again}>{words.tryAgain}</button></> });
  if (alive.length === 0) all.push({ bad: true, text: <>{w.noWorker} <code>clausemill work</code></> });
  else if (idle.length > 0) all.push({ bad: true, text: w.unworked(idle.map(({ name }) => w.queues[name] ?? name)) });
  for (const one of data.workers.filter(({ alive }) => !alive)) all.push({ text: w.lost(one.host, ago(one.seenAt)) });
  if (!data.index.reachable) all.push({ text: w.unreachable(w.engine[data.index.engine], w.engine[data.index.answering]) });
  else if (data.index.circuitOpen) all.push({ text: w.circuit(w.engine[data.index.engine]) });
  if (data.database.connections > data.database.maxConnections * 0.9) all.push({ text: w.connectionsFew });
  return (
    <div role="status" class="troubles">
      {all.map(({ bad, text }, i) => (
        <p key={i} class={bad ? "note bad" : "note"}><CircleAlert size={16} class="icon" /> <span>{text}</span></p>
      ))}
    </div>
  );
}

function Figures({ data }: { data: State }) {
  const by = data.filesByStatus;
  const alive = data.workers.filter((one) => one.alive);
  const slots = alive.flatMap((one) => one.slots);
  const failed = sum(data.failures.map(({ files }) => files));
  return (
    <dl class="tiles">
      <Tile name={w.read} value={sum(data.filesOverTime.map(({ completed }) => completed))} more={w.since(time(data.from))} />
      <Tile name={w.waiting} value={by["queued"] ?? 0} more={w.reading(by["processing"] ?? 0)} />
      <Tile name={w.failed} value={failed} bad={failed > 0} more={w.failedAll(by["failed"] ?? 0)} />
      <Tile name={w.alive} value={alive.length} bad={alive.length === 0} more={w.slotsUsed(sum(slots.map(({ used }) => used)), sum(slots.map(({ total }) => total)))} />
    </dl>
  );
}

function Tile({ name, value, more, bad = false }: { name: string; value: number; more: string; bad?: boolean }) {
  return (
    <div class="widget tile">
      <dt>{name}</dt>
      <dd class={bad ? "figure bad" : "figure"}>{value.toLocaleString()}</dd>
      <dd class="quiet">{more}</dd>
    </div>
  );
}

/** The queues; one of them is chosen in the address, with how its jobs ended over time. */
function Queues({ data }: { data: State }) {
  const [query, change] = useQueryOf();
  const chosen = data.queues.find(({ name }) => name === query.get("queue"));
  const waited = ({ oldestWaitingAt }: State["queues"][number]): number | undefined => (oldestWaitingAt ? (Date.parse(data.measuredAt) - Date.parse(oldestWaitingAt)) / 1000 : undefined);
  const rows = [
    [w.queueName, w.depth, w.seconds(w.age), w.running, w.slots, w.later, w.finished, w.failedJobs],
    ...data.queues.map((one) => [w.queues[one.name] ?? named(one.name), one.waiting, waited(one) ?? "", one.running, one.slots, one.scheduled + one.retryable, one.finished, one.failed]),
  ];
  const most = Math.max(...data.queues.flatMap(({ overTime }) => overTime.map(({ finished, failed }) => finished + failed)), 1);
  return (
    <Card title={w.queuesTitle} text={w.queuesText} request={path} broad rows={rows}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{w.queueName}</th>
            <th scope="col" class="number">{w.depth}</th>
            <th scope="col" class="number">{w.age}</th>
            <th scope="col" class="number">{w.running}</th>
            <th scope="col" class="number wide">{w.later}</th>
            <th scope="col" class="number wide">{w.finished}</th>
            <th scope="col" class="number">{w.failedJobs}</th>
            <th scope="col" class="wide">{w.lastHour}</th>
          </tr>
        </thead>
        <tbody>
          {data.queues.map((one) => (
            <tr key={one.name} aria-current={one === chosen ? "true" : undefined}>
              <th scope="row">
                <button class="link" aria-expanded={one === chosen} onClick={() => change({ queue: one === chosen ? undefined : one.name })}>{w.queues[one.name] ?? named(one.name)}</button>
              </th>
              <td class="number">{one.waiting.toLocaleString()}</td>
              <td class="number">{took(waited(one))}</td>
              <td class="number">{w.of(one.slots > 0 ? Math.min(one.running, one.slots) : one.running, one.slots)}</td>
              <td class="number wide">{(one.scheduled + one.retryable).toLocaleString()}</td>
              <td class="number wide">{one.finished.toLocaleString()}</td>
              <td class={one.failed > 0 ? "number bad" : "number"}>{one.failed.toLocaleString()}</td>
              <td class="wide"><Spark points={one.overTime} most={most} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      {chosen && (
        <Chart
          kind="line"
          title={w.queueOverTime(w.queues[chosen.name] ?? chosen.name)}
          names={[w.fiveMinutes, w.finishedOf]}
          points={chosen.overTime.map(({ from, finished, failed }) => ({ name: time(from), value: finished, shown: failed > 0 ? w.andFailed(finished, failed) : finished.toLocaleString() }))}
        />
      )}
    </Card>
  );
}

/** A row of small bars: what finished, and on top of it what failed. */
function Spark({ points, most }: { points: { finished: number; failed: number }[]; most: number }) {
  const height = (n: number): number => (n === 0 ? 0 : Math.max((n / most) * 20, 1.5));
  return (
    <svg class="spark" width={points.length * 7} height={22} aria-hidden="true">
      <line class="chart-grid" x1={0} x2={points.length * 7} y1={21.5} y2={21.5} />
      {points.map(({ finished, failed }, i) => (
        <g key={i}>
          <rect class="chart-fill" x={i * 7} y={21 - height(finished)} width={5} height={height(finished)} />
          <rect class="spark-failed" x={i * 7} y={21 - height(finished) - height(failed)} width={5} height={height(failed)} />
        </g>
      ))}
    </svg>
  );
}

function Workers({ data }: { data: State }) {
  return (
    <Card title={w.workers} text={w.workersText} request={path} broad rows={[
      [w.host, w.name, w.state, w.slots, w.languages, w.version, w.started],
      ...data.workers.map((one) => [one.host, one.name, one.alive ? w.isAlive : w.silent(one.seenAt), one.slots.map(({ queue, used, total }) => w.slotsOf(w.queues[queue] ?? queue, used, total)).join("; "), one.languages.join("; "), one.version, one.startedAt]),
    ]}>
      {data.workers.length === 0 ? (
        <div class="plain">
          <p>{w.workersNone}</p>
          <pre class="curl" tabIndex={0}>DATABASE_URL=… BLOB_URL=… clausemill work</pre>
        </div>
      ) : (
        <table class="table">
          <thead>
            <tr><th scope="col">{w.host}</th><th scope="col">{w.state}</th><th scope="col">{w.slots}</th><th scope="col" class="wide">{w.languages}</th><th scope="col" class="wide">{w.version}</th><th scope="col" class="wide">{w.started}</th></tr>
          </thead>
          <tbody>
            {data.workers.map((one) => (
              <tr key={one.name}>
                <th scope="row">{one.host} <small class="mono quiet wide-only">{one.name.slice(one.host.length + 1)}</small></th>
                <td>
                  {one.alive ? (
                    <span class="good"><CircleCheck size={14} class="icon" /> {w.isAlive}</span>
                  ) : (
                    <span class="bad"><CircleX size={14} class="icon" /> {w.silent(ago(one.seenAt))}</span>
                  )}
                </td>
                <td>
                  <span class="slots">
                    {one.slots.map(({ queue, used, total }) => (
                      <span key={queue} class={used > 0 ? "chip busy" : "chip"} title={w.slotsOf(w.queues[queue] ?? queue, used, total)}>{w.queues[queue] ?? queue} {w.of(used, total)}</span>
                    ))}
                  </span>
                </td>
                <td class="wide">{one.languages.length > 0 ? one.languages.map(language).join(", ") : <span class="quiet">{w.noScans}</span>}</td>
                <td class="wide mono">{one.version || "–"}</td>
                <td class="wide"><time dateTime={one.startedAt}>{ago(one.startedAt)}</time></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function Files({ data }: { data: State }) {
  return (
    <Card title={w.filesTitle} text={w.filesText} request={path}>
      <Chart
        kind="line"
        title={w.filesTitle}
        names={[w.fiveMinutes, w.filesRead]}
        points={data.filesOverTime.map(({ from, completed, failed }) => ({ name: time(from), value: completed, shown: failed > 0 ? w.andFailed(completed, failed) : completed.toLocaleString() }))}
      />
    </Card>
  );
}

function Steps({ data }: { data: State }) {
  const slow = data.steps.filter(({ p95Seconds }) => p95Seconds !== null).sort((a, b) => b.p95Seconds! - a.p95Seconds!);
  const nameOf = (kind: string): string => w.kinds[kind] ?? named(kind);
  return (
    <Card title={w.stepsTitle} text={w.stepsText} request={path} rows={[
      [w.step, w.finished, w.failedJobs, w.seconds(w.median), w.seconds(w.p95), w.running],
      ...data.steps.map((one) => [nameOf(one.kind), one.finished, one.failed, one.medianSeconds ?? "", one.p95Seconds ?? "", one.running]),
    ]}>
      {data.steps.length === 0 && <p class="quiet">{w.stepsNone}</p>}
      {slow.length > 0 && <Chart kind="bar" title={w.stepsTitle} names={[w.step, w.p95]} points={slow.slice(0, 8).map((one) => ({ name: nameOf(one.kind), value: one.p95Seconds!, shown: took(one.p95Seconds!) }))} />}
      {data.steps.length > 0 && (
        <table class="table">
          <thead>
            <tr><th scope="col">{w.step}</th><th scope="col" class="number">{w.finished}</th><th scope="col" class="number wide">{w.failedJobs}</th><th scope="col" class="number">{w.median}</th><th scope="col" class="number">{w.p95}</th><th scope="col" class="number wide">{w.running}</th></tr>
          </thead>
          <tbody>
            {data.steps.map((one) => (
              <tr key={one.kind}>
                <th scope="row">{nameOf(one.kind)}</th>
                <td class="number">{one.finished.toLocaleString()}</td>
                <td class={one.failed > 0 ? "number wide bad" : "number wide"}>{one.failed.toLocaleString()}</td>
                <td class="number">{took(one.medianSeconds)}</td>
                <td class="number">{took(one.p95Seconds)}</td>
                <td class="number wide">{one.runningSince ? w.runs(one.running, took((Date.parse(data.measuredAt) - Date.parse(one.runningSince)) / 1000)) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

/** Why files failed; a cause leads to those of the caller's own team. */
function Failures({ data }: { data: State }) {
  const own = (code: string): string => `/?${new URLSearchParams({ filter: JSON.stringify({ field: "errorCode", op: "in", values: [code] }) })}`;
  return (
    <Card title={w.failuresTitle} text={w.failuresText} request={path} rows={[
      [w.cause, w.filesFailed, w.lastTime, w.hint],
      ...data.failures.map(({ code, files, lastAt, hint }) => [w.causes[code] ?? named(code), files, lastAt, hint]),
    ]}>
      {data.failures.length === 0 ? (
        <p class="quiet">{w.failuresNone}</p>
      ) : (
        <>
          <Chart kind="bar" title={w.failuresTitle} names={[w.cause, w.filesFailed]} points={data.failures.map(({ code, files }) => ({ name: w.causes[code] ?? named(code), value: files, path: own(code) }))} />
          <dl class="causes">
            {data.failures.map(({ code, hint, lastAt }) => (
              <div key={code}>
                <dt><a href={own(code)}>{w.causes[code] ?? named(code)}</a> <small class="quiet">{w.last(ago(lastAt))}</small></dt>
                <dd class="quiet">{hint}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Card>
  );
}

function Parts({ data: { index, database, storage, measuredAt } }: { data: State }) {
  return (
    <Card title={w.partsTitle} text={w.partsText} request={path} rows={[
      [w.part, w.value],
      [w.searches, w.engine[index.answering]],
      [w.indexWaiting, index.waitingFiles],
      [w.seconds(w.indexLag), index.lagSeconds ?? ""],
      [`${w.database}: ${w.version}`, `Postgres ${database.version}`],
      [`${w.database}: ${w.size}`, database.size],
      [`${w.database}: ${w.connections}`, database.connections],
      [`${w.database}: ${w.most}`, database.maxConnections],
      [w.transaction, database.oldestTransactionAt ?? ""],
      [`${w.storage}: ${w.files}`, storage.size === null ? w.bucket : w.directory],
      [`${w.storage}: ${w.size}`, storage.size ?? ""],
      [`${w.storage}: ${w.free}`, storage.free ?? ""],
    ]}>
      <h3>{w.index}</h3>
      <dl class="facts-list">
        <div><dt>{w.searches}</dt><dd>{w.answers(w.engine[index.answering])}</dd></div>
        <div><dt>{w.indexWaiting}</dt><dd>{index.waitingFiles > 0 ? w.behind(index.waitingFiles, took(index.lagSeconds)) : w.upToDate}</dd></div>
        {index.engine === "meilisearch" && <div><dt>{w.engine.meilisearch}</dt><dd class={index.reachable && !index.circuitOpen ? "" : "bad"}>{index.reachable ? (index.circuitOpen ? w.skipped : w.reachable) : w.notReachable}</dd></div>}
      </dl>
      <h3>{w.database}</h3>
      <dl class="facts-list">
        <div><dt>{w.version}</dt><dd>Postgres {database.version}</dd></div>
        <div><dt>{w.size}</dt><dd>{bytes(database.size)}</dd></div>
        <div><dt>{w.connections}</dt><dd>{w.of(database.connections, database.maxConnections)} <small class="quiet">{percent(database.connections / database.maxConnections)}</small></dd></div>
        <div><dt>{w.transaction}</dt><dd>{database.oldestTransactionAt ? took(Math.max(Date.parse(measuredAt) - Date.parse(database.oldestTransactionAt), 0) / 1000) : "–"}</dd></div>
      </dl>
      <h3>{w.storage}</h3>
      <dl class="facts-list">
        <div><dt>{w.files}</dt><dd class={storage.reachable ? "" : "bad"}>{storage.size === null ? w.bucket : w.directory}{!storage.reachable && `, ${w.notReachable}`}</dd></div>
        {storage.free !== null && storage.size !== null && <div><dt>{w.free}</dt><dd>{w.freeOf(bytes(storage.free), bytes(storage.size))} <small class="quiet">{percent(storage.free / storage.size)}</small></dd></div>}
      </dl>
    </Card>
  );
}
