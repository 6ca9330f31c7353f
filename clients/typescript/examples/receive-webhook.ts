/** Prints the events that a webhook is sent. What is not signed with its secret, is too old or comes again is refused. */
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { type Schemas, webhookReceiver } from "@clausemill/client";

const receive = webhookReceiver(process.env["WEBHOOK_SECRET"]!, ({ id, type, data }) => {
  console.log(id, type, type === "file.completed" ? (data as Schemas["FileEndData"]).id : "");
});
createServer(async (request, response) => {
  const headers = new Headers(Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]));
  const streaming = { method: "POST", headers, body: Readable.toWeb(request) as ReadableStream, duplex: "half" };
  const answer = await receive(new Request("http://localhost/in", streaming));
  response.writeHead(answer.status).end(await answer.text());
}).listen(Number(process.argv[2]), "127.0.0.1");
