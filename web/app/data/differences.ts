import { useQuery } from "@tanstack/preact-query";
import { api, type Schemas } from "./client.js";
import { gathered, type Span } from "./document.js";
import { differences } from "./redline.js";

/** What a file's text has that an earlier version of it has not, and in how many places words of that version are gone. */
interface Differences {
  spans: Span[];
  gone: number;
}

export const useDifferences = (file: Schemas["File"], since: number | null) =>
  useQuery({
    queryKey: ["file", file.id, file.textVersion, file.attempt, "differences", since],
    queryFn: async ({ signal }): Promise<Differences> => {
      const path = { fileId: file.id };
      const [{ items }, documents] = await Promise.all([
        api.createChanges({ path, body: { compareTo: file.id, compareToVersion: since!, preview: true }, signal }),
        gathered(api.all("listFileDocuments", { path, query: { limit: 500 }, signal })),
      ]);
      return differing(items, documents.flatMap(({ blocks }) => blocks));
    },
    enabled: since !== null && file.textReady,
    staleTime: Infinity, // two versions stay as they are
  });

/** Where changes that lead to the earlier version touch blocks, of which each is a paragraph of the document that they are of. */
function differing(changes: Schemas["Change"][], blocks: Schemas["Block"][]): Differences {
  const out: Differences = { spans: [], gone: 0 };
  for (const { type, text = "", resolved: at } of changes) {
    if (!at || at.part !== "body") continue;
    if (type === "insert" || type === "insertParagraph") out.gone++;
    else if (type === "delete" || type === "deleteParagraph" || type === "replace" || type === "rewrite") {
      for (let n = at.block; n <= at.endBlock; n++) {
        const block = blocks[n];
        if (!block) continue;
        const points = [...block.text];
        const whole = type === "deleteParagraph";
        const start = n === at.block && !whole ? at.start : 0;
        const end = n === at.endBlock && !whole ? Math.min(at.end, points.length) : points.length;
        // Of words that were replaced only those that differ.
        const parts = at.block === at.endBlock ? differences(points.slice(start, end).join(""), text, start) : [{ start, end }];
        for (const part of parts) {
          if (part.start < part.end) out.spans.push({ start: block.span.start + part.start, end: block.span.start + part.end });
          else out.gone++;
        }
      }
    }
  }
  out.spans.sort((a, b) => a.start - b.start);
  return out;
}
