import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { bodyTooLarge } from '#relay/body/read-body.ts';

/** OpenAI's limit for files. */
export const RAW_BODY_LIMIT = 512 * 1024 * 1024;

/** The body as a stream at the speed of its reader; null: none. Throws a 413 for a larger one. */
export function rawBody(request: IncomingMessage, limit = RAW_BODY_LIMIT): Readable | null {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return null;
  if (Number(length) > limit) throw bodyTooLarge(limit);
  return Readable.from(piecesOf(request, limit), { objectMode: false });
}

async function* piecesOf(request: IncomingMessage, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  // A reader that stops must not close the connection, which still carries the response.
  const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const piece of body) {
    size += piece.length;
    if (size > limit) throw bodyTooLarge(limit);
    yield piece;
  }
}
