import { status } from "./client.js";
import { Store } from "./store.js";
import { warn } from "./uploads.js";

/** How many decisions wait until the service answers. */
export const waiting = new Store(0);

let last: Promise<unknown> = Promise.resolve();
let wake = (): void => undefined;

/** Sends a decision behind those that wait, again and again where the service does not answer: one that is made twice is one. */
export function delivered<T>(send: () => Promise<T>): Promise<T> {
  if (waiting.value++ === 0) window.addEventListener("beforeunload", warn);
  const sent = last.then(() => persistently(send)).finally(() => {
    if (--waiting.value === 0) window.removeEventListener("beforeunload", warn);
  });
  last = sent.catch(() => undefined);
  return sent;
}

/** Sends at once what waits, and returns when it was sent, or after some seconds. */
export function flush(): Promise<unknown> {
  wake();
  return Promise.race([last, new Promise((later) => setTimeout(later, 3000))]);
}

async function persistently<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (![0, 401, 429, 502, 503, 504].includes(status(error))) throw error;
    }
    await new Promise<void>((later) => {
      wake = later;
      setTimeout(later, 1500);
    });
  }
}
