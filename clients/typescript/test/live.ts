/** Calls every operation of a running service with the steps that the clients share, and has the compiler check what was sent and answered. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { Client, ClausemillError, type OperationId, serviceAccount } from "@clausemill/client";
import { sourceOf } from "@clausemill/client/node";

interface Step {
  op: OperationId;
  path?: (string | number)[];
  query?: Record<string, unknown>;
  body?: unknown;
  keep?: Record<string, string>;
  fails?: number;
  waits?: number;
}

const { url, cookie, session, values, sources } = JSON.parse(process.env["CLAUSEMILL_LIVE"] ?? "{}") as {
  url: string;
  cookie: string;
  session: string;
  values: Record<string, string>;
  sources: Record<string, string>;
};
const document = JSON.parse(readFileSync("../../api/testdata/openapi.json", "utf8")) as { paths: Record<string, Record<string, { operationId: OperationId }>> };
const steps = JSON.parse(readFileSync("../testdata/operations.json", "utf8")) as Step[];

let token = session;
const client = new Client({
  url,
  async fetch(input, init) {
    const response = await fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), Cookie: `${cookie}=${token}` } });
    for (const set of response.headers.getSetCookie()) {
      const renewed = set.match(new RegExp(`^${cookie}=([^;]+)`))?.[1]; // another team is another session
      if (renewed) token = renewed;
    }
    return response;
  },
});

const templates = new Map(Object.entries(document.paths).flatMap(([path, methods]) => Object.values(methods).map((op) => [op.operationId, path] as const)));

/** Puts in what was kept. */
function fill<T>(value: T): T {
  let text = JSON.stringify(value ?? null);
  for (const name of Object.keys(values).sort((a, b) => b.length - a.length)) text = text.replaceAll(name, values[name] ?? "");
  return JSON.parse(text) as T;
}

/** What the compiler has to accept, as TypeScript. */
const typed: string[] = [];
const note = (type: string, value: unknown) => typed.push(`export const v${typed.length}: ${type} = ${JSON.stringify(value)};`);

for (const [name, path] of Object.entries(sources)) {
  const [uploaded] = await client.uploadFile({ files: [await sourceOf(path)], onProgress: ({ sent, total }) => assert.ok(sent <= total) });
  assert.ok(uploaded?.file, uploaded?.error?.error);
  note(`Schemas["File"]`, uploaded.file);
  values[name] = uploaded.file.id;
}
for (const name of Object.keys(sources)) await client.waitForFile(values[name]!);
note(`Schemas["VersionAdded"]`, await client.addFileVersion(values["$other"]!, { file: await sourceOf(sources["$contract"]!), expectVersion: 1, note: "The next" }));
await client.waitForFile(values["$other"]!);

const called = new Set<string>(["uploadFile", "addFileVersion", "issueToken"]);
const methods = client as unknown as Record<string, (args: unknown) => Promise<unknown>>;
const problems: string[] = [];

async function take(step: Step): Promise<void> {
  const names = [...(templates.get(step.op) ?? "").matchAll(/\{(\w+)\}/g)].map((m) => m[1]!);
  const ids = fill(step.path ?? []);
  assert.equal(ids.length, names.length, `${step.op}: the ids in the path`);
  const stop = new AbortController();
  const args = {
    ...(names.length > 0 && { path: Object.fromEntries(names.map((name, i) => [name, ids[i]])) }),
    ...(step.query && { query: fill(step.query) }),
    ...(step.body !== undefined && { body: fill(step.body) }),
  };
  note(`Arguments<"${step.op}">`, args);
  let answer: unknown;
  for (let tries = 0; ; tries++) {
    try {
      answer = await methods[step.op]!({ ...args, signal: stop.signal });
      break;
    } catch (error) {
      if (!(error instanceof ClausemillError)) throw error;
      if (error.status === step.waits && tries < 300) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        continue;
      }
      if (error.status !== step.fails) throw error;
      assert.ok(error.code && error.requestId, "an error has a code and the id of its request");
      return;
    }
  }
  if (answer instanceof Response) {
    if (answer.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      assert.ok((await answer.body!.getReader().read()).value?.length);
      stop.abort();
    } else if (answer.status === 200 && step.op !== "checkOCR") assert.ok((await answer.arrayBuffer()).byteLength > 0);
    return;
  }
  note(`Answer<"${step.op}">`, answer);
  for (const [name, where] of Object.entries(step.keep ?? {})) {
    const value = where.split(".").reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], answer);
    assert.ok(value, `${where} of ${JSON.stringify(answer)}`);
    values[`$${name}`] = String(value);
  }
  if (typeof answer === "object" && answer !== null && "items" in answer && [...(templates.get(step.op) ?? "")].length > 0 && "nextCursor" in answer) {
    let n = 0;
    for await (const _ of client.all(step.op as "listFiles", args as never)) if (++n > 100) break;
  }
}

for (const step of steps) {
  try {
    await take(step);
  } catch (error) {
    problems.push(`${step.op}: ${String(error)}`);
  }
  called.add(step.op);
  if (step.op === "createServiceAccount") {
    const unattended = new Client({ url, tokens: serviceAccount({ url, id: values["$account"]!, secret: values["$secret"]!, scopes: ["files:read"] }) });
    assert.equal((await unattended.listFiles({ query: { limit: 1 } })).items.length, 1);
    await assert.rejects(unattended.listWebhooks(), { status: 403 });
  }
  if (step.op === "createChanges") {
    assert.deepEqual((await client.redline(values["$contract"]!)).checks, { acceptAllEqualsTarget: true, rejectAllEqualsBase: true, priorRevisionsPreserved: true, opens: true });
    assert.equal(Buffer.from(await (await client.downloadRedline(values["$contract"]!)).arrayBuffer()).subarray(0, 2).toString(), "PK");
  }
}
for (const op of templates.keys()) if (!called.has(op)) problems.push(`nobody calls ${op}`);
assert.deepEqual(problems, []);

writeFileSync("build/answers.ts", `import type { Answer, Arguments, Schemas } from "@clausemill/client";\n${typed.join("\n")}\n`);
execFileSync("node_modules/.bin/tsc", ["-p", "test/tsconfig.answers.json"], { stdio: "inherit" });
console.log(`${called.size} operations called, ${typed.length} values checked by the compiler`);
