/** Figures and dates as the browser's locale writes them. */

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const percentage = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 });

const ahead = new Intl.RelativeTimeFormat(undefined);

/** Days, weeks, months or years from today. */
export const fromToday = (n: number, unit: "day" | "week" | "month" | "year"): string => ahead.format(n, unit);

/** How long ago a moment was; a date if that is more than a week. */
export function ago(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  if (Math.abs(seconds) < 60) return relative.format(Math.round(seconds), "second");
  if (Math.abs(seconds) < 3600) return relative.format(Math.round(seconds / 60), "minute");
  if (Math.abs(seconds) < 86400) return relative.format(Math.round(seconds / 3600), "hour");
  if (Math.abs(seconds) < 7 * 86400) return relative.format(Math.round(seconds / 86400), "day");
  return day.format(new Date(time));
}

export const at = (time: string): string => moment.format(new Date(time));

/** A date of a contract, as precise as it is known: 2020-01-05, 2020-01 or 2020. It has no time zone. */
export function date(text: string): string {
  const [year, month, dayOf] = text.split("-").map(Number);
  if (year === undefined || Number.isNaN(year)) return text;
  const when = new Date(Date.UTC(year, (month ?? 1) - 1, dayOf ?? 1));
  const parts: Intl.DateTimeFormatOptions = { timeZone: "UTC", year: "numeric" };
  if (month) parts.month = "short";
  if (dayOf) parts.day = "numeric";
  return new Intl.DateTimeFormat(undefined, parts).format(when);
}

const months = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const relativeDate = new RegExp(
  `^(?:today|(week|month|quarter|year)([+-]\\d+)?|(next-)?(${months.join("|")})(?:\\+(\\d+)d$)?|(next-)?(${weekdays.join("|")}))((?:[+-]\\d+[dwmy])*)$`,
);

/** The day that a relative date of a query stands for, as the API reckons it: year+1+6m, next-march, march+4d, friday. */
export function reckoned(text: string, now = new Date()): string | undefined {
  const m = relativeDate.exec(text);
  if (!m) return undefined;
  const [, period, by, ahead, month, days, coming, weekday, offsets] = m;
  const [year, thisMonth, today] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const day = (y: number, mo: number, d: number): Date => new Date(Date.UTC(y, mo, d));
  const n = Number(by ?? 0);
  let at = day(year, thisMonth, today);
  if (period === "week") at = day(year, thisMonth, today - ((at.getUTCDay() + 6) % 7) + 7 * n);
  if (period === "month") at = day(year, thisMonth + n, 1);
  if (period === "quarter") at = day(year, Math.floor(thisMonth / 3) * 3 + 3 * n, 1);
  if (period === "year") at = day(year + n, 0, 1);
  if (month) {
    const index = months.indexOf(month);
    const first = day(year, index, 1 + Number(days ?? 0));
    const last = days ? first : day(year, index + 1, 0);
    const moved = ahead ? (last < at ? 1 : 0) : first > at ? -1 : 0;
    at = day(year + moved, index, 1 + Number(days ?? 0));
  }
  if (weekday) {
    const to = weekdays.indexOf(weekday) - ((at.getUTCDay() + 6) % 7); // from today, in this week
    at = day(year, thisMonth, today + to + (coming && to < 0 ? 7 : !coming && to > 0 ? -7 : 0));
  }
  for (const [, count, unit] of (offsets ?? "").matchAll(/([+-]\d+)([dwmy])/g)) {
    const k = Number(count) * (unit === "w" ? 7 : unit === "y" ? 12 : 1);
    if (unit === "d" || unit === "w") at = day(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + k);
    // A month's last day is as far as a month goes.
    else at = day(at.getUTCFullYear(), at.getUTCMonth() + k, Math.min(at.getUTCDate(), day(at.getUTCFullYear(), at.getUTCMonth() + k + 1, 0).getUTCDate()));
  }
  return at.toISOString().slice(0, 10);
}

export function bytes(n: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  let unit = 0;
  for (; n >= 1000 && unit < units.length - 1; unit++) n /= 1000;
  return new Intl.NumberFormat(undefined, { style: "unit", unit: units[unit]!, unitDisplay: unit === 0 ? "long" : "short", maximumFractionDigits: n < 10 && unit > 0 ? 1 : 0 }).format(n);
}

export const percent = (share: number, digits = 0): string => (digits === 0 ? percentage : new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: digits })).format(share);

/** An ISO 8601 duration in words: P2Y, P90D. */
export function duration(iso: string): string {
  const units = { Y: "year", M: "month", W: "week", D: "day" } as const;
  return [...iso.matchAll(/(\d+)([YMWD])/g)]
    .map(([, n, unit]) => new Intl.NumberFormat(undefined, { style: "unit", unit: units[unit as keyof typeof units], unitDisplay: "long" }).format(Number(n)))
    .join(", ");
}

const languages = new Intl.DisplayNames(undefined, { type: "language" });

/** The name of a language by its code: de and deu are German. */
export function language(code: string): string {
  try {
    return languages.of(code) ?? code;
  } catch {
    return code; // it is none
  }
}

/** A text of the service as a sentence: it begins large and ends with a stop. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** A key of the API for people: cap_on_liability is "Cap on liability". */
export const named = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1).replaceAll("_", " ");
