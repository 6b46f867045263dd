import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { takenCoding } from './coding.ts';

/** Below it a reply is a packet or two either way. */
const WORTH_BYTES = 1400;

/** Quick rather than tight: a megabyte takes some milliseconds, and not of the thread that serves calls. */
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
 * Packs what the management API answers as JSON. Files and events go out as they are made, and the relay's answers are
 * none of this. What another site makes a browser ask with its user's session is left alone: from the length of a packed
 * answer could be guessed what stands in it (BREACH).
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
