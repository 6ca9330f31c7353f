import { useInfiniteQuery } from "@tanstack/preact-query";
import { useQueryOf } from "../../address.js";
import { api } from "../../data/client.js";
import { nameOf, usePeople } from "../../data/people.js";
import { at, named } from "../../format.js";
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
      <h1>{w.pages.audit}</h1>
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
            <td class="wide">
              {one.fileId ? <a href={`/files/${one.fileId}`}>{w.file}</a> : one.matterId ? <a href={`/matters/${one.matterId}`}>{w.matter}</a> : named(one.resourceKind)}
            </td>
            <td class="wide quiet">{Object.entries(one.data).map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(" · ").slice(0, 300)}</td>
          </tr>
        )}
      />
      {events.hasNextPage && <p><button class="button" disabled={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>{words.matters.earlier}</button></p>}
    </>
  );
}
