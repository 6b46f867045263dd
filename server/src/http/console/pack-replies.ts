import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { takenCoding } from './coding.ts';

/** Smaller replies fit in a packet or two anyway. */
const WORTH_BYTES = 1400;

/** Fast rather than small: a megabyte takes milliseconds, and not on the main thread. */
const packers = {
  zstd: promisify(zstdCompress),
  br: (text: Buffer) =>
    promisify(brotliCompress)(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
    }),
  gzip: (text: Buffer) => promisify(gzip)(text, { level: 1 }),
};
const codings = Object.keys(packers) as (keyof typeof packers)[]; // by what they cost

/**
 * Compresses JSON replies of the management API. Files and events stream uncompressed, and the relay's replies are
 * excluded. Cross-site requests are excluded too: their compressed length could leak contents (BREACH).
 */
export function packReplies(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isJson(reply.getHeader('content-type'))) return payload;
    if (reply.hasHeader('content-encoding')) return payload;
    void reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', '));
    if (payload.length < WORTH_BYTES || isAskedByAnother(request)) return payload;
    const coding = takenCoding(request.headers['accept-encoding'], codings);
    if (!coding) return payload;
    const packed = await packers[coding](Buffer.from(payload));
    void reply.removeHeader('content-length').header('content-encoding', coding);
    return packed;
  });
}

const isJson = (type: unknown): boolean => typeof type === 'string' && type.startsWith('application/json');

function isAskedByAnother({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
