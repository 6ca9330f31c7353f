/** Writes a table of all files with all their attributes, as CSV. It signs in as a service account with the scopes export and files:read. */
import { Client, serviceAccount } from "@clausemill/client";

const url = process.env["CLAUSEMILL_URL"]!;
const tokens = serviceAccount({ url, id: process.env["CLAUSEMILL_CLIENT_ID"]!, secret: process.env["CLAUSEMILL_CLIENT_SECRET"]! });
const client = new Client({ url, tokens });
const { items } = await client.listAttributeKeys();
const table = await client.exportFiles({ query: { attributes: items.map(({ key }) => key) } });
for await (const chunk of table.body!) process.stdout.write(chunk);
