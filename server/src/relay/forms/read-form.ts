import type { IncomingMessage } from 'node:http';
import { brokenOff, checkHead, tooLarge } from '../read-body.ts';
import { RelayError } from '../relay-error.ts';
import type { Form } from './form.ts';
import { FormParts } from './form-parts.ts';
import type { Spool, Spools } from './spool.ts';

/** Of a whole form. Larger files than OpenAI's endpoints with forms take. */
export const FORM_LIMIT = 100 * 1024 * 1024;

/**
 * Takes a form in as it comes. Whoever has it closes its spool. Throws a 413 for a larger one, a 400 for one that cannot
 * be read without doubt, and a 503 where there is no room for it; but for the first, when all of it has come: while he is
 * sending, a caller reads nothing.
 */
export async function readForm(request: IncomingMessage, spools: Spools): Promise<Form> {
  checkHead(request, FORM_LIMIT);
  const parts = new FormParts(request.headers['content-type']);
  const spool = spools.open();
  try {
    const refusal = await takeIn(request, parts, spool);
    if (refusal) throw refusal;
    return { spool, boundary: parts.boundary, parts: parts.parts };
  } catch (error) {
    await spool.close();
    throw error;
  }
}

/** What is wrong with it; undefined: nothing. */
async function takeIn(request: IncomingMessage, parts: FormParts, spool: Spool): Promise<RelayError | undefined> {
  let size = 0;
  let refusal: RelayError | undefined;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > FORM_LIMIT) throw tooLarge(FORM_LIMIT);
      if (refusal) continue;
      refusal = await refusalOf(() => {
        parts.push(piece);
        return spool.add(piece);
      });
      if (refusal) await spool.close();
    }
  } catch (error) {
    // The request's own error says only that it was cut.
    throw request.complete || error instanceof RelayError ? error : brokenOff();
  }
  return refusal ?? refusalOf(() => parts.end());
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
