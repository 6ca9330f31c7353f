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
const known = 10_000;

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

/** Receives the requests of a webhook: 401 to those that are not signed or too old; handle is called once for each event, and 500 has it sent again later. Of events that were handled the last 10,000 are remembered, in memory. */
export function webhookReceiver(secret: string, handle: (event: WebhookEvent) => Promise<void> | void): (request: Request) => Promise<Response> {
  const seen = new Set<string>();
  return async (request) => {
    let event: WebhookEvent;
    try {
      event = await verifyWebhook(secret, request.headers, await request.text());
    } catch (error) {
      return new Response(String(error), { status: 401 });
    }
    if (seen.has(event.id)) return new Response(null, { status: 204 });
    seen.add(event.id);
    for (const oldest of seen) {
      if (seen.size <= known) break;
      seen.delete(oldest);
    }
    try {
      await handle(event);
    } catch {
      seen.delete(event.id);
      return new Response("the event could not be handled", { status: 500 });
    }
    return new Response(null, { status: 204 });
  };
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
