/** Anthropic's skills of ordinary users: a skill belongs to the user who uploaded it, and stays at one account. */
import type { IncomingMessage } from 'node:http';
import { objectOr, parseJson, textOr } from '#json.ts';
import { listObjects, UNTIL_DELETED_S } from '#affinity/upstream-objects.ts';
import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import type { PathAnswer, PathAnswers, PathRow } from '#relay/types/path-row.ts';
import { forUsers } from '#relay/pass-through/for-users.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { queryOf } from '#relay/body/url-query.ts';
import { isAnthropic } from './keepers.ts';
import { placeOfNew, rememberOwn } from './own-objects.ts';
import { passOwn } from './pass-own.ts';

const PREFIX = '/v1/skills';

const kind = 'skill';
const terms = { kind, plural: 'skills', most: 200, keeps: isAnthropic } as const;
const PAGE = { usual: 20, most: 100 };

/** OpenAI has other skills at the same path, which are not served. */
const isAnthropicCall = ({ headers, url = '' }: IncomingMessage): boolean =>
  headers['anthropic-version'] !== undefined || url.startsWith('/claude/');

const passed = (options?: { removes?: boolean; shows?: boolean }) =>
  forSkills((context, { caller }, [id = '']) =>
    passOwn(context, PREFIX, caller, { kind, id }, { dialect: 'anthropic', ...options }),
  );

function forSkills(answer: Parameters<typeof forUsers>[1]): PathAnswer {
  return forUsers({ prefix: PREFIX, dialect: 'anthropic', terms: () => ({ dialect: 'anthropic' }) }, answer);
}

export const skillRows: readonly PathRow[] = ['', '/claude'].flatMap((base) => {
  const row = (rest: string, answers: PathAnswers): PathRow => ({
    path: base + PREFIX + rest,
    endpoint: PREFIX,
    when: isAnthropicCall,
    answers,
  });
  return [
    row('', { GET: forSkills(list), POST: forSkills(upload) }),
    row('/{id}', { GET: passed({ shows: true }), DELETE: passed({ removes: true }) }),
    row('/{id}/versions', { GET: passed(), POST: passed() }),
    row('/{id}/versions/{name}', { GET: passed(), DELETE: passed() }),
    row('/{id}/versions/{name}/content', { GET: passed() }),
  ];
});

async function upload(context: HttpContext, authenticated: AuthenticatedCaller): Promise<void> {
  const { deps } = context;
  const { userId, tokenId } = authenticated.caller;
  const place = await placeOfNew(deps, authenticated, undefined, terms);
  await passThrough(context, PREFIX, {
    dialect: 'anthropic',
    locate: () => Promise.resolve(place),
    async learn(reply) {
      const id = textOr(reply['id'], '');
      const until = deps.now() + UNTIL_DELETED_S;
      if (id !== '') await rememberOwn(deps, { userId, tokenId }, { kind, id, place, shown: reply, until });
    },
  });
}

/** The caller's skills, in pages by number. Anthropic's public ones are listed by Anthropic. */
async function list(context: HttpContext, authenticated: AuthenticatedCaller): Promise<void> {
  const { deps, response, requestId } = context;
  const query = queryOf(context);
  if (query.get('source') === 'anthropic') {
    const place = await placeOfNew(deps, authenticated, undefined, { ...terms, most: Number.POSITIVE_INFINITY });
    return passThrough(context, PREFIX, { dialect: 'anthropic', locate: () => Promise.resolve(place) });
  }
  const { caller } = authenticated;
  const rate = await checkRate(deps, caller);
  try {
    const limit = Number(query.get('limit') ?? PAGE.usual);
    if (!Number.isInteger(limit) || limit < 1 || limit > PAGE.most)
      throw badRequest(`'limit' is not valid: it must be a whole number from 1 to ${PAGE.most}.`, 'limit');
    const start = Number(query.get('page') ?? 0);
    if (!Number.isSafeInteger(start) || start < 0)
      throw badRequest("'page' is not valid: it must be the 'next_page' of the page before.", 'page');
    const rows = await listObjects(deps.db, caller.userId, kind, deps.now());
    const data = rows.slice(start, start + limit).map((row) => objectOr(parseJson(row.data)));
    const end = start + data.length;
    const hasMore = end < rows.length;
    sendJson(response, requestId, { data, has_more: hasMore, next_page: hasMore ? String(end) : null }, rate);
  } catch (error) {
    throw withRate(error, rate);
  }
}
