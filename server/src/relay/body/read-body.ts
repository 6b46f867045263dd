import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { isObject, type Json, textOf } from '#json.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import { type BodyRefusals, type BodyTerms, checkLength, readWhole } from '#http/limits/whole-body.ts';
import { badRequest, RelayError, serverBusy } from '#relay/reply/relay-error.ts';
import { errorCode } from './error-code.ts';
import { type BodyKind, checkNames } from './member-names.ts';
import { modelInJson } from './model-in-json.ts';
import { refuseRoutingFields } from './routing-fields.ts';

/** Larger than the default, since each chunk costs a turn of a worker thread. */
const options = { chunkSize: 64 * 1024 };

const decompressors: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(options)],
  ['x-gzip', () => createGunzip(options)],
  ['deflate', () => createInflate(options)],
  ['br', () => createBrotliDecompress(options)],
  ['zstd', () => createZstdDecompress(options)],
]);

/** Value of `Accept-Encoding`. */
const acceptedEncodings = 'gzip, deflate, br, zstd';

/** Decompressor of an encoding; undefined: unsupported. Several encodings at once are refused as a possible bomb. */
const decompressorFor = (encoding: string): (() => Transform) | undefined =>
  decompressors.get(encoding.trim().toLowerCase());

export const BODY_LIMIT = 32 * 1024 * 1024;

export const bodyTooLarge = (limit = BODY_LIMIT): RelayError =>
  new RelayError(413, `The request body is larger than ${limit / 1024 / 1024} MiB.`, {
    type: 'invalid_request_error',
    code: 'request_too_large',
  });

export const bodyCutShort = (): RelayError => badRequest('The request body was cut short.');

/** 408: the body stalled. The connection is closed, since the rest of the body would look like the next request. */
export const bodyTimeout = (): RelayError =>
  new RelayError(408, 'The request body did not arrive in time.', {
    type: 'invalid_request_error',
    code: 'request_timeout',
    headers: { connection: 'close' },
  });

export const refusals: BodyRefusals = {
  tooLarge: bodyTooLarge,
  noRoom: serverBusy,
  late: bodyTimeout,
  brokenOff: bodyCutShort,
};

/** How a body is read. */
export interface BodyIntake {
  claim: BodyClaim;
  /** Called once for a large body; `modelIn` searches its start. Throws or rejects if the caller cannot pay. */
  whenLarge: (modelIn: () => string | undefined) => Promise<void> | undefined;
}

/** Parses a body. Throws a 400 for invalid JSON, and for names that two parsers could read differently. */
export function parseJson(body: Buffer, kind?: BodyKind): unknown {
  const text = textOf(body);
  const json = parsed(text);
  checkNames(text, kind);
  return json;
}

/**
 * The body of a request about objects at a provider; empty: none came. Throws a 400, also for fields that direct a call,
 * which cannot be removed there.
 */
export function parseObject(body: Buffer, kind?: BodyKind): Json {
  const json = body.length === 0 ? {} : parseJson(body, kind);
  if (!isObject(json)) throw badRequest('The request body must be a JSON object.');
  refuseRoutingFields(json);
  return json;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The request body is not valid JSON.');
  }
}

/** Some clients send the header empty. */
const encodingOf = ({ 'content-encoding': encoding }: IncomingMessage['headers']): string | undefined =>
  encoding === undefined || encoding === '' || encoding === 'identity' ? undefined : encoding;

/** 415, with the encodings that are accepted. */
const unsupportedEncoding = (message: string, accepted: string): RelayError =>
  new RelayError(415, message, {
    type: 'invalid_request_error',
    code: 'unsupported_encoding',
    headers: { 'accept-encoding': accepted },
  });

/** Throws for a form that is compressed, too large by its header, or already aborted. */
export function checkHead({ headers, destroyed }: IncomingMessage, limit: number): void {
  if (encodingOf(headers) !== undefined)
    throw unsupportedEncoding('Send the request body without Content-Encoding.', 'identity');
  if (Number(headers['content-length'] ?? 0) > limit) throw bodyTooLarge(limit);
  if (destroyed) throw bodyCutShort();
}

/**
 * Reads and decompresses a body. Throws, or rejects with, a 413 before an oversized body fills memory, a 503 without
 * room, and a 400 or 415 for a wrong encoding.
 */
export function readBody(request: IncomingMessage, { claim, whenLarge }: BodyIntake): Promise<Buffer> {
  const encoding = encodingOf(request.headers);
  const unpacker = encoding === undefined ? undefined : decompressorFor(encoding);
  if (encoding !== undefined && !unpacker)
    throw unsupportedEncoding(`A Content-Encoding can be one of ${acceptedEncodings}.`, acceptedEncodings);
  const terms: BodyTerms = {
    limit: BODY_LIMIT,
    claim,
    refusals,
    trim: withoutMark,
    whenLarge: (start) => whenLarge(() => modelInJson(start())),
  };
  checkLength(request, terms);
  return unpacker ? readDecompressed(request, unpacker(), terms) : readWhole(request, undefined, terms);
}

/** Some clients write a byte order mark, which RFC 8259 lets parsers skip. */
const withoutMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;

async function readDecompressed(request: IncomingMessage, unpacked: Transform, terms: BodyTerms): Promise<Buffer> {
  try {
    return await readWhole(request, request.pipe(unpacked), terms);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw isZlibError(error) ? badRequest('The request body does not match its Content-Encoding.') : error;
  }
}

const isZlibError = (error: unknown): boolean => /^(?:Z_|ERR_|ZSTD_)/.test(errorCode(error));
