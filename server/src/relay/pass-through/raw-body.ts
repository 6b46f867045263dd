import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { bodyTooLarge } from '#relay/routes/read-body.ts';

/** As large as the files that OpenAI takes. */
export const RAW_BODY_LIMIT = 512 * 1024 * 1024;

/** The body in pieces as they come, no faster than they are taken; null: there is none. Throws a 413 for a larger one. */
export function rawBody(request: IncomingMessage, limit = RAW_BODY_LIMIT): Readable | null {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return null;
  if (Number(length) > limit) throw bodyTooLarge(limit);
  return Readable.from(piecesOf(request, limit), { objectMode: false });
}

async function* piecesOf(request: IncomingMessage, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  // Whoever takes no more of it must not take the connection down: the answer goes out on it.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > limit) throw bodyTooLarge(limit);
    yield piece;
  }
}
