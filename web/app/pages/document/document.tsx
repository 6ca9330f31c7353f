export function Document() {
  return <p>…</p>;
}
