import type { Options, Schemas } from "./types.js";

/** A file to send. In browsers a File is one. */
export interface Source {
  name: string;
  content: Blob;
  /** Its folder, with slashes: the service keeps it. */
  folder?: string;
  /** When it was changed, in milliseconds: with it a batch need not read it to know it again. */
  lastModified?: number;
}

/** How far a request has come. */
export interface Progress {
  sent: number;
  total: number;
}

interface Sending extends Options {
  /** Makes the service give its first answer again instead of taking the files twice. A random one, if left out. */
  idempotencyKey?: string;
  /** Is told how many bytes have gone out. It begins anew where an attempt failed. */
  onProgress?: (progress: Progress) => void;
}

/** Files to send with one request. */
export interface Upload extends Sending {
  files: Source[];
  /** Of every file, as is what follows. */
  documentTypeId?: string;
  matterId?: string;
  metadata?: Record<string, unknown>;
}

/** A file that becomes the next version of another. */
export interface Version extends Sending {
  file: Source;
  note?: string;
  /** The number of the version that it was made of: 409 where the file has a newer one by now. */
  expectVersion?: number;
}

/** What became of a source: the file that the service made of it, or why it made none. */
export type Uploaded = { file: Schemas["File"]; error?: undefined } | { file?: undefined; error: Schemas["UploadError"] };

interface Form {
  fields: [name: string, value: string][];
  files: Source[];
}

export function formOf(upload: Upload): Form {
  const fields: [string, string][] = [];
  if (upload.documentTypeId) fields.push(["documentTypeId", upload.documentTypeId]);
  if (upload.matterId) fields.push(["matterId", upload.matterId]);
  if (upload.metadata) fields.push(["metadata", JSON.stringify(upload.metadata)]);
  if (upload.files.some((f) => f.folder)) for (const f of upload.files) fields.push(["path", f.folder ? `${f.folder}/${f.name}` : f.name]);
  return { fields, files: upload.files };
}

/** A form as one blob: contents are read as they are sent, and the same key gives the same bytes. */
function encode(form: Form, boundary: string): Blob {
  const parts: (string | Blob)[] = [];
  for (const [name, value] of form.fields) parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  for (const file of form.files) {
    const name = file.name.replace(/\\/g, "\\\\").replace(/"/g, "%22").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`, file.content, "\r\n");
  }
  parts.push(`--${boundary}--\r\n`);
  return new Blob(parts);
}

export async function sendForm(form: Form, url: string, headers: Record<string, string>, { onProgress, signal }: Sending, moved: () => void, send: typeof fetch | undefined): Promise<Response> {
  const boundary = `clausemill-${(headers["Idempotency-Key"] ?? "").replace(/[^0-9A-Za-z]/g, "").slice(0, 50)}`;
  const body = encode(form, boundary);
  const init = {
    method: "POST",
    headers: { ...headers, "Content-Type": `multipart/form-data; boundary=${boundary}` },
    redirect: "manual" as const, // the key and the files are sent to this service only
    ...(signal && { signal }),
  };
  const page = typeof XMLHttpRequest !== "undefined";
  const told = (progress: Progress) => {
    moved();
    onProgress?.(progress);
  };
  // Browsers tell of progress only here, where redirects are followed; to another host they do not send the key.
  if (page && onProgress) return sendWithEvents(url, init, body, told);
  // They stream no bodies; what was sent is not known then.
  if (page) return (send ?? fetch)(url, { ...init, body });
  let sent = 0;
  const counted = body.stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, to) {
        to.enqueue(chunk);
        told({ sent: (sent += chunk.byteLength), total: body.size });
      },
    }),
  );
  const streaming: RequestInit & { duplex: "half" } = { ...init, body: counted, duplex: "half" };
  return (send ?? fetch)(url, streaming);
}

function sendWithEvents(url: string, init: { method: string; headers: Record<string, string>; signal?: AbortSignal }, body: Blob, onProgress: (p: Progress) => void): Promise<Response> {
  const { signal } = init;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open(init.method, url);
    for (const [name, value] of Object.entries(init.headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total });
    request.onerror = () => reject(new TypeError("there was no answer"));
    request.onabort = () => reject(signal?.reason);
    request.onloadend = () => signal?.removeEventListener("abort", abort);
    request.onload = () => {
      const headers = new Headers();
      for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
        const colon = line.indexOf(":");
        if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
      }
      resolve(new Response(request.responseText, { status: request.status, statusText: request.statusText, headers }));
    };
    signal?.addEventListener("abort", abort);
    request.send(body);
  });
}
