import { asError } from '#caught-error.ts';
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import type { BodyClaim } from './body-memory.ts';
import { LATE } from './connections.ts';

/** Bodies from this size on are read only for callers who can pay, or for free models. */
export const LARGE_BODY = 256 * 1024;

/** Errors for a refused body, in the format of each API. */
export interface BodyRefusals {
  tooLarge(limit: number): Error;
  noRoom(): Error;
  late(): Error;
  brokenOff(): Error;
}

export interface BodyTerms {
  limit: number;
  claim: BodyClaim;
  refusals: BodyRefusals;
  /** Removes bytes that are not part of the body; optional. */
  trim?: (body: Buffer) => Buffer;
  /**
   * Called when a body exceeds `LARGE_BODY`, with a function that returns its start. Reading pauses until it resolves;
   * it throws or rejects to refuse the body.
   */
  whenLarge?: (start: () => Buffer) => Promise<void> | undefined;
}

/** Throws for a declared length that is too large or does not fit in memory, and for a closed request. */
export function checkLength({ headers, destroyed }: IncomingMessage, { limit, claim, refusals }: BodyTerms): void {
  const { 'content-length': length } = headers;
  if (length !== undefined) {
    const bytes = Number(length);
    if (bytes > limit) throw refusals.tooLarge(limit);
    if (!claim.fits(bytes)) throw refusals.noRoom();
  }
  // The close event may have fired before a listener was added.
  if (destroyed) throw refusals.brokenOff();
}

/**
 * Reads a body into memory; `unpacked`: the decompressed stream of a compressed body. Memory is claimed before it is
 * used. After a refusal the rest of the body is read and discarded.
 */
export function readWhole(
  request: IncomingMessage,
  unpacked: Transform | undefined,
  terms: BodyTerms,
): Promise<Buffer> {
  const { limit, claim, refusals, trim, whenLarge } = terms;
  const source: Readable = unpacked ?? request;
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    /** One buffer for a large body with a declared length. */
    let whole: Buffer | undefined;
    let size = 0;
    let large = false;
    let refused = false;

    const pieces = (): Buffer => (first && rest ? Buffer.concat([first, ...rest]) : (first ?? Buffer.alloc(0)));
    const refuse = (error: Error): void => {
      refused = true;
      first = rest = whole = undefined;
      source.removeAllListeners('data');
      if (unpacked) {
        request.unpipe(unpacked);
        unpacked.destroy();
      }
      request.resume();
      claim.release();
      reject(error);
    };
    const makeRoom = (): void => {
      if (refused) return;
      const announced = unpacked ? 0 : Number(request.headers['content-length'] ?? 0);
      if (announced <= size) return;
      if (!claim.grow(announced - size)) return refuse(refusals.noRoom());
      whole = Buffer.allocUnsafeSlow(announced);
      pieces().copy(whole);
      first = rest = undefined;
    };
    const goOn = (): void => {
      makeRoom();
      source.resume();
    };
    const becomesLarge = (): void => {
      large = true;
      try {
        const allowed = whenLarge?.(pieces);
        if (!allowed) return makeRoom();
        source.pause();
        allowed.then(goOn, refuse);
      } catch (error) {
        refuse(asError(error));
      }
    };

    source.on('data', (piece: Buffer) => {
      const at = size;
      size += piece.length;
      if (size > limit) return refuse(refusals.tooLarge(limit));
      if (whole) return void piece.copy(whole, at);
      if (!claim.grow(piece.length)) return refuse(refusals.noRoom());
      if (!first) first = piece;
      else (rest ??= []).push(piece);
      if (!large && size > LARGE_BODY) becomesLarge();
    });
    source.on('end', () => {
      const body = whole ?? pieces();
      // A keep-alive connection may hold these listeners for a while, so drop what they reference.
      first = rest = whole = undefined;
      resolve(trim ? trim(body) : body);
    });
    unpacked?.on('error', refuse);
    request.on(LATE, () => refuse(refusals.late()));
    // `close` always fires; build the error only if needed, because its stack is costly.
    request.on('close', () => {
      if (!request.complete) refuse(refusals.brokenOff());
    });
  });
}
