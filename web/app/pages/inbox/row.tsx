import { CircleAlert, CircleCheck, CircleDashed, CircleSlash, Ellipsis, LoaderCircle, TriangleAlert, type LucideIcon } from "lucide-preact";
import type { JSX } from "preact";
import { memo } from "preact/compat";
import type { Schemas } from "../../data/client.js";
import type { File } from "../../data/files.js";
import { percent, sentence } from "../../format.js";
import { words } from "../../words.js";
import type { Column } from "./columns.js";

/** In pixels, as the style sheet has them: of a broad list, and of one on a phone. */
export const rowHeights = [48, 64] as const;

const icons: Record<Schemas["ProcessingStatus"], LucideIcon> = {
  queued: CircleDashed,
  processing: LoaderCircle,
  completed: CircleCheck,
  completed_with_warnings: TriangleAlert,
  failed: CircleAlert,
  cancelled: CircleSlash,
};

/** What happens to a file, in a word and a picture. */
export function Status({ file }: { file: File }) {
  const Picture = icons[file.status];
  const reading = file.status === "processing";
  return (
    <span class={`status ${file.status}`}>
      <Picture size={16} class="icon" />
      <span class="cut">
        {words.status[file.status]}
        {reading && <span class="quiet"> {file.pages.total > 1 ? `${file.pages.done}/${file.pages.total}` : percent(file.progress)}</span>}
      </span>
    </span>
  );
}

interface Props {
  file: File;
  index: number;
  top: number;
  columns: Column[];
  current: boolean;
  selected: boolean;
  /** Another one has the row rendered again, with how long ago things are. */
  minute: number;
  choose: (index: number) => void;
  /** None where nothing can be done to what is selected. */
  toggle: ((id: string) => void) | undefined;
  /** What makes a button open the menu of a file. */
  trigger: (id: string) => JSX.ButtonHTMLAttributes;
}

/** A file of the list. Only those that come in are rendered while it is scrolled. */
export const Row = memo(function Row({ file, index, top, columns, current, selected, choose, toggle, trigger }: Props) {
  const under = file.error ? sentence(file.error.message) : file.path || (file.duplicateOf ? words.files.duplicateOf : "");
  return (
    <div id={`file-${file.id}`} class={current ? "row current" : "row"} role="row" aria-rowindex={index + 1} aria-selected={selected} style={{ transform: `translateY(${top}px)` }} onClick={() => choose(index)}>
      <span role="gridcell"><input type="checkbox" tabIndex={-1} aria-label={words.files.select(file.name)} checked={selected} disabled={!toggle} onClick={(event) => event.stopPropagation()} onChange={() => toggle?.(file.id)} /></span>
      <span class={under ? "name" : "name alone"} role="gridcell">
        <a href={`/files/${file.id}`} title={file.name}>{file.name}</a>
        <span class="under cut">{under}</span>
      </span>
      <span role="gridcell" class="state cut"><Status file={file} /></span>
      {columns.map(({ name, show, title, stays, number }) => {
        const text = show(file);
        return <span key={name} role="gridcell" class={`cut ${stays ? "stays" : "wide"} ${number ? "number" : ""}`} title={title?.(file) ?? text}>{text}</span>;
      })}
      <span role="gridcell" onClick={(event) => event.stopPropagation()}>
        <button {...trigger(file.id)} class="bare" aria-label={`${words.more}: ${file.name}`}>
          <Ellipsis size={16} class="icon" />
        </button>
      </span>
    </div>
  );
});

