import { type Section, touches, useOutline } from "../../data/document.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { words } from "../../words.js";
import type { Shown } from "./panel.js";

/** The sections of a contract; each leads to its heading. */
export function Outline({ file, picked, pick }: Shown) {
  const outline = useOutline(file);
  if (outline.error && !outline.data) return <Failed error={outline.error} again={() => void outline.refetch()} />;
  if (!outline.data) return file.textReady ? <Skeleton /> : <Empty title={words.document.outlineNone} />;
  if (outline.data.length === 0) return <Empty title={words.document.outlineNone} />;
  const level = (sections: Section[]) => (
    <ul>
      {sections.map((section) => {
        const { number = "", title = "", span, pages, children } = section;
        const head = { start: span.start, end: Math.min(span.end, span.start + [...number, ...title].length + 2) };
        return (
          <li key={section.id}>
            <button class={picked && touches(head, picked) ? "value here" : "value"} onClick={() => pick(head)}>
              <span class="quiet number">{number}</span>
              <span class="cut">{title || <i class="quiet">{words.document.untitled}</i>}</span>
              <small class="quiet">{pages[0]}</small>
            </button>
            {children.length > 0 && level(children)}
          </li>
        );
      })}
    </ul>
  );
  return <div class="outline">{level(outline.data)}</div>;
}
