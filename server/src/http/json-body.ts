import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, ensure } from '#errors.ts';
import { isFromProgram } from '#http/session/cross-site.ts';
import { API_CALLERS, type BodyMemory } from '#http/limits/body-memory.ts';
import { type BodyRefusals, type BodyTerms, checkLength, readWhole } from '#http/limits/whole-body.ts';

/** Deeper than any valid input, and safe for recursive code. */
const DEEPEST = 32;

/** Media types under which programs send JSON without naming it: none, and the default of `curl -d`. */
const unnamedJson = /^(?:application\/x-www-form-urlencoded\s*(?:;.*)?)?$/i;

/**
 * Accepts JSON bodies only, since a form or text of another site would arrive without a preflight; a program may leave
 * out the media type. An empty body is none. Refuses bodies with prototype keys and bodies that are nested too deeply.
 */
export function acceptJson(app: FastifyInstance, bodies: BodyMemory, limit: number): void {
  app.removeContentTypeParser(['text/plain', 'application/json']);
  const parse = app.getDefaultJsonParser('error', 'error');
  const parsed = (request: FastifyRequest, text: string) =>
    new Promise<unknown>((resolve, reject) => {
      void parse(request, text, (error, body) => (error ? reject(error) : resolve(body)));
    });
  const read = async (request: FastifyRequest): Promise<unknown> => {
    const claim = bodies.claim(API_CALLERS);
    const terms: BodyTerms = { limit, claim, refusals };
    checkLength(request.raw, terms);
    try {
      const text = (await readWhole(request.raw, undefined, terms)).toString('utf8');
      if (text.trim() === '') return undefined;
      if (isDeeperThan(text, DEEPEST)) throw new AppError('body.too_deep', { limit: DEEPEST });
      return await parsed(request, text);
    } finally {
      claim.release();
    }
  };
  app.addContentTypeParser(['application/json', 'application/scim+json'], read);
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    const isUnnamed = unnamedJson.test((request.headers['content-type'] ?? '').trim());
    ensure(isUnnamed && isFromProgram(request), 'body.type');
    return read(request);
  });
}

/** Accepts bodies of any media type as bytes, in the given scope only. */
export function acceptBytes(scope: FastifyInstance, bodies: BodyMemory, limit: number): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', async (request: FastifyRequest) => {
    const claim = bodies.claim(API_CALLERS);
    const terms: BodyTerms = { limit, claim, refusals };
    checkLength(request.raw, terms);
    try {
      return await readWhole(request.raw, undefined, terms);
    } finally {
      claim.release();
    }
  });
}

const refusals: BodyRefusals = {
  tooLarge: (limit) => new AppError('body.too_large', { limit: `${limit / 1024 / 1024} MiB` }),
  noRoom: () => new AppError('server.busy'),
  late: () => new AppError('request.timeout'),
  // The client has gone; no one reads this.
  brokenOff: () => new AppError('request.malformed'),
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether the objects and lists of a JSON text are nested deeper than a limit, without parsing it. */
export function isDeeperThan(json: string, deepest: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    // `[` and `{`, then `]` and `}`: they differ by 0x20.
    else if ((code | 0x20) === 0x7b) {
      if (++depth > deepest) return true;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return false;
}
