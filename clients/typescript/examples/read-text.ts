/** Uploads a file, waits until it is read, and prints its text. */
import { Client } from "@clausemill/client";
import { sourceOf } from "@clausemill/client/node";

const client = new Client({ url: process.env["CLAUSEMILL_URL"]!, key: process.env["CLAUSEMILL_API_KEY"]! });
const [uploaded] = await client.uploadFile({ files: [await sourceOf(process.argv[2]!)] });
if (!uploaded?.file) throw new Error(uploaded?.error.error);
const fileId = uploaded.file.id;
await client.waitForFile(fileId);
for await (const document of client.all("listFileDocuments", { path: { fileId } })) for (const block of document.blocks) console.log(block.text);
