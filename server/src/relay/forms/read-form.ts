/**
 * Forms: reads multipart bodies, in memory or on disk.
 * Used by call before select; the bytes go upstream unchanged.
 */
import type { IncomingMessage } from 'node:http';
import { LATE } from '#http/limits/connections.ts';
import { LARGE_BODY } from '#http/limits/whole-body.ts';
import { bodyCutShort, type BodyIntake, bodyTimeout, bodyTooLarge, checkHead } from '#relay/body/read-body.ts';
import { RelayError, serverBusy } from '#relay/reply/relay-error.ts';
import { FormParts } from './form-parts.ts';
import type { Form } from './form.ts';
import type { Spool, Spools } from './spool.ts';

/** For a whole form: larger than any file OpenAI's form endpoints accept. */
export const FORM_LIMIT = 100 * 1024 * 1024;

/**
 * Reads a form as it arrives; the caller of this function closes its spool. Throws a 413, a 400 for an ambiguous form
 * or a 503 without room. Except for the 413, it reads to the end first, because clients do not read while they send.
 */
export async function readForm(request: IncomingMessage, spools: Spools, intake: BodyIntake): Promise<Form> {
  checkHead(request, FORM_LIMIT);
  const parts = new FormParts(request.headers['content-type']);
  const spool = spools.open(intake.claim);
  try {
    const refusal = await takeIn(request, parts, spool, intake);
    if (refusal) throw refusal;
    return { spool, boundary: parts.boundary, parts: parts.parts };
  } catch (error) {
    await spool.close();
    throw error;
  }
}

/** Returns the refusal; undefined: the form is valid. */
async function takeIn(
  request: IncomingMessage,
  parts: FormParts,
  spool: Spool,
  { claim, whenLarge }: BodyIntake,
): Promise<RelayError | undefined> {
  let size = 0;
  let refusal: RelayError | undefined;
  const modelIn = (): string | undefined => parts.parts.find(({ name }) => name === 'model')?.kept.toString('utf8');
  try {
    for await (const piece of inTime(request)) {
      const wasLarge = size > LARGE_BODY;
      size += piece.length;
      if (size > FORM_LIMIT) throw bodyTooLarge(FORM_LIMIT);
      if (refusal) continue;
      refusal = await refusalOf(async () => {
        const before = parts.fieldBytes;
        parts.push(piece);
        if (!claim.grow(parts.fieldBytes - before)) throw serverBusy();
        await spool.add(piece);
        if (!wasLarge && size > LARGE_BODY) await whenLarge(modelIn);
      });
      if (refusal) await spool.close();
      // A caller who cannot pay is refused at once.
      if (refusal?.status === 402) throw refusal;
    }
  } catch (error) {
    // The request's own error only says that it was aborted.
    throw request.destroyed && !request.complete && !(error instanceof RelayError) ? bodyCutShort() : error;
  }
  return refusal ?? refusalOf(() => parts.end());
}

/** Chunks of a body until its timeout. */
async function* inTime(request: IncomingMessage): AsyncGenerator<Buffer> {
  const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  const pieces = body[Symbol.asyncIterator]();
  const late = new Promise<never>((_, reject) => request.once(LATE, () => reject(bodyTimeout())));
  // The timeout may fire when nothing awaits it.
  late.catch(() => {});
  try {
    for (;;) {
      const { done, value } = await Promise.race([pieces.next(), late]);
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: it would wait for a pending read.
    void pieces.return?.();
  }
}

async function refusalOf(read: () => void | Promise<void>): Promise<RelayError | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
}
