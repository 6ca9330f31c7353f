// Makes src/generated of the OpenAPI document: its types, and a table of its operations.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const document = JSON.parse(readFileSync(new URL("../../api/testdata/openapi.json", import.meta.url), "utf8"));
const out = new URL("src/generated/", import.meta.url);
mkdirSync(out, { recursive: true });
writeFileSync(new URL("schema.ts", out), astToString(await openapiTS(document, { defaultNonNullable: false })));

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
