import type { TokenSource } from "./client.js";
import { errorOf } from "./error.js";
import { retry } from "./retry.js";

const renewBefore = 60_000; // clocks differ, and a request takes its time

/** Signs in as a service account, by OAuth 2 client credentials: the token is renewed before it expires, and when it is refused. For servers only: a page cannot keep a secret. */
export function serviceAccount(account: { url: string; id: string; secret: string; scopes?: string[]; patience?: number; fetch?: typeof fetch }): TokenSource {
  let current: { token: string; until: number } | undefined;
  let asking: Promise<string> | undefined;
  const renew = async (): Promise<string> => {
    const form = new URLSearchParams({ grant_type: "client_credentials" });
    if (account.scopes?.length) form.set("scope", account.scopes.join(" "));
    const encode = (text: string) => encodeURIComponent(text).replace(/%20/g, "+"); // RFC 6749, 2.3.1
    const asked = Date.now();
    const answer = await retry(true, account.patience ?? 120_000, undefined, async () => {
      const response = await (account.fetch ?? fetch)(`${account.url.replace(/\/+$/, "")}/auth/token`, {
        method: "POST",
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
    async token(refused) {
      if (current && current.token !== refused && current.until - Date.now() > renewBefore) return current.token;
      asking ??= renew().finally(() => (asking = undefined));
      return asking;
    },
  };
}
