import { Check, X } from "lucide-preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { type Change, differences, type Kind } from "../../data/redline.js";
import { useVirtual } from "../../parts/virtual.js";
import { words } from "../../words.js";
import { told } from "./text.js";

interface Acts {
  decide: (some: Change[], type: "accept" | "reject") => void;
  drop: (change: Change) => void;
}

type Reference = { current: HTMLElement | null };

/** The changes that are shown, each with what can be done about it. They are scrolled with what is above them. */
export function List({ scroller, above, shown, current, choose, author, asked, groups, kindOf, wordsOf, act }: { scroller: Reference; above: Reference; shown: Change[]; current: string; choose: (id: string) => void; author: (change: Change) => number; asked: number; groups: Map<string, Change[]>; kindOf: (change: Change) => Kind; wordsOf: Map<string, string>; act: Acts | null }) {
  const [margin, measure] = useState(0);
  useLayoutEffect(() => {
    const element = above.current;
    if (!element) return;
    const observer = new ResizeObserver(() => measure(element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { items, height, virtualizer } = useVirtual({ count: shown.length, size: () => 74, scroller, overscan: 6, margin });
  useEffect(() => {
    const i = shown.findIndex(({ id }) => id === current);
    if (i >= 0) virtualizer.scrollToIndex(i, { align: "auto" });
  }, [asked]);
  return (
    <div class="change-list" role="group" aria-label={words.redline.list}>
      <div class="tall" style={{ height: `${height}px` }}>
        {items.map(({ index, start }) => {
          const change = shown[index];
          if (!change) return null;
          const kind = kindOf(change);
          const decided = change.status === "accepted" || change.status === "rejected";
          const [what, ...who] = told(change).split(" · ");
          return (
            <div key={change.id} class={`change ${change.id === current ? "here" : ""}`} style={{ transform: `translateY(${start - margin}px)` }}>
              <button class="value" aria-current={change.id === current ? "true" : undefined} onClick={() => choose(change.id)}>
                <span class="cut"><span class={`tag changed ${kind} author-${author(change) % 6}`}>{kind === "formatted" ? what : words.redline.kinds[kind]}</span> <small class="quiet">{who.join(" · ")}</small></span>
                <span class="cut"><Words change={change} group={groups.get(change.id)} about={wordsOf.get(change.id) ?? ""} /></span>
              </button>
              {act && (
                <span class="change-acts">
                  {decided && <small>{change.status === "accepted" ? words.redline.accepted : words.redline.rejected}</small>}
                  {change.status === "stale" && <small class="bad">{words.redline.stale}</small>}
                  {change.status === "open" && kind !== "comment" && (
                    <span>
                      <button class="bare small" aria-label={words.redline.accept} title={`${words.redline.accept} (a)`} onClick={() => act.decide([change], "accept")}><Check size={14} class="icon" /></button>
                      <button class="bare small" aria-label={words.redline.reject} title={`${words.redline.reject} (r)`} onClick={() => act.decide([change], "reject")}><X size={14} class="icon" /></button>
                    </span>
                  )}
                  {(decided || change.status === "proposed") && <button class="link" onClick={() => act.drop(change)}>{decided ? words.redline.takeBack : words.redline.withdraw}</button>}
                </span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** What a change takes away and puts in, or the words that it is about. */
function Words({ change, group, about }: { change: Change; group: Change[] | undefined; about: string }) {
  const { type, text = "", anchor, comment, on = "" } = change;
  if (group) return group.map(({ id, type, text }) => (type === "del" ? <del key={id}>{text}</del> : <ins key={id}>{text}</ins>));
  if (type === "replace" && anchor?.text) return <><del>{anchor.text}</del> {text}</>;
  if (type === "rewrite") {
    const points = [...about];
    return differences(about, text, 0).map(({ start, end, text }, i) => <span key={i}>{i > 0 && " … "}{end > start && <del>{points.slice(start, end).join("")}</del>} {text !== "" && <ins>{text}</ins>}</span>);
  }
  return text || anchor?.text || comment || [words.redline.on[on], about].filter(Boolean).join(": ");
}
