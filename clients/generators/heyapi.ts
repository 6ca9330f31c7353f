// Uploads a file and reads a redline with the client that hey-api makes.
import { formDataBodySerializer } from "./made/heyapi/client";
import { client } from "./made/heyapi/client.gen";
import { createChanges, getFileStatus, getRedline, uploadFile } from "./made/heyapi/sdk.gen";

client.setConfig({ baseUrl: process.env.CLAUSEMILL_URL ?? "", auth: process.env.CLAUSEMILL_TOKEN ?? "" });

// hey-api takes the JSON form of a body where there is one. It has the multipart form
// as well, for whoever asks for it: large files should go that way.
const text = "LEASE\n\n1. The tenant pays ten euros.\n";
const form = { file: new File([text], "heyapi-form.txt") };
const multipart = { ...formDataBodySerializer, headers: { "Content-Type": null } };
const streamed = await uploadFile({ ...multipart, body: form as never, throwOnError: true });
if (!("id" in streamed.data)) throw new Error("one file was sent, and several are answered");
const contentBase64 = btoa(text);
const sent = await uploadFile({ body: { name: "heyapi.txt", contentBase64, metadata: { source: "hey-api" } }, throwOnError: true });
if (!("id" in sent.data)) throw new Error("one file was sent, and several are answered");
const fileId = sent.data.id;
for (let ready = false; !ready; ) {
  const now = await getFileStatus({ path: { fileId }, query: { wait: 30 }, throwOnError: true });
  ready = now.data.textReady;
}
const change = { type: "replace", anchor: { text: "ten euros" }, text: "twenty euros" } as const;
await createChanges({ path: { fileId }, body: change, throwOnError: true });
const made = await getRedline({ path: { fileId }, query: { wait: 60 }, headers: { Accept: "application/json" }, throwOnError: true });
if (typeof made.data !== "object" || !("checks" in made.data)) throw new Error("no redline");
const { checks } = made.data as { checks: { acceptAllEqualsTarget: boolean } };
if (!checks.acceptAllEqualsTarget) throw new Error("the redline does not give its text");
console.log("hey-api: uploaded, and read a redline");
