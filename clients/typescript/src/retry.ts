import { ClausemillError } from "./error.js";

const firstPause = 500;
const longestPause = 30_000;
const crashes = 3; // how often "internal error" is worth another try
const passing = [408, 502, 504];

/** Sends until it succeeds, fails for good or patience ends. What is not repeatable is sent again only where the service said that it did nothing. */
export async function retry<T>(repeatable: boolean, patience: number, signal: AbortSignal | undefined, send: () => Promise<T>): Promise<T> {
  let since = Date.now();
  let broken = 0;
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      signal?.throwIfAborted();
      const pause = (error instanceof ClausemillError && error.retryAfter) || backOff(tries);
      if (error instanceof ClausemillError) {
        const { status } = error;
        if (status === 429) {
          since = Date.now(); // the service is well, and said when
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
