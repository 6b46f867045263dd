import type { FastifyInstance } from 'fastify';
import { AppError } from '#errors.ts';

/** Deeper than any input of ours; what works through a body member by member stays far from the end of its stack. */
const DEEPEST = 32;

/**
 * Takes JSON as bodies, and nothing else: a form or a text of another site would come without a preflight. Bodies that
 * would reach for prototypes are refused, and those that are nested without end.
 */
export function acceptJson(app: FastifyInstance): void {
  app.removeContentTypeParser(['text/plain', 'application/json']);
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (isDeeperThan(body, DEEPEST)) done(new AppError('body.too_deep', { limit: DEEPEST }));
    else void parse(request, body, done);
  });
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether objects and lists in a JSON text stand in each other beyond a depth; told without parsing it. */
export function isDeeperThan(json: string, deepest: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    // `[` and `{`, then `]` and `}`: 0x20 is all that parts them.
    else if ((code | 0x20) === 0x7b) {
      if (++depth > deepest) return true;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return false;
}
