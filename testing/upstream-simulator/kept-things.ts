import type { JsonObject } from './behaviour.ts';
import { refusal } from './errors.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';
import type { ReceivedRequest } from './request-ring.ts';

interface File {
  object: JsonObject & { id: string };
  content: Buffer;
}

type Thing = JsonObject & { id: string };

/** Files and batches stored by the simulated provider. */
export class KeptThings {
  readonly #files = new Map<string, File>();
  readonly #batches = new Map<string, Thing>();
  #made = 0;

  /** Undefined for other paths. */
  answer({ method, path, headers, raw, body }: ReceivedRequest): SimulatedReply | undefined {
    const [front = '', search = ''] = path.split('?', 2);
    const [, kind, id, rest] = /^\/v1\/(files|batches)(?:\/([^/]+)(?:\/(\w+))?)?$/.exec(front) ?? [];
    const query = new URLSearchParams(search);
    const called = `${method} ${rest ?? (id === undefined ? '' : 'one')}`.trim();
    if (kind === 'files') return this.#file(called, id ?? '', query, { type: headers['content-type'] ?? '', raw });
    if (kind === 'batches') return this.#batch(called, id ?? '', query, body);
    return undefined;
  }

  #file(called: string, id: string, query: URLSearchParams, sent: { type: string; raw: Buffer }): SimulatedReply {
    if (called === 'GET')
      return listReply(
        [...this.#files.values()].map(({ object }) => object),
        query,
      );
    if (called === 'POST') return this.#upload(sent);
    const file = this.#files.get(id);
    if (!file) return refusal(404, `No such File object: ${id}`, null, 'id');
    if (called === 'GET one') return jsonReply(200, file.object);
    if (called === 'GET content') return bytesReply(file.content);
    if (called !== 'DELETE one') return refusal(405, 'Not allowed.', null);
    this.#files.delete(id);
    return jsonReply(200, { id, object: 'file', deleted: true });
  }

  #upload({ type, raw }: { type: string; raw: Buffer }): SimulatedReply {
    const fields = formFields(type, raw);
    const file = fields.get('file');
    const purpose = fields.get('purpose')?.content.toString();
    if (!file || !purpose) return refusal(400, "Missing required parameter: 'file'.", null, 'file');
    const object = {
      id: `file-${++this.#made}`,
      object: 'file',
      bytes: file.content.length,
      created_at: now(),
      filename: file.filename,
      purpose,
      status: 'processed',
    };
    this.#files.set(object.id, { object, content: file.content });
    return jsonReply(200, object);
  }

  #batch(called: string, id: string, query: URLSearchParams, body: string): SimulatedReply {
    if (called === 'GET') return listReply([...this.#batches.values()], query);
    if (called === 'POST') return this.#newBatch(JSON.parse(body) as JsonObject);
    const batch = this.#batches.get(id);
    if (!batch) return refusal(404, `No batch found with id '${id}'.`, null);
    if (called === 'POST cancel') batch['status'] = 'cancelling';
    return jsonReply(200, batch);
  }

  #newBatch({ input_file_id: input, endpoint, completion_window: window }: JsonObject): SimulatedReply {
    if (typeof input !== 'string' || !this.#files.has(input))
      return refusal(400, `Invalid file id: ${String(input)}`, null, 'input_file_id');
    const batch = {
      id: `batch_${++this.#made}`,
      object: 'batch',
      endpoint,
      input_file_id: input,
      completion_window: window,
      status: 'validating',
      created_at: now(),
    };
    this.#batches.set(batch.id, batch);
    return jsonReply(200, batch);
  }
}

const now = (): number => Math.floor(Date.now() / 1000);

/** A page of the list, behind a cursor. */
function listReply(things: readonly Thing[], query: URLSearchParams): SimulatedReply {
  const after = query.get('after');
  const from = after === null ? 0 : things.findIndex(({ id }) => id === after) + 1;
  const data = things.slice(from, from + Number(query.get('limit') ?? 20));
  return jsonReply(200, {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + data.length < things.length,
  });
}

function bytesReply(content: Buffer): SimulatedReply {
  const headers = { 'content-type': 'application/octet-stream' };
  return { status: 200, headers, stream: false, parts: [content], firstMs: 0, paceMs: 0, ending: 'end' };
}

/** A form's fields. */
function formFields(type: string, raw: Buffer): Map<string, { filename: string; content: Buffer }> {
  const fields = new Map<string, { filename: string; content: Buffer }>();
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1];
  if (boundary === undefined) return fields;
  const mark = Buffer.from(`--${boundary}`);
  for (let at = raw.indexOf(mark); at >= 0;) {
    const next = raw.indexOf(mark, at + mark.length);
    const body = raw.indexOf('\r\n\r\n', at);
    if (next < 0 || body < 0) break;
    const head = raw.toString('utf8', at, body);
    const name = /\bname="([^"]*)"/.exec(head)?.[1] ?? '';
    const filename = /\bfilename="([^"]*)"/.exec(head)?.[1] ?? '';
    fields.set(name, { filename, content: raw.subarray(body + 4, next - 2) });
    at = next;
  }
  return fields;
}
