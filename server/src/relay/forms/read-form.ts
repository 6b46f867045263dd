import type { IncomingMessage } from 'node:http';
import { LATE } from '#http/limits/connections.ts';
import { LARGE_BODY } from '#http/limits/whole-body.ts';
import { bodyCutShort, type BodyIntake, bodyTimeout, bodyTooLarge, checkHead } from '#relay/routes/read-body.ts';
import { RelayError, serverBusy } from '#relay/routes/relay-error.ts';
import { FormParts } from './form-parts.ts';
import type { Form } from './form.ts';
import type { Spool, Spools } from './spool.ts';

/** Of a whole form. Larger files than OpenAI's endpoints with forms take. */
export const FORM_LIMIT = 100 * 1024 * 1024;

/**
 * Takes a form in as it comes. Whoever has it closes its spool. Throws a 413 for a larger one, a 400 for one that cannot
 * be read without doubt, and a 503 where there is no room for it; but for the first, when all of it has come: while he is
 * sending, a caller reads nothing.
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

/** What is wrong with it; undefined: nothing. */
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
      // A caller who cannot pay is told at once, and not after all has been sent.
      if (refusal?.status === 402) throw refusal;
    }
  } catch (error) {
    // The request's own error says only that it was cut.
    throw request.destroyed && !request.complete && !(error instanceof RelayError) ? bodyCutShort() : error;
  }
  return refusal ?? refusalOf(() => parts.end());
}

/** The pieces of a body, until it is late. */
async function* inTime(request: IncomingMessage): AsyncGenerator<Buffer> {
  const pieces = (request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const late = new Promise<never>((_, reject) => request.once(LATE, () => reject(bodyTimeout())));
  // It is late after the last piece was taken, when nobody waits for it.
  late.catch(() => {});
  try {
    for (;;) {
      const { done, value } = await Promise.race([pieces.next(), late]);
      if (done) return;
      yield value;
    }
  } finally {
    // Not waited for: while a piece is awaited, it resolves after that.
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
