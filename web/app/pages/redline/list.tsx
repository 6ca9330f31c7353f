import { Check, X } from "lucide-preact";
import { useEffect, useRef } from "preact/hooks";
import { type Change, kindOf } from "../../data/redline.js";
import { useVirtual } from "../../parts/virtual.js";
import { words } from "../../words.js";
import { told } from "./text.js";

interface Acts {
  decide: (some: Change[], type: "accept" | "reject") => void;
  drop: (change: Change) => void;
}

/** The changes that are shown, each with what can be done about it. */
export function List({ shown, current, choose, author, asked, act }: { shown: Change[]; current: string; choose: (id: string) => void; author: (change: Change) => number; asked: number; act: Acts | null }) {
  const scroller = useRef<HTMLDivElement>(null);
  const { items, height, virtualizer } = useVirtual({ count: shown.length, size: () => 74, scroller, overscan: 6 });
  useEffect(() => {
    const i = shown.findIndex(({ id }) => id === current);
    if (i >= 0) virtualizer.scrollToIndex(i, { align: "auto" });
  }, [asked]);
  return (
    <div class="change-list" ref={scroller} tabIndex={0} role="group" aria-label={words.redline.list}>
      <div class="tall" style={{ height: `${height}px` }}>
        {items.map(({ index, start }) => {
          const change = shown[index];
          if (!change) return null;
          const decided = change.status === "accepted" || change.status === "rejected";
          const [what, ...who] = told(change).split(" · ");
          return (
            <div key={change.id} class={`change ${change.id === current ? "here" : ""}`} style={{ transform: `translateY(${start}px)` }}>
              <button class="value" aria-current={change.id === current ? "true" : undefined} onClick={() => choose(change.id)}>
                <span class="cut"><span class={`tag changed ${kindOf(change)} author-${author(change) % 6}`}>{words.redline.kinds[kindOf(change)]}</span> <small class="quiet">{who.join(" · ")}</small></span>
                <span class="cut">{change.type === "replace" && change.anchor?.text ? <><del>{change.anchor.text}</del> {change.text}</> : change.text || change.anchor?.text || change.comment || what}</span>
              </button>
              {act && (
                <span class="change-acts">
                  {decided && <small>{change.status === "accepted" ? words.redline.accepted : words.redline.rejected}</small>}
                  {change.status === "stale" && <small class="bad">{words.redline.stale}</small>}
                  {change.status === "open" && change.type !== "comment" && (
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
