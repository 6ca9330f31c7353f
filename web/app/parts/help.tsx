import { CircleHelp } from "lucide-preact";
import { useState } from "preact/hooks";
import { words } from "../words.js";
import { Dialog } from "./dialog.js";

/** A request that gives what is shown, for whoever wants it in a program. */
export interface Asked {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
}

/** A request that reads. */
export const readRequest = (path: string, query: Record<string, string | string[]>): Asked => ({
  method: "GET",
  path: `${path}?${new URLSearchParams(Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one])))}`,
});

/** A small "?" beside a figure: what it says and over what, and the request that gives it. */
export function Help({ title, text, request }: { title: string; text: string; request?: Asked }) {
  const [open, show] = useState(false);
  return (
    <>
      <button class="bare small help" aria-label={words.help.about(title)} onClick={() => show(true)}>
        <CircleHelp size={14} class="icon" />
      </button>
      <Dialog open={open} close={() => show(false)} title={title}>
        <div class="plain">
          <p>{text}</p>
          {request && (
            <>
              <h3>{words.help.request}</h3>
              <pre class="curl" tabIndex={0}>{curl(request)}</pre>
              <p class="quiet">{words.help.token} <a href="/docs">{words.top.api}</a></p>
            </>
          )}
        </div>
      </Dialog>
    </>
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl({ method, path, body }: Asked): string {
  const parts = [`curl ${method === "GET" ? "" : `-X ${method} `}-H "Authorization: Bearer $TOKEN"`];
  if (body !== undefined) parts.push(`  -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`);
  return [...parts, `  ${quoted(location.origin + path)}`].join(" \\\n");
}
