import { ClausemillError } from "./error.js";

const firstPause = 500;
const longestPause = 30_000;
const crashes = 3; // how often "internal error" is worth another try
const passing = [408, 502, 504];

/** How long to retry, in milliseconds, where the configuration does not say. */
export const usualPatience = 120_000;

/** An error that another attempt would meet again, whatever it is. */
export class Final {
  constructor(readonly error: unknown) {}
}

/** Sends until it succeeds, fails for good or patience ends. What is not repeatable is sent again only where the service said that it did nothing. Send calls moved whenever bytes of a file have gone out. */
export async function retry<T>(repeatable: boolean, patience: number, signal: AbortSignal | undefined, send: (moved: () => void) => Promise<T>): Promise<T> {
  let since: number | undefined; // the first failure, and later by as long as bytes moved since
  let broken = 0;
  for (let tries = 1; ; tries++) {
    const began = Date.now();
    let moving = 0;
    try {
      return await send(() => (moving = Date.now() - began));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Final) throw error.error;
      // A large upload may take longer than patience each time, so that time is not counted. Nor does it
      // begin patience anew, or what is dropped at its end each time would be sent for ever.
      since = since === undefined ? Date.now() : since + moving;
      const pause = (error instanceof ClausemillError && error.retryAfter) || backOff(tries);
      if (error instanceof ClausemillError) {
        const { status } = error;
        if (status === 429) {
          since = Date.now(); // the service is well and says when: only the signal ends that
        } else if (status !== 503 && status !== 507) {
          if (!repeatable || (status === 500 ? ++broken >= crashes : !passing.includes(status))) throw error;
        }
      } else if (!repeatable || !(error instanceof TypeError)) {
        throw error; // fetch throws a TypeError where there is no answer
      }
      if (Date.now() + pause - since >= patience && !(error instanceof ClausemillError && error.status === 429)) throw error;
      await sleep(pause, signal);
    }
  }
}

/** Doubles from half a second, and spreads clients that failed together. */
function backOff(tries: number): number {
  const pause = Math.min(firstPause * 2 ** Math.min(tries - 1, 16), longestPause);
  return pause / 2 + (Math.random() * pause) / 2;
}

export function sleep(pause: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, pause);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

/** What work comes to, or the reason of the signal if that is given first. */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    if (signal.aborted) aborted();
    signal.addEventListener("abort", aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  });
}
