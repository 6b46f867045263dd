import type { IncomingMessage } from 'node:http';
import { badRequest, RelayError } from './relay-error.ts';

export const BODY_LIMIT = 32 * 1024 * 1024;

const tooLarge = (): RelayError =>
  new RelayError(
    413,
    'invalid_request_error',
    'request_too_large',
    `The request body is larger than ${BODY_LIMIT / 1024 / 1024} MiB.`,
  );

const brokenOff = (): RelayError => badRequest('The request broke off before its end.');

/** A body as JSON. Throws a 400 for what is none. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw badRequest('The request body is not valid JSON.');
  }
}

/** The whole body of a request. Refuses a larger one before it is in memory, and one that is compressed. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  const { 'content-length': length, 'content-encoding': encoding } = request.headers;
  if (encoding !== undefined && encoding !== 'identity') {
    return Promise.reject(
      new RelayError(
        415,
        'invalid_request_error',
        'unsupported_encoding',
        'Send the request body without Content-Encoding.',
      ),
    );
  }
  if (length !== undefined && Number(length) > BODY_LIMIT) return Promise.reject(tooLarge());
  // Whoever left while the key was looked up has nothing more to say, and no event tells so.
  if (request.destroyed) return Promise.reject(brokenOff());
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
