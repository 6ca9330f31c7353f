/** Proposes a change of the text of a file, and downloads the Word document that has it as a tracked change. It signs in as a service account. */
import { Client, serviceAccount } from "@clausemill/client";

const [, , fileId, before, after] = process.argv as [string, string, string, string, string];
const url = process.env["CLAUSEMILL_URL"]!;
const tokens = serviceAccount({ url, id: process.env["CLAUSEMILL_CLIENT_ID"]!, secret: process.env["CLAUSEMILL_CLIENT_SECRET"]! });
const client = new Client({ url, tokens });
await client.createChanges({ path: { fileId }, body: { type: "replace", anchor: { text: before }, text: after } });
const { checks } = await client.redline(fileId);
if (!checks.acceptAllEqualsTarget || !checks.rejectAllEqualsBase) throw new Error(`the redline is not what it should be: ${JSON.stringify(checks)}`);
const document = await client.downloadRedline(fileId);
for await (const chunk of document.body!) process.stdout.write(chunk);
