// Makes src/generated of the OpenAPI document: its types, and a table of its operations.
// npm has openapi-typescript in PATH, that of whichever package runs this: the console
// makes it too, without what else this package installs for its tests.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = new URL("../../api/testdata/openapi.json", import.meta.url);
const document = JSON.parse(readFileSync(source, "utf8"));
const out = new URL("src/generated/", import.meta.url);
mkdirSync(out, { recursive: true });
const types = fileURLToPath(new URL("schema.ts", out));
execFileSync("openapi-typescript", [fileURLToPath(source), "--output", types, "--default-non-nullable=false"], { stdio: ["ignore", "ignore", "inherit"] });

const lines = [];
for (const [path, methods] of Object.entries(document.paths)) {
  for (const [method, op] of Object.entries(methods)) {
    const keyed = (op.parameters ?? []).some((p) => p.name === "Idempotency-Key");
    lines.push(`  ${op.operationId}: [${JSON.stringify(method.toUpperCase())}, ${JSON.stringify(path)}, ${keyed}],`);
  }
}
writeFileSync(
  new URL("operations.ts", out),
  `/** Each operation: its method, its path, and whether it takes an idempotency key. */
export const table = {\n${lines.sort().join("\n")}\n} as const;\n`,
);
