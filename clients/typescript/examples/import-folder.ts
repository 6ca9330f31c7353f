/** Uploads a folder with all below it. Run again after an interruption, it sends what is missing. */
import { Client, uploadAll } from "@clausemill/client";
import { FileJournal, sourcesIn } from "@clausemill/client/node";

const [, , folder, journal] = process.argv;
const client = new Client({ url: process.env["CLAUSEMILL_URL"]!, key: process.env["CLAUSEMILL_API_KEY"]! });
for await (const { source, file, resumed, error } of uploadAll(client, sourcesIn(folder!), { journal: new FileJournal(journal!), wait: true })) {
  console.log(source.name, file?.status, resumed ? "resumed" : "sent", error ?? "");
}
