import { ClausemillError, errorOf } from "./error.js";
import { table } from "./generated/operations.js";
import { abortable, Final, retry, sleep, usualPatience } from "./retry.js";
import type { Answer, Arguments, Item, Listing, OperationId, Operations, Options, Schemas } from "./types.js";
import { formOf, sendForm, type Upload, type Uploaded, type Version } from "./upload.js";

/** How a client sends its requests. */
export interface Transport {
  /** How long to retry what fails, in milliseconds from the first failure on: two minutes. The time in which files are being sent is not counted. 429 is waited for however often, as the service says when to come back: a signal ends that. */
  patience?: number;
  /** In place of the global one. */
  fetch?: typeof fetch;
}

/** Gives the bearer token of a request: see {@link serviceAccount}. */
export interface TokenSource {
  /** A token that is good for some time, and another one than that which was refused. A client tells how it sends its own requests. */
  token(refused?: string, transport?: Transport): Promise<string>;
}

/** Which service to talk to, and as whom. Without a key or tokens it is whoever is signed in, by cookie. */
export interface Config extends Transport {
  /** Of the service: https://contracts.example.com. In a page of the service itself it may be empty. */
  url: string;
  /** An API key. */
  key?: string;
  /** In place of a key. */
  tokens?: TokenSource;
}

/** The address of a service without what is not part of it; it throws where it is none. An error of the network would be retried. */
export function addressOf(url: string): string {
  if (url === "" ? typeof location === "undefined" : !/^https?:\/\/./i.test(url) || !URL.canParse(url)) {
    throw new Error(`${JSON.stringify(url)} is no address of a server: it looks like http://127.0.0.1:8080`);
  }
  return url.replace(/\/+$/, "");
}

/** One operation's arguments, whichever it is. */
interface Loose extends Options {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  header?: Record<string, unknown>;
  body?: unknown;
}

/** A client of one service, with a method for each operation of the API. */
export interface Client extends Operations {}

// eslint-disable-next-line no-redeclare -- the interface above gives it the operations
export class Client {
  readonly #config: Config;

  constructor(config: Config) {
    this.#config = { ...config, url: addressOf(config.url) };
    if (/[^\t\x20-\x7e]/.test(config.key ?? "")) throw new Error("the API key has characters that no key has");
    const methods = this as unknown as Record<string, unknown>;
    for (const id of Object.keys(table) as OperationId[]) {
      methods[id] ??= (args?: Loose) => this.#call(id, args ?? {});
    }
  }

  /** The response of an operation with its body as it is: for those that answer other things than JSON as well, such as getRedline with `query: { format: "docx" }`, or createChatMessage as "text/event-stream". */
  async raw<K extends OperationId>(id: K, args: Arguments<K>, accept = "*/*"): Promise<Response> {
    return this.#send(id, args as Loose, accept, async (response) => response);
  }

  /** What a list has, over all its pages. */
  async *all<K extends Listing>(id: K, args?: Arguments<K>): AsyncGenerator<Item<K>, void, undefined> {
    const asked = (args ?? {}) as Loose;
    for (let cursor: string | undefined; ; ) {
      const query = cursor === undefined ? asked.query : { ...asked.query, cursor };
      const page = (await this.#call(id, { ...asked, ...(query && { query }) })) as { items: Item<K>[]; nextCursor?: string };
      yield* page.items;
      if (!page.nextCursor) return;
      cursor = page.nextCursor;
    }
  }

  /** Returns once the service is done with a file, by long polls. It throws where the file failed or was cancelled. */
  async waitForFile(fileId: string, options: Options = {}): Promise<Schemas["FileStatus"]> {
    for (;;) {
      const status = await this.getFileStatus({ path: { fileId }, query: { wait: 30 }, ...options });
      if (status.status === "failed" || status.status === "cancelled") throw new FileFailure(status);
      if (status.status !== "queued" && status.status !== "processing") return status;
      await sleep(2000, options.signal); // a long scan moves with every page
    }
  }

  /** The file with its changes as tracked changes: a DOCX, unless another format is asked for. It waits while the service makes it. */
  async downloadRedline(fileId: string, query: Arguments<"getRedline">["query"] = {}, options: Options = {}): Promise<Response> {
    return this.#whenReady(options, () => this.raw("getRedline", { path: { fileId }, query: { format: "docx", ...query }, ...options }));
  }

  /** Describes what downloadRedline returns: the changes in it, and the checks on its bytes. */
  async redline(fileId: string, query: Arguments<"getRedline">["query"] = {}, options: Options = {}): Promise<Schemas["Rendition"]> {
    return this.#whenReady(options, () => this.getRedline({ path: { fileId }, query, ...options }));
  }

  /** Sends files, and returns what became of each, in order. An error means that none was taken. */
  async uploadFile(upload: Upload): Promise<Uploaded[]> {
    const { files } = upload;
    const answer = (await this.#form("/api/files", formOf(upload), upload)) as Schemas["File"] | { items: Schemas["File"][]; errors: Schemas["UploadError"][] };
    if ("id" in answer) return [{ file: answer }];
    // Refusals have the index of the file, and the files that were taken are in the order of the others.
    const errors = new Map(answer.errors.map((error) => [error.index, error]));
    const items = answer.items.values();
    const all = files.map((_, index): Uploaded | undefined => {
      const error = errors.get(index);
      if (error) return { error };
      const file = items.next().value;
      return file && { file };
    });
    if (answer.items.length + answer.errors.length !== files.length || !all.every((one) => one !== undefined)) throw new Error("the answer is about other files than were sent");
    return all;
  }

  /** Sends the next version of a file. */
  async addFileVersion(fileId: string, version: Version): Promise<Schemas["VersionAdded"]> {
    const fields: [string, string][] = [];
    if (version.note) fields.push(["note", version.note]);
    if (version.expectVersion) fields.push(["expectVersion", String(version.expectVersion)]);
    const path = `/api/files/${encodeURIComponent(fileId)}/versions`;
    return (await this.#form(path, { fields, files: [version.file] }, version)) as Schemas["VersionAdded"];
  }

  async #form(path: string, form: Parameters<typeof sendForm>[0], options: Upload | Version): Promise<unknown> {
    const key = options.idempotencyKey ?? crypto.randomUUID();
    new Headers({ "Idempotency-Key": key }); // throws where it cannot be one
    return this.#again(true, options.signal, async (authorization, moved) => {
      const headers = { ...authorization, Accept: "application/json", "Idempotency-Key": key };
      const response = await sendForm(form, this.#config.url + path, headers, options, moved, this.#config.fetch);
      return { response, value: response.ok ? ((await response.json()) as unknown) : undefined };
    });
  }

  async #whenReady<T>(options: Options, ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ClausemillError) || error.code !== "not_ready") throw error;
        await sleep(Math.max(error.retryAfter, 500), options.signal);
      }
    }
  }

  async #call(id: OperationId, args: Loose): Promise<unknown> {
    const read = async (response: Response): Promise<unknown> => (response.headers.get("Content-Type")?.startsWith("application/json") ? response.json() : response);
    return this.#send(id, args, "application/json, */*;q=0.5", read);
  }

  /** Makes an operation's request. That read fails is as if there were no answer. */
  async #send<T>(id: OperationId, args: Loose, accept: string, read: (response: Response) => Promise<T>): Promise<T> {
    const [method, template, keyed] = table[id];
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(args.path?.[name])));
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(args.query ?? {})) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one));
    }
    const headers: Record<string, string> = { Accept: accept };
    if (args.body !== undefined) headers["Content-Type"] = "application/json";
    if (keyed) headers["Idempotency-Key"] = crypto.randomUUID();
    for (const [name, value] of Object.entries(args.header ?? {})) if (value !== undefined) headers[name] = String(value);
    const repeatable = (method !== "POST" && method !== "PATCH") || keyed;
    const url = this.#config.url + path + (query.size > 0 ? `?${query}` : "");
    // What is no header or no JSON throws here, and not where it would be taken for an error of the network.
    new Headers(headers);
    const body = args.body === undefined ? {} : { body: JSON.stringify(args.body) };
    return this.#again(repeatable, args.signal, async (authorization) => {
      const response = await (this.#config.fetch ?? fetch)(url, {
        method,
        headers: { ...headers, ...authorization },
        redirect: "manual", // the key is sent to this service only
        ...body,
        ...(args.signal && { signal: args.signal }),
        ...(args.keepalive && { keepalive: true }),
      });
      // What is made elsewhere is a redirect of its own; a page that is not ready is no answer.
      const pending = response.status === 202 && method === "GET";
      const failed = pending || (!response.ok && !redirected(response));
      return { response, value: failed ? undefined : await read(response) };
    });
  }

  /** Sends with a token, and once more with a new one where that is refused. An answer without a value is an error. */
  async #again<T>(repeatable: boolean, signal: AbortSignal | undefined, send: (authorization: Record<string, string>, moved: () => void) => Promise<{ response: Response; value?: T | undefined }>): Promise<T> {
    const { key, tokens, patience = usualPatience } = this.#config;
    const renewed = (refused?: string): Promise<string> | undefined =>
      tokens && abortable(tokens.token(refused, this.#config), signal).catch((error: unknown) => {
        throw new Final(error); // it was tried for as long as there is patience
      });
    return retry(repeatable, patience, signal, async (moved) => {
      let token = (await renewed()) ?? key;
      for (let first = true; ; first = false) {
        const { response, value } = await send(token === undefined ? {} : { Authorization: `Bearer ${token}` }, moved);
        if (value !== undefined) return value;
        if (!first || !tokens || response.status !== 401) throw await errorOf(response);
        await response.body?.cancel();
        token = await renewed(token);
      }
    });
  }
}

/** Browsers do not show where a redirect leads, but that it is one. */
function redirected(response: Response): boolean {
  return response.type === "opaqueredirect" || (response.status > 300 && response.status < 400 && response.status !== 304);
}

/** A file that the service could not read, or that somebody cancelled. */
export class FileFailure extends Error {
  override readonly name = "FileFailure";
  constructor(readonly status: Schemas["FileStatus"]) {
    super(status.error ? `${status.error.code}: ${status.error.message}` : status.status);
  }
}

export type { Answer };
