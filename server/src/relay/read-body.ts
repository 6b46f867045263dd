import type { IncomingMessage } from 'node:http';
import { badRequest, RelayError } from './relay-error.ts';

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

/** Throws for a body that is compressed, or larger than this by its own word, and for one that will not come any more. */
export function checkHead({ headers, destroyed }: IncomingMessage, limit: number): void {
  const { 'content-length': length, 'content-encoding': encoding } = headers;
  if (encoding !== undefined && encoding !== 'identity')
    throw new RelayError(
      415,
      'invalid_request_error',
      'unsupported_encoding',
      'Send the request body without Content-Encoding.',
    );
  if (length !== undefined && Number(length) > limit) throw tooLarge(limit);
  // Whoever left while the key was looked up has nothing more to say, and no event tells so.
  if (destroyed) throw brokenOff();
}

/** The whole body of a request. Throws for a larger one before it is in memory, and for one that is compressed. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  checkHead(request, BODY_LIMIT);
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
