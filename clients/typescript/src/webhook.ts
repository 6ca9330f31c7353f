/** What a webhook is sent. */
export interface WebhookEvent {
  /** The same for all attempts and replays. */
  id: string;
  type: string;
  timestamp: string;
  data: unknown;
}

/** How old a request may be, and how far from the future, in milliseconds: clocks differ. */
export const webhookTolerance = 5 * 60_000;

const shortestKey = 24;
const known = 10_000; // ids that a receiver remembers
const largest = 4 * 1024 * 1024; // bytes of a body

/** Checks that a request was signed with the secret of a webhook not long ago, as Standard Webhooks says, and returns the event; it throws where it was not. A request that was sent twice passes twice: see {@link webhookReceiver}. */
export async function verifyWebhook(secret: string, headers: Headers, body: string, tolerance = webhookTolerance): Promise<WebhookEvent> {
  const key = keyOf(secret);
  if (key.byteLength < shortestKey) throw new Error("the secret is too short to be one");
  const id = headers.get("webhook-id");
  const timestamp = headers.get("webhook-timestamp");
  if (!id || !timestamp || !/^\d{1,15}$/.test(timestamp)) throw new Error("the request has no webhook-id or no webhook-timestamp");
  if (Math.abs(Date.now() - Number(timestamp) * 1000) > tolerance) throw new Error("the request is too old, or from the future");
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of (headers.get("webhook-signature") ?? "").split(/\s+/)) {
    const bytes = signature.startsWith("v1,") ? decode(signature.slice(3)) : undefined;
    if (bytes && (await crypto.subtle.verify("HMAC", imported, bytes, signed))) {
      return { ...(JSON.parse(body) as Omit<WebhookEvent, "id">), id };
    }
  }
  throw new Error("the request has no signature made with the secret");
}

/** Receives the requests of a webhook: 401 to those that are not signed or too old, 400 to what is no event. An error of handle is answered with 500: the service sends the event again later. An event that comes again is answered with success once it was handled, and with 503 while it still is; handle is not called. Of events that were handled the last 10,000 are remembered, in memory. */
export function webhookReceiver(secret: string, handle: (event: WebhookEvent) => Promise<void> | void): (request: Request) => Promise<Response> {
  const running = new Set<string>();
  const handled = new Set<string>(); // the oldest first
  return async (request) => {
    const body = await textOf(request);
    if (body === undefined) return new Response("the body cannot be read", { status: 400 });
    let event: WebhookEvent;
    try {
      event = await verifyWebhook(secret, request.headers, body);
    } catch (error) {
      return error instanceof SyntaxError ? new Response("the body is no event", { status: 400 }) : new Response(String(error), { status: 401 });
    }
    if (handled.has(event.id)) return new Response(null, { status: 204 });
    // No success yet: the service would not send it again if that call fails.
    if (running.has(event.id)) return new Response("the event is being handled", { status: 503, headers: { "Retry-After": "30" } });
    running.add(event.id);
    try {
      await handle(event);
      handled.add(event.id);
    } catch {
      return new Response("the event could not be handled", { status: 500 });
    } finally {
      running.delete(event.id);
    }
    for (const oldest of handled) {
      if (handled.size <= known) break;
      handled.delete(oldest);
    }
    return new Response(null, { status: 204 });
  };
}

/** The body of a request, or undefined where it breaks off or is larger than any event. */
async function textOf(request: Request): Promise<string | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      if ((size += read.value.byteLength) > largest) {
        await reader?.cancel();
        return undefined;
      }
      chunks.push(read.value);
    }
  } catch {
    return undefined;
  }
  return new Blob(chunks).text();
}

/** Secrets that release 0.1.0 made have another prefix: their characters are the key. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  return (secret.startsWith("whsec_") && decode(secret.slice(6))) || new TextEncoder().encode(secret);
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}
