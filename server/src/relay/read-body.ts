import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { badRequest, RelayError } from './relay-error.ts';
import { packings, type Unpack, unpackerFor } from './unpack.ts';

export const BODY_LIMIT = 32 * 1024 * 1024;

export const tooLarge = (limit = BODY_LIMIT): RelayError =>
  new RelayError(
    413,
    'invalid_request_error',
    'request_too_large',
    `The request body is larger than ${limit / 1024 / 1024} MiB.`,
  );

export const brokenOff = (): RelayError => badRequest('The request broke off before its end.');

/** A body as JSON. Throws a 400 for what is none. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw badRequest('The request body is not valid JSON.');
  }
}

/** The header, where it says anything; some send it empty. */
const encodingOf = ({ headers }: IncomingMessage): string | undefined => {
  const encoding = headers['content-encoding'];
  return encoding === undefined || encoding === '' || encoding === 'identity' ? undefined : encoding;
};

/** 415, with the packings that are taken for this body, if any are. */
const unsupportedEncoding = (message: string, accepted: string): RelayError =>
  new RelayError(415, 'invalid_request_error', 'unsupported_encoding', message, {
    headers: { 'accept-encoding': accepted },
  });

/** Throws for a body that is compressed, and what `checkSize` throws for. */
export function checkHead(request: IncomingMessage, limit: number): void {
  if (encodingOf(request) !== undefined)
    throw unsupportedEncoding('Send the request body without Content-Encoding.', 'identity');
  checkSize(request, limit);
}

/** Throws for a body that is larger than this by its own word, and for one that will not come any more. */
function checkSize({ headers, destroyed }: IncomingMessage, limit: number): void {
  const { 'content-length': length } = headers;
  if (length !== undefined && Number(length) > limit) throw tooLarge(limit);
  // Whoever left while the key was looked up has nothing more to say, and no event tells so.
  if (destroyed) throw brokenOff();
}

/**
 * The whole body of a request, unpacked where it came packed. Throws for a larger one, packed or not, before it is in
 * memory, and for one that cannot be unpacked.
 */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  const encoding = encodingOf(request);
  const unpack = encoding === undefined ? undefined : unpackerFor(encoding);
  if (encoding !== undefined && !unpack)
    throw unsupportedEncoding(`A Content-Encoding can be one of ${packings}.`, packings);
  checkSize(request, BODY_LIMIT);
  const whole = readWhole(request);
  return unpack ? whole.then((packed) => unpacked(packed, unpack)) : whole;
}

async function unpacked(packed: Buffer, unpack: Unpack): Promise<Buffer> {
  try {
    return await unpack(packed, { maxOutputLength: BODY_LIMIT });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw badRequest('The request body is not what its Content-Encoding says.');
  }
}

function readWhole(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let size = 0;
    request.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > BODY_LIMIT) {
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge());
      } else if (!first) first = piece;
      else (rest ??= []).push(piece);
    });
    request.on('end', () => resolve(rest ? Buffer.concat([first!, ...rest]) : (first ?? Buffer.alloc(0))));
    // Comes in every case; an error is made only where it means something, because its stack is not free.
    request.on('close', () => {
      if (!request.complete) reject(brokenOff());
    });
  });
}
