import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { execFileSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, mock, test } from "node:test";
import { Client, ClausemillError, type Config, JournalError, MemoryJournal, serviceAccount, uploadAll, verifyWebhook, webhookReceiver } from "@clausemill/client";
import { FileJournal, sourceOf, sourcesIn } from "@clausemill/client/node";

interface Asked {
  method: string;
  url: URL;
  headers: Headers;
  redirect: RequestRedirect;
  body: string;
}

/** A client of a service that answers as it is told, and what it was asked. */
function serving(answer: (asked: Asked, n: number) => Response | Promise<Response>, config: Partial<Config> = {}): { client: Client; asked: Asked[]; send: typeof fetch } {
  const asked: Asked[] = [];
  const send = (async (url: string, init: RequestInit) => {
    init.signal?.throwIfAborted();
    const request = new Request(url, { ...init, ...({ duplex: "half" } as object) });
    asked.push({ method: request.method, url: new URL(request.url), headers: request.headers, redirect: request.redirect, body: await request.text() });
    return answer(asked[asked.length - 1]!, asked.length);
  }) as typeof fetch;
  return { client: new Client({ url: "http://service.test/", key: "k", fetch: send, ...config }), asked, send };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) => Response.json(body, { status, headers });

/** Lets time pass at once while something waits. */
async function hurried<T>(work: Promise<T>): Promise<T> {
  let done = false;
  const finished = work.finally(() => (done = true)).catch(() => undefined);
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(1000);
  }
  await finished;
  return work;
}

afterEach(() => mock.timers.reset());

test("requests are made of their arguments", async () => {
  const { client, asked } = serving(() => json({ items: [] }));
  await client.listFiles({ query: { limit: 2, status: ["queued", "failed"], deleted: false } });
  await client.getFile({ path: { fileId: "a/../b c?" } });
  assert.equal(asked[0]?.url.search, "?limit=2&status=queued&status=failed&deleted=false");
  assert.equal(asked[0]?.headers.get("Authorization"), "Bearer k");
  assert.equal(asked[1]?.url.pathname, "/api/files/a%2F..%2Fb%20c%3F");
});

test("errors have what the service says", async () => {
  const { client } = serving(() => json({ error: "no such file", code: "not_found", details: [{ location: "path.fileId", message: "is gone" }] }, 404, { "X-Request-Id": "R1" }));
  await assert.rejects(client.getFile({ path: { fileId: "f" } }), (e: ClausemillError) => {
    assert.deepEqual([e.status, e.code, e.message, e.requestId, e.details], [404, "not_found", "no such file", "R1", [{ location: "path.fileId", message: "is gone" }]]);
    return e instanceof ClausemillError;
  });
});

test("only what is safe is repeated", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const lost = () => {
    throw new TypeError("fetch failed");
  };
  const away = () => json({ error: "away" }, 503);
  const crashed = () => json({ error: "internal error" }, 500);
  const read = (c: Client) => c.getTeam();
  const post = (c: Client) => c.reprocessFile({ path: { fileId: "f" }, body: {} });
  const keyed = (c: Client) => c.createMatter({ body: { name: "Merger" } });
  for (const [name, trouble, ask, again] of [
    ["read lost", lost, read, true],
    ["read crashed", crashed, read, true],
    ["post lost", lost, post, false],
    ["post crashed", crashed, post, false],
    ["post away", away, post, true],
    ["post with key lost", lost, keyed, true],
  ] as const) {
    const { client, asked } = serving((_, n) => (n === 1 ? trouble() : json({})));
    const answer = hurried<unknown>(ask(client));
    await (again ? answer : assert.rejects(answer, name));
    assert.equal(asked.length, again ? 2 : 1, name);
    assert.equal(new Set(asked.map((a) => a.headers.get("Idempotency-Key"))).size, 1, name);
  }
  const { client, asked } = serving((_, n) => (n === 1 ? json({}, 429, { "Retry-After": "60" }) : json({})));
  const began = Date.now();
  await hurried(client.reprocessFile({ path: { fileId: "f" }, body: {} }));
  assert.ok(Date.now() - began >= 60_000);
  assert.equal(asked.length, 2);
  const gone = serving(lost);
  await assert.rejects(hurried(gone.client.getTeam()));
  assert.ok(gone.asked.length > 5);
});

test("patience begins with the first failure", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { client, asked } = serving((_, n) => {
    if (n > 1) return json({});
    mock.timers.tick(300_000);
    throw new TypeError("fetch failed");
  });
  await hurried(client.getTeam());
  assert.equal(asked.length, 2);
});

test("the time in which files are sent is not counted, and that is all", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const files = [{ name: "a.txt", content: new Blob(["whereas ".repeat(50_000)]) }];
  for (const takes of [30_000, 0]) {
    let n = 0;
    const send = (async (_: string, init: RequestInit) => {
      for await (const _ of init.body as ReadableStream) mock.timers.tick(takes);
      if (++n > 3 && takes) return json({ id: "f" }, 202);
      throw new TypeError("fetch failed");
    }) as typeof fetch;
    const began = Date.now();
    const work = hurried(new Client({ url: "http://service.test", fetch: send }).uploadFile({ files }));
    if (takes) {
      assert.equal((await work)[0]?.file?.id, "f");
      assert.ok(Date.now() - began > 3 * 120_000);
    } else {
      await assert.rejects(work, /fetch failed/, "what is dropped at its end each time is not sent for ever");
      assert.ok(Date.now() - began <= 121_000);
    }
  }
});

test("429 is waited for until the signal", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { client, asked } = serving((_, n) => (n <= 10 ? json({}, 429, { "Retry-After": "60" }) : json({})));
  await hurried(client.getTeam());
  assert.equal(asked.length, 11);
  const stop = new AbortController();
  const busy = serving((_, n) => {
    if (n === 10) setTimeout(() => stop.abort(), 1000);
    return json({}, 429, { "Retry-After": "60" });
  });
  await assert.rejects(hurried(busy.client.getTeam({ signal: stop.signal })), { name: "AbortError" });
  assert.equal(busy.asked.length, 10);
});

test("an answer that breaks off is asked for again where that is safe", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const broken = () => {
    const body = new ReadableStream({
      start: (to) => to.enqueue(new TextEncoder().encode('{"id":')),
      pull: (to) => to.error(new TypeError("terminated")),
    });
    return new Response(body, { headers: { "Content-Type": "application/json" } });
  };
  const { client, asked } = serving((_, n) => (n === 1 ? broken() : json({ id: "t" })));
  assert.equal((await hurried(client.getTeam())).id, "t");
  assert.equal(asked.length, 2);
  const post = serving(broken);
  await assert.rejects(hurried(post.client.reprocessFile({ path: { fileId: "f" }, body: {} })), /terminated/);
  assert.equal(post.asked.length, 1);
});

test("what cannot be sent is said at once", async () => {
  for (const url of ["contracts.example.com", "contracts.example.com:8080", "ftp://contracts.example.com", "http://", ""]) {
    assert.throws(() => new Client({ url }), /is no address of a server/, url);
    assert.throws(() => serviceAccount({ url, id: "a", secret: "b" }), /is no address of a server/, url);
  }
  assert.throws(() => new Client({ url: "http://service.test", key: "k\n" }), /characters that no key has/);
  const { client, asked } = serving(() => json({}));
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  await assert.rejects(client.createMatter({ body: { name: "n", ...circular } }), TypeError);
  await assert.rejects(client.uploadFile({ files: [], idempotencyKey: "a\nb" }), TypeError);
  await assert.rejects(client.createMatter({ body: { name: "n" }, header: { "Idempotency-Key": "Müller\u0000" } }), TypeError);
  assert.equal(asked.length, 0);
});

test("redirects are not followed", async () => {
  const { client, asked, send } = serving(() => new Response(null, { status: 307, headers: { Location: "http://elsewhere.test/" } }));
  const files = [{ name: "a.txt", content: new Blob(["a"]) }];
  const url = "http://service.test";
  const moved = { status: 307 };
  await assert.rejects(client.uploadFile({ files }), moved);
  await assert.rejects(client.uploadFile({ files, onProgress: () => {} }), moved);
  await assert.rejects(new Client({ url, fetch: send, tokens: serviceAccount({ url, id: "a", secret: "b" }) }).getTeam(), moved);
  await client.getTeam();
  assert.deepEqual(asked.map((a) => a.redirect), ["manual", "manual", "manual", "manual"]);
});

test("all goes over the pages", async () => {
  const { client, asked } = serving(({ url }) => json(url.searchParams.get("cursor") === "two" ? { items: [{ id: "3" }] } : { items: [{ id: "1" }, { id: "2" }], nextCursor: "two" }));
  const ids: string[] = [];
  for await (const file of client.all("listFiles", { query: { limit: 2 } })) ids.push(file.id);
  assert.deepEqual(ids, ["1", "2", "3"]);
  assert.equal(asked[1]?.url.search, "?limit=2&cursor=two");
});

test("a file is waited for", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { client, asked } = serving((_, n) => json(n < 3 ? { status: "processing" } : { status: "failed", error: { code: "encrypted", message: "it has a password" } }));
  await assert.rejects(hurried(client.waitForFile("f")), /encrypted: it has a password/);
  assert.equal(asked.length, 3);
  await assert.rejects(client.waitForFile("f", { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("a redline is waited for", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { client, asked } = serving((_, n) => (n < 3 ? json({ message: "it is being made" }, 202) : new Response("PK", { headers: { "Content-Type": "application/x" } })));
  const document = await hurried(client.downloadRedline("f"));
  assert.equal(await document.text(), "PK");
  assert.equal(asked[0]?.url.search, "?format=docx");
});

test("an upload is the same bytes each time, and tells how far it is", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { client, asked } = serving((_, n) => {
    if (n === 1) throw new TypeError("fetch failed");
    return json({ items: [{ id: "1" }, { id: "3" }], errors: [{ index: 1, name: "b.xls", error: "no contract", code: "unsupported_type" }] }, 202);
  });
  const sent: number[] = [];
  const content = new Blob(["whereas ".repeat(50_000)]);
  const files = ['the "Müller" lease.pdf', "b.xls", "c.pdf"].map((name) => ({ name, content, folder: "2020" }));
  const answers = await hurried(client.uploadFile({ files, matterId: "m", metadata: { box: 7 }, onProgress: (p) => sent.push(p.sent) }));
  assert.deepEqual(answers.map((a) => a.file?.id ?? a.error?.code), ["1", "unsupported_type", "3"]);
  assert.equal(asked.length, 2);
  assert.equal(asked[0]?.body, asked[1]?.body);
  assert.equal(asked[0]?.headers.get("Idempotency-Key"), asked[1]?.headers.get("Idempotency-Key"));
  const form = await new Response(asked[1]?.body, { headers: { "Content-Type": asked[1]?.headers.get("Content-Type") ?? "" } }).formData();
  assert.deepEqual([form.get("matterId"), form.get("metadata"), form.getAll("path")[2], form.getAll("file").length], ["m", '{"box":7}', "2020/c.pdf", 3]);
  assert.ok(sent.length > 3 && (sent[sent.length - 1] ?? 0) > 3 * content.size);
});

test("what became of a file is told by its place, not by its name", async () => {
  const files = ["a/index.html", "b/index.html", "../c.txt"].map((name) => ({ name, content: new Blob([name]) }));
  const refused = (index: number) => ({ index, name: "index.html", error: "the file is empty", code: "invalid" });
  for (const [items, errors, want] of [
    [[{ id: "1" }, { id: "3" }], [refused(1)], ["1", "invalid", "3"]],
    [[{ id: "2" }, { id: "3" }], [refused(0)], ["invalid", "2", "3"]],
    [[{ id: "1" }, { id: "2" }], [refused(2)], ["1", "2", "invalid"]],
    [[{ id: "1" }], [refused(2)], undefined],
    [[{ id: "1" }], [refused(2), refused(2)], undefined],
    [[{ id: "1" }, { id: "2" }], [refused(3)], undefined],
    [[{ id: "1" }, { id: "2" }], [{ name: "index.html" }], undefined],
  ] as const) {
    const answers = serving(() => json({ items, errors }, 202)).client.uploadFile({ files });
    if (want) assert.deepEqual((await answers).map((a) => a.file?.id ?? a.error?.code), want);
    else await assert.rejects(answers, /about other files than were sent/);
  }
});

test("an upload in a page ends with its signal", async () => {
  const requests: FakeRequest[] = [];
  class FakeRequest {
    upload: { onprogress?: (e: { loaded: number; total: number }) => void } = {};
    status = 202;
    statusText = "Accepted";
    responseText = '{"id":"f"}';
    onload = () => {};
    onabort = () => {};
    onloadend = () => {};
    constructor() {
      requests.push(this);
    }
    open() {}
    setRequestHeader() {}
    send() {}
    getAllResponseHeaders = () => "content-type: application/json\r\n";
    abort() {
      this.onabort();
      this.onloadend();
    }
  }
  const globals = globalThis as { XMLHttpRequest?: unknown };
  globals.XMLHttpRequest = FakeRequest;
  try {
    const { client } = serving(() => json({}));
    const stop = new AbortController();
    const upload = () => client.uploadFile({ files: [{ name: "a.txt", content: new Blob(["a"]) }], onProgress: () => {}, signal: stop.signal });
    const first = upload();
    await new Promise((resolve) => setImmediate(resolve));
    requests[0]!.onload();
    requests[0]!.onloadend();
    assert.equal((await first)[0]?.file?.id, "f");
    assert.equal(getEventListeners(stop.signal, "abort").length, 0);
    const second = upload();
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await assert.rejects(second, { name: "AbortError" });
    await assert.rejects(upload(), { name: "AbortError" });
    assert.equal(requests.length, 2, "nothing is sent for a signal that was given before");
  } finally {
    delete globals.XMLHttpRequest;
  }
});

test("a batch goes on where it was interrupted", async () => {
  const dir = await mkdtemp(join(tmpdir(), "clausemill-"));
  try {
    for (const name of ["a.txt", "b.txt", ".hidden"]) await writeFile(join(dir, name), name);
    let gone = false;
    const { client, asked } = serving(({ method, url }, n) => {
      if (method === "GET") return json({ items: gone ? [] : url.searchParams.getAll("ids").map((id) => ({ id })) });
      return json({ id: `f${n}`, status: "completed" }, 202);
    });
    const run = async () => {
      const journal = new FileJournal(join(dir, ".journal"));
      const all = [];
      for await (const outcome of uploadAll(client, sourcesIn(dir), { journal, jobs: 1 })) all.push(outcome);
      return all;
    };
    assert.deepEqual((await run()).map((o) => [o.source.name, o.resumed, o.error]), [["a.txt", false, undefined], ["b.txt", false, undefined]]);
    assert.deepEqual((await run()).map((o) => o.resumed), [true, true]);
    gone = true;
    assert.deepEqual((await run()).map((o) => o.resumed), [false, false], "what the service no longer has is sent again");
    const keys = asked.filter((a) => a.method === "POST").map((a) => a.headers.get("Idempotency-Key"));
    assert.equal(new Set(keys).size, 4);
    assert.equal((await sourceOf(join(dir, "a.txt"))).name, "a.txt");
  } finally {
    await rm(dir, { recursive: true });
  }
});

test("of files that were sent before the service is asked about many at once", async () => {
  const sources = Array.from({ length: 250 }, (_, n) => ({ name: `${n}.txt`, content: new Blob([String(n)]) }));
  const journal = new MemoryJournal();
  const gone = "f7";
  const { client, asked } = serving(({ method, url, body }) => {
    if (method === "GET") {
      const ids = url.searchParams.getAll("ids");
      assert.ok(Number(url.searchParams.get("limit")) >= ids.length);
      return json({ items: ids.filter((id) => id !== gone).reverse().map((id) => ({ id })) });
    }
    return json({ id: `f${/(\d+)\.txt/.exec(body)?.[1]}`, status: "queued" }, 202);
  });
  const run = async (some: typeof sources) => {
    const all = new Map<string, boolean>();
    for await (const { source, file, resumed, error } of uploadAll(client, some, { journal })) {
      assert.deepEqual([error, file?.id], [undefined, `f${source.name.replace(".txt", "")}`]);
      all.set(source.name, resumed);
    }
    return all;
  };
  await run(sources.slice(0, 240));
  asked.length = 0;
  const again = await run(sources);
  assert.equal(again.size, 250);
  assert.deepEqual([...again].filter(([, resumed]) => !resumed).map(([name]) => name).sort(), ["7.txt", ...sources.slice(240).map((s) => s.name)].sort());
  assert.equal(asked.filter((a) => a.method === "GET").length, 3);
  assert.equal(asked.filter((a) => a.method === "POST").length, 11);
});

test("one bad file does not stop a batch", async () => {
  const { client } = serving(({ body }) => (body.includes("bad") ? json({ error: "no contract" }, 415) : json({ id: "f" }, 202)));
  const outcomes = [];
  for await (const o of uploadAll(client, ["bad", "good"].map((name) => ({ name, content: new Blob([name]) })))) outcomes.push([o.source.name, o.error instanceof ClausemillError]);
  assert.deepEqual(outcomes.sort(), [["bad", true], ["good", false]]);
});

/** Files that come one after the other, and do something between them. */
async function* coming(between: (n: number) => void | Promise<void>, count = 5) {
  for (let n = 0; n < count; n++) {
    await between(n);
    yield { name: `${n}.txt`, content: new Blob([String(n)]) };
  }
}

test("aborting a batch leaves nothing behind", async () => {
  const stop = new AbortController();
  let running = 0;
  const send = (async (_: string, init: RequestInit) => {
    running++;
    return new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  }) as typeof fetch;
  const client = new Client({ url: "http://service.test", key: "k", fetch: send });
  const sources = coming(async (n) => {
    if (n < 3) return;
    while (running < 3) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error("enough"));
    await new Promise((resolve) => setTimeout(resolve, 10)); // a rejection that nobody handles is reported meanwhile
  });
  const all = (async () => {
    for await (const outcome of uploadAll(client, sources, { jobs: 5, signal: stop.signal })) assert.fail(outcome.source.name);
  })();
  await assert.rejects(all, /enough/);
  await assert.rejects(uploadAll(client, [], { signal: stop.signal }).next(), /enough/);
});

test("who leaves a batch ends what it is sending", async () => {
  let ended = 0;
  const send = (async (_: string, init: RequestInit) => {
    const form = await new Response(init.body).text();
    if (form.includes("0.txt")) return json({ id: "f" }, 202);
    if (!init.signal?.aborted) await new Promise((resolve) => init.signal?.addEventListener("abort", resolve));
    ended++;
    throw init.signal?.reason;
  }) as typeof fetch;
  const client = new Client({ url: "http://service.test", key: "k", fetch: send });
  for await (const outcome of uploadAll(client, coming(() => {}), { jobs: 3 })) {
    assert.equal(outcome.source.name, "0.txt");
    break;
  }
  assert.equal(ended, 2);
});

test("a journal that fails ends a batch", async () => {
  const full = new MemoryJournal();
  full.set = async () => {
    throw new Error("no space left");
  };
  const { client, asked } = serving(() => json({ id: "f", status: "queued" }, 202));
  const all = async () => {
    for await (const outcome of uploadAll(client, coming(() => {}), { jobs: 1, journal: full })) assert.fail(outcome.source.name);
  };
  await assert.rejects(all(), (error: JournalError) => {
    assert.ok(error instanceof JournalError);
    assert.deepEqual([error.outcome.source.name, error.outcome.file?.id, error.outcome.error], ["0.txt", "f", undefined]);
    assert.match(error.message, /no space left/);
    return true;
  });
  assert.equal(asked.length, 1);
});

test("a token is asked for as the client is configured, and no longer than the signal", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const tokens = () => serviceAccount({ url: "http://service.test", id: "a", secret: "b" });
  const away = serving(() => json({ error: "away" }, 503), { tokens: tokens(), patience: 20_000 });
  const began = Date.now();
  await assert.rejects(hurried(away.client.getTeam()), { status: 503 });
  assert.ok(Date.now() - began <= 21_000, "and not once more for the request itself");
  assert.ok(away.asked.every(({ url }) => url.pathname === "/auth/token"));

  let give = (_: Response) => {};
  const slow = serving(({ url }) => (url.pathname === "/auth/token" ? new Promise<Response>((resolve) => (give = resolve)) : json({ id: "t" })), { tokens: tokens() });
  const stop = new AbortController();
  const [first, second] = [slow.client.getTeam({ signal: stop.signal }), slow.client.getTeam()];
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await assert.rejects(first, { name: "AbortError" });
  give(json({ access_token: "t", expires_in: 3600 }));
  assert.equal((await second).id, "t");
  assert.equal(slow.asked.length, 2);
});

test("a token is renewed before it expires, and when it is refused", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  let made = 0;
  let valid = "";
  const { send } = serving(({ url, headers, body }) => {
    if (url.pathname !== "/auth/token") return headers.get("Authorization") === `Bearer ${valid}` ? json({}) : json({ error: "expired" }, 401);
    assert.equal(body, "grant_type=client_credentials&scope=files%3Aread");
    if (atob(headers.get("Authorization")?.slice(6) ?? "") !== "a%2Fb:s+cret") return json({ error: "invalid_client", error_description: "there is no such client" }, 401);
    return json({ access_token: (valid = `t${++made}`), expires_in: 3600 });
  });
  const as = (secret: string) => new Client({ url: "http://service.test", fetch: send, tokens: serviceAccount({ url: "http://service.test", id: "a/b", secret, scopes: ["files:read"], fetch: send }) });
  const client = as("s cret");
  await Promise.all([client.getTeam(), client.getTeam(), client.getTeam()]);
  assert.equal(made, 1);
  mock.timers.tick(59.5 * 60_000);
  await client.getTeam();
  assert.equal(made, 2);
  valid = "revoked";
  await client.getTeam();
  assert.equal(made, 3);
  await assert.rejects(as("guessed").getTeam(), { code: "invalid_client", message: "there is no such client" });
});

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

function signed(id: string, body: string, at = Date.now()): Request {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`${id}.${timestamp}.${body}`).digest("base64");
  return new Request("http://receiver.test", { method: "POST", body, headers: { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,bm90aGluZw== v1,${signature}` } });
}

test("webhooks are verified", async () => {
  // The example in the text of Standard Webhooks.
  const headers = new Headers({ "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330", "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" });
  const body = '{"test": 2432232314}';
  assert.equal((await verifyWebhook(secret, headers, body, Infinity)).id, "msg_p5jXN8AQM9LWM0D4loKWxJek");
  await assert.rejects(verifyWebhook(secret, headers, body), /too old/);
  await assert.rejects(verifyWebhook(secret, headers, `${body} `, Infinity), /no signature/);
  await assert.rejects(verifyWebhook("whsec_AAAA", headers, body, Infinity), /too short/);
  await assert.rejects(verifyWebhook(secret, new Headers(), body), /no webhook-id/);
});

test("a receiver takes each event once", async () => {
  const seen: string[] = [];
  let fails = true;
  const receive = webhookReceiver(secret, (event) => {
    if (event.id === "fails" && fails) throw new Error("away");
    seen.push(event.id);
  });
  const event = JSON.stringify({ type: "ping", timestamp: "2026-11-22T09:30:00Z", data: {} });
  const status = async (request: Request) => (await receive(request)).status;
  assert.equal(await status(signed("a", event)), 204);
  assert.equal(await status(signed("a", event)), 204);
  assert.deepEqual(seen, ["a"]);
  assert.equal(await status(signed("b", event, Date.now() - 600_000)), 401);
  assert.equal(await status(signed("b", event, Date.now() + 600_000)), 401);
  assert.equal(await status(signed("b", "no event")), 400);
  assert.equal(await status(signed("fails", event)), 500);
  fails = false;
  assert.equal(await status(signed("fails", event)), 204);
  assert.deepEqual(seen, ["a", "fails"]);
});

test("an event is not called handled while it is", async () => {
  let begun = () => {};
  let end = (_?: Error) => {};
  const handling = () => new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
    begun();
  });
  const receive = webhookReceiver(secret, handling);
  const event = JSON.stringify({ type: "ping", timestamp: "2026-11-22T09:30:00Z", data: {} });
  for (const [error, want] of [[new Error("away"), 500], [undefined, 204]] as const) {
    const began = new Promise<void>((resolve) => (begun = resolve));
    const first = receive(signed("a", event));
    await began;
    const second = await receive(signed("a", event));
    assert.deepEqual([second.status, second.headers.get("Retry-After")], [503, "30"]);
    end(error);
    assert.equal((await first).status, want);
  }
  assert.equal((await receive(signed("a", event))).status, 204);
});

test("a receiver reads no more than an event has", async () => {
  const receive = webhookReceiver(secret, () => {});
  let read = 0;
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (to) => to.enqueue(new Uint8Array((read += 65_536) && 65_536)),
    cancel: () => void (cancelled = true),
  });
  const streaming = { method: "POST", body: endless, duplex: "half" };
  assert.equal((await receive(new Request("http://receiver.test", streaming))).status, 400);
  assert.ok(cancelled && read < 5 * 1024 * 1024, `${read} bytes were read`);
  const broken = { method: "POST", body: new ReadableStream({ pull: (to) => to.error(new Error("reset")) }), duplex: "half" };
  assert.equal((await receive(new Request("http://receiver.test", broken))).status, 400);
});

test("the program in README.md compiles", async () => {
  const [, program] = (await readFile("README.md", "utf8")).match(/```ts\n([^]*?)```/) ?? [];
  assert.ok(program);
  await writeFile("build/readme.ts", program);
  execFileSync("node_modules/.bin/tsc", ["-p", "test/tsconfig.readme.json"], { stdio: "inherit" });
});
