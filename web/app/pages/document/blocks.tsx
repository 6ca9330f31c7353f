import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Schemas } from "../../data/client.js";
import { type Span, touches, useBlocks } from "../../data/document.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { useVirtual } from "../../parts/virtual.js";
import { words } from "../../words.js";

type Block = Schemas["Block"];

/** The text of a file that has no pages: its headings, paragraphs, lists and tables. */
export function Blocks({ file, picked, asked }: { file: Schemas["File"]; picked: Span | null; asked: number }) {
  const blocks = useBlocks(file);
  const scroller = useRef<HTMLDivElement>(null);
  const all = useMemo(() => blocks.data ?? [], [blocks.data]);
  const { items, height, virtualizer } = useVirtual({ count: all.length, size: (i) => guess(all[i]), scroller, overscan: 6 });
  useEffect(() => {
    const index = picked ? all.findIndex(({ span }) => touches(span, picked)) : -1;
    if (index >= 0) virtualizer.scrollToIndex(index, { align: "center" });
  }, [picked, asked, all]);
  if (blocks.error && !blocks.data) return <Failed error={blocks.error} again={() => void blocks.refetch()} />;
  if (!blocks.data) return file.textReady ? <Skeleton lines={20} /> : <div class="pages" />;
  if (all.length === 0) return <Empty title={words.document.noText} />;
  return (
    <section class="pages text" ref={scroller} tabIndex={0} aria-label={words.document.pages}>
      <div class="tall sheet" style={{ height: `${height}px` }}>
        {items.map((item) => {
          const block = all[item.index];
          return (
            block && (
              <div key={block.index} data-index={item.index} ref={(element) => virtualizer.measureElement(element)} class="block" style={{ transform: `translateY(${item.start}px)` }}>
                <Shown block={block} picked={picked && touches(block.span, picked) ? picked : null} />
              </div>
            )
          );
        })}
      </div>
    </section>
  );
}

const guess = (block: Block | undefined): number => 28 + Math.ceil((block?.text.length ?? 0) / 95) * 22;

function Shown({ block, picked }: { block: Block; picked: Span | null }) {
  const number = block.number && !block.text.startsWith(block.number) ? <span class="quiet">{block.number} </span> : null;
  const text = <span data-from={block.span.start}>{picked ? <Marked block={block} picked={picked} /> : block.text}</span>;
  if (block.kind === "heading") return <h2 class={`heading level-${Math.min(block.level ?? 1, 4)}`}>{number}{text}</h2>;
  if (block.rows && !picked) {
    const columns = Math.max(0, ...block.rows.flatMap((row) => row.cells.map(({ column }) => column)));
    return (
      <table>
        <tbody>
          {block.rows.map((row, i) => (
            <tr key={i}><Cells row={row} columns={columns} /></tr>
          ))}
        </tbody>
      </table>
    );
  }
  const beside = block.origin === "content" ? "" : ` beside`;
  return <p class={`${block.kind}${beside}`} style={block.kind === "list_item" ? { paddingLeft: `${(block.level ?? 1) * 20}px` } : {}}>{number}{text}</p>;
}

/** The cells of a row at their columns; the others are empty. */
function Cells({ row, columns }: { row: Schemas["TableRow"]; columns: number }) {
  const cells = new Map(row.cells.map((cell) => [cell.column, cell]));
  return (
    <>
      {Array.from({ length: columns }, (_, i) => (
        <td key={i} data-from={cells.get(i + 1)?.span.start}>{cells.get(i + 1)?.text}</td>
      ))}
    </>
  );
}

/** The text of a block with the picked part marked. Spans count code points, strings do not. */
function Marked({ block, picked }: { block: Block; picked: Span }) {
  const points = [...block.text];
  const from = Math.max(0, picked.start - block.span.start);
  const to = Math.min(points.length, picked.end - block.span.start);
  return (
    <>
      {points.slice(0, from).join("")}
      <mark>{points.slice(from, to).join("")}</mark>
      {points.slice(to).join("")}
    </>
  );
}
