import { addressOf, type Transport, type TokenSource } from "./client.js";
import { errorOf } from "./error.js";
import { retry, usualPatience } from "./retry.js";

const renewBefore = 60_000; // clocks differ, and a request takes its time

/** Signs in as a service account, by OAuth 2 client credentials: the token is renewed before it expires, and when it is refused. For a Client it has the fetch and the patience of that, unless it is given others. For servers only: a page cannot keep a secret. */
export function serviceAccount(account: { url: string; id: string; secret: string; scopes?: string[]; patience?: number; fetch?: typeof fetch }): TokenSource {
  let current: { token: string; until: number } | undefined;
  let asking: Promise<string> | undefined;
  const address = addressOf(account.url);
  const renew = async (transport: Transport): Promise<string> => {
    const form = new URLSearchParams({ grant_type: "client_credentials" });
    if (account.scopes?.length) form.set("scope", account.scopes.join(" "));
    const encode = (text: string) => encodeURIComponent(text).replace(/%20/g, "+"); // RFC 6749, 2.3.1
    const asked = Date.now();
    const answer = await retry(true, account.patience ?? transport.patience ?? usualPatience, undefined, async () => {
      const response = await (account.fetch ?? transport.fetch ?? fetch)(`${address}/auth/token`, {
        method: "POST",
        redirect: "manual", // the secret is sent to this service only
        headers: { Authorization: `Basic ${btoa(`${encode(account.id)}:${encode(account.secret)}`)}` },
        body: form,
      });
      if (!response.ok) throw await errorOf(response);
      return (await response.json()) as { access_token: string; expires_in: number };
    });
    current = { token: answer.access_token, until: asked + answer.expires_in * 1000 };
    return current.token;
  };
  return {
    async token(refused, transport = {}) {
      if (current && current.token !== refused && current.until - Date.now() > renewBefore) return current.token;
      asking ??= renew(transport).finally(() => (asking = undefined));
      return asking;
    },
  };
}
