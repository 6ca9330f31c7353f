/** Has the browser save a table: a head and rows, whose numbers stay numbers. */
export const saveTable = (title: string, rows: (string | number)[][]): void => saveAs(`${title}.csv`, new Blob([rows.map((row) => row.map(cell).join(",")).join("\r\n")], { type: "text/csv" }));

/** A text that begins like a formula cannot run as one. */
const cell = (value: string | number): string => (typeof value === "number" ? String(value) : `"${(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`);

/** Has the browser save what a page has made or fetched. */
export function saveAs(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
