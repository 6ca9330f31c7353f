import { useInfiniteQuery } from "@tanstack/preact-query";
import { useQueryOf } from "../../address.js";
import { api, type Schemas } from "../../data/client.js";
import { nameOf, usePeople } from "../../data/people.js";
import { at, named } from "../../format.js";
import { Help, readRequest } from "../../parts/help.js";
import { words } from "../../words.js";
import { Listing } from "./parts.js";

const w = words.settings;

/** The day after a day: people mean the last day to be in it, and the API the moment at which it ends. */
function dayAfter(day: string): string {
  const next = new Date(day);
  if (Number.isNaN(next.getTime())) return day; // the service says so
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}

/** Who did what, and when; what it is narrowed to is in the address. */
export function Audit() {
  const [query, change] = useQueryOf();
  const people = usePeople();
  const [actor, from, to, action] = ["actor", "from", "to", "action"].map((name) => query.get(name) ?? "") as [string, string, string, string];
  const narrowed = { ...(actor && { actor }), ...(from && { from }), ...(to && { to: dayAfter(to) }), ...(action && { action: [action] }) };
  const events = useInfiniteQuery({
    queryKey: ["audit", narrowed],
    queryFn: ({ pageParam, signal }) => api.listAuditEvents({ query: { limit: 100, ...narrowed, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: "",
    getNextPageParam: (page: { nextCursor?: string }) => page.nextCursor,
    staleTime: 0,
  });
  const all = events.data?.pages.flatMap((page) => page.items);
  return (
    <>
      <h1>{w.pages.audit} <Help title={w.pages.audit} text={w.auditHelp} request={readRequest("/api/audit", { limit: "100", ...narrowed })} /></h1>
      <div class="form inline">
        <label>
          {w.who}
          <select value={actor} onChange={(event) => change({ actor: event.currentTarget.value })}>
            <option value="">{w.anybody}</option>
            {people.data?.map((one) => <option key={one.id} value={one.id}>{nameOf(one)}</option>)}
          </select>
        </label>
        <label>{w.what}<input type="text" placeholder="matter.updated" value={action} onChange={(event) => change({ action: event.currentTarget.value.trim() })} /></label>
        <label>{w.from}<input type="date" value={from} onChange={(event) => change({ from: event.currentTarget.value })} /></label>
        <label>{w.to}<input type="date" value={to} onChange={(event) => change({ to: event.currentTarget.value })} /></label>
      </div>
      <Listing
        label={w.pages.audit}
        of={{ data: all, error: events.error, refetch: events.refetch }}
        none={w.auditNone}
        columns={[{ text: w.when }, { text: w.who }, { text: w.what }, { text: w.toWhat, class: "wide" }, { text: w.details, class: "wide" }]}
        row={(one) => (
          <tr key={one.id}>
            <td><time dateTime={one.createdAt}>{at(one.createdAt)}</time></td>
            <td class="who">{one.actor.name ?? words.matters.actor[one.actor.kind]}</td>
            <th scope="row"><button class="link" title={one.action} onClick={() => change({ action: one.action })}>{named(one.action.replaceAll(".", " "))}</button></th>
            <td class="wide"><Thing event={one} /></td>
            <td class="wide quiet">{details(one)}</td>
          </tr>
        )}
      />
      {events.hasNextPage && <p><button class="button" disabled={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>{words.matters.earlier}</button></p>}
    </>
  );
}

/** What an event is about, by its name and with a link where it has a page. */
function Thing({ event: { names, fileId, matterId, resourceId = "", resourceKind, data } }: { event: Schemas["AuditEvent"] }) {
  if (fileId) return names[fileId] === undefined ? <span class="quiet">{w.fileGone}</span> : <a href={`/files/${fileId}`} title={w.file}>{names[fileId]}</a>;
  if (matterId) return names[matterId] === undefined ? <span class="quiet">{w.matterGone}</span> : <a href={`/matters/${matterId}`} title={w.matter}>{names[matterId]}</a>;
  const kind = w.things[resourceKind] ?? named(resourceKind);
  const name = names[resourceId] ?? data["name"] ?? data["title"] ?? data["key"];
  const page = settingsOf[resourceKind];
  const text = typeof name === "string" && name !== "" ? `${kind}: ${name}` : kind;
  return page ? <a href={page}>{text}</a> : <>{text}</>;
}

/** Where things are looked after that have no page of their own. */
const settingsOf: Record<string, string> = {
  user: "/settings/people", invitation: "/settings/people", api_key: "/settings/keys", service_account: "/settings/accounts", webhook: "/settings/webhooks", document_type: "/settings/labels",
  node: "/settings/labels", field: "/settings/fields", model: "/settings/models", flag: "/settings/flags", widget: "/questions",
};

const isID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** The details of an event in words: names in place of ids, and no ids of what has none. */
function details({ data, names, fileId, matterId, resourceId }: Schemas["AuditEvent"]): string {
  const shown = [fileId, matterId, resourceId];
  const text = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(text).filter(Boolean).join(value.length === 2 ? " → " : ", ");
    if (typeof value === "string") return isID.test(value) ? (shown.includes(value) ? "" : (names[value] ?? "")) : value.replaceAll("_", " ");
    if (typeof value === "boolean") return value ? w.yes : w.no;
    if (typeof value === "number") return value.toLocaleString();
    if (value === null) return w.nothing;
    return typeof value === "object" ? Object.entries(value).map(entry).filter(Boolean).join(", ") : "";
  };
  const entry = ([key, value]: [string, unknown]): string => {
    const said = text(value);
    return said === "" ? "" : `${named(key.replace(/Ids?$/, "").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))}: ${said}`;
  };
  return Object.entries(data).filter(([key, value]) => !(["name", "title"].includes(key) && typeof value === "string")).map(entry).filter(Boolean).join(" · ").slice(0, 300);
}
