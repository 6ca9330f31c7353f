import { type Matter, useTimeline } from "../../data/matters.js";
import { ago, at, named } from "../../format.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { words } from "../../words.js";

const w = words.matters;

/** What happened in the matter, newest first. */
export function Timeline({ matter }: { matter: Matter }) {
  const timeline = useTimeline(matter.id);
  const all = timeline.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-labelledby="matter-timeline">
      <header><h2 id="matter-timeline">{w.timeline}</h2></header>
      {timeline.error && !timeline.data && <Failed error={timeline.error} again={() => void timeline.refetch()} />}
      {timeline.isPending && <Skeleton lines={4} />}
      <ol class="timeline">
        {all.map((event) => (
          <li key={event.id}>
            <span>
              <strong>{event.actor.name ?? w.actor[event.actor.kind]}</strong> {w.actions[event.action] ?? named(event.action.replaceAll(".", " "))}
              {event.fileName && <> <a href={`/files/${event.fileId}`}>{event.fileName}</a></>}
              {changes(event) && <span class="quiet"> {changes(event)}</span>}
            </span>
            <time class="quiet" dateTime={event.createdAt} title={at(event.createdAt)}>{ago(event.createdAt)}</time>
          </li>
        ))}
      </ol>
      {timeline.hasNextPage && <button class="button" disabled={timeline.isFetchingNextPage} onClick={() => void timeline.fetchNextPage()}>{w.earlier}</button>}
    </section>
  );
}

/** What an event says was changed: from one stage to another, or the names of the fields. */
function changes({ action, data }: { action: string; data: Record<string, unknown> }): string {
  const stage = data["stage"];
  if (Array.isArray(stage)) return w.fromTo(w.stage[stage[0] as Matter["stage"]] ?? String(stage[0]), w.stage[stage[1] as Matter["stage"]] ?? String(stage[1]));
  const status = data["status"];
  const statuses: Record<string, string> = action.startsWith("assignment.") ? w.ending : w.status;
  if (Array.isArray(status)) return w.fromTo(statuses[String(status[0])] ?? String(status[0]), statuses[String(status[1])] ?? String(status[1]));
  const fields = data["fields"];
  return Array.isArray(fields) && fields.length > 0 ? `(${fields.map((field) => w.fields[String(field)] ?? named(String(field))).join(", ")})` : "";
}
