export { type BatchOptions, type Journal, JournalError, MemoryJournal, type Outcome, uploadAll } from "./batch.js";
export { Client, type Config, FileFailure, type Transport, type TokenSource } from "./client.js";
export { ClausemillError } from "./error.js";
export { serviceAccount } from "./token.js";
export type { Answer, Arguments, Item, Listing, OperationId, Operations, Options, Schemas } from "./types.js";
export type { Progress, Source, Upload, Uploaded, Version } from "./upload.js";
export { verifyWebhook, type WebhookEvent, webhookReceiver, webhookTolerance } from "./webhook.js";
