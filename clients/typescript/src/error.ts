import type { Schemas } from "./types.js";

/** An answer that is no success. */
export class ClausemillError extends Error {
  override readonly name = "ClausemillError";
  constructor(
    message: string,
    readonly status: number,
    /** The sort of error, for programs: not_found, conflict, …; not_ready of what is still being made. */
    readonly code: string,
    /** What is wrong with which part of the request. */
    readonly details: Schemas["Detail"][],
    /** By which the operators of the service find it in their log. */
    readonly requestId: string,
    /** In milliseconds; 0 where the service did not say. */
    readonly retryAfter: number,
  ) {
    super(message);
  }
}

export async function errorOf(response: Response): Promise<ClausemillError> {
  let said: { error?: string; error_description?: string; code?: string; message?: string; details?: Schemas["Detail"][] } = {};
  try {
    said = (await response.json()) as typeof said;
  } catch {
    // It is not ours, but a proxy's.
  }
  const oauth = said.error_description !== undefined;
  const pending = response.status === 202 ? "not_ready" : "";
  return new ClausemillError(
    said.error_description ?? said.error ?? said.message ?? `the server answered ${response.status} ${response.statusText}`,
    response.status,
    (oauth ? said.error : said.code) ?? pending,
    said.details ?? [],
    response.headers.get("X-Request-Id") ?? "",
    retryAfter(response.headers.get("Retry-After"), Date.now()),
  );
}

const mostAsked = 5 * 60_000; // an hour is a mistake

/** Reads either form of the header: seconds, or a date. */
export function retryAfter(value: string | null, now: number): number {
  if (value === null || value.trim() === "") return 0;
  const asked = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(asked) ? Math.min(Math.max(asked, 0), mostAsked) : 0;
}
