import { asError } from '#caught-error.ts';
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import type { BodyClaim } from './body-memory.ts';
import { LATE } from './connections.ts';

/** From this size on, a body is taken in only for callers who can pay, or for free. */
export const LARGE_BODY = 256 * 1024;

/** Errors for a body that is not taken in, in the words of its API. */
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
  /**
   * Called when a body turns out to be larger than `LARGE_BODY`, with what tells its start. Nothing more is read until it
   * resolves; it throws or rejects with the refusal.
   */
  whenLarge?: (start: () => Buffer) => Promise<void> | undefined;
}

/** Throws for a body that is too large by its own account, that there is no room for, or that will not come any more. */
export function checkLength({ headers, destroyed }: IncomingMessage, { limit, claim, refusals }: BodyTerms): void {
  const { 'content-length': length } = headers;
  if (length !== undefined) {
    const bytes = Number(length);
    if (bytes > limit) throw refusals.tooLarge(limit);
    if (!claim.fits(bytes)) throw refusals.noRoom();
  }
  // No event tells of a caller who left before somebody listened.
  if (destroyed) throw refusals.brokenOff();
}

/**
 * Reads a body into memory; `unpacked`: where it comes out that came packed. What is held is claimed before it is kept; when
 * the body is refused, the rest of it is read and thrown away.
 */
export function readWhole(
  request: IncomingMessage,
  unpacked: Transform | undefined,
  terms: BodyTerms,
): Promise<Buffer> {
  const { limit, claim, refusals, whenLarge } = terms;
  const source: Readable = unpacked ?? request;
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    /** Room for all of a large body whose length was announced. */
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
      // The listeners live as long as the request, which a connection may keep for a while.
      first = rest = whole = undefined;
      resolve(body);
    });
    unpacked?.on('error', refuse);
    request.on(LATE, () => refuse(refusals.late()));
    // Comes in every case; an error is made only where it means something, because its stack is not free.
    request.on('close', () => {
      if (!request.complete) refuse(refusals.brokenOff());
    });
  });
}
