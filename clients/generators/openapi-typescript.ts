// Uploads a file and reads a redline with the types of openapi-typescript.
import createClient from "openapi-fetch";
import type { paths } from "./made/schema";

const client = createClient<paths>({
  baseUrl: process.env.CLAUSEMILL_URL ?? "",
  headers: { Authorization: `Bearer ${process.env.CLAUSEMILL_TOKEN ?? ""}` },
});

const form = new FormData();
form.append("file", new File(["LEASE\n\n1. The tenant pays ten euros.\n"], "types.txt", { type: "text/plain" }));
const sent = await client.POST("/api/files", { body: { file: [] }, bodySerializer: () => form });
if (!sent.data || !("id" in sent.data)) throw new Error(JSON.stringify(sent.error));
const params = { path: { fileId: sent.data.id } };
for (let ready = false; !ready; ) {
  const now = await client.GET("/api/files/{fileId}/status", { params: { ...params, query: { wait: 30 } } });
  if (!now.data) throw new Error(JSON.stringify(now.error));
  ready = now.data.textReady;
}
const change = { type: "replace", anchor: { text: "ten euros" }, text: "twenty euros" } as const;
const proposed = await client.POST("/api/files/{fileId}/changes", { params, body: change });
if (!proposed.data) throw new Error(JSON.stringify(proposed.error));
const made = await client.GET("/api/files/{fileId}/execute-redline", { params: { ...params, query: { wait: 60 } } });
if (typeof made.data !== "object" || !("checks" in made.data)) throw new Error(JSON.stringify(made.error));
if (!made.data.checks.acceptAllEqualsTarget) throw new Error("the redline does not give its text");
console.log("openapi-typescript: uploaded, and read a redline");
