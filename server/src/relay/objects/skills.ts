/** Anthropic's skills of ordinary users: a skill belongs to the user who uploaded it, and stays at one account. */
import type { IncomingHttpHeaders } from 'node:http';
import { objectOr, parseJson, textOr } from '#json.ts';
import { listObjects, UNTIL_DELETED_S } from '#affinity/upstream-objects.ts';
import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { queryOf } from '#relay/body/url-query.ts';
import { isAnthropic } from './keepers.ts';
import { placeOfNew, rememberOwn } from './own-objects.ts';
import { passOwn } from './pass-own.ts';

export const SKILLS_PATH = '/v1/skills';

const kind = 'skill';
const terms = { kind, plural: 'skills', most: 200, keeps: isAnthropic } as const;
const PAGE = { usual: 20, most: 100 };

/** `/v1/skills`, one skill, its versions, one version, and what a version contains. */
const pattern = /^(?:\/claude)?\/v1\/skills(?:\/([\w.-]{1,256})(\/versions(?:\/[\w.-]{1,128}(\/content)?)?)?)?$/;

interface SkillPath {
  /** Empty: all skills. */
  id: string;
  /** Versions, or one of them; empty: the skill itself. */
  rest: string;
  methods: readonly ('GET' | 'POST' | 'DELETE')[];
}

function skillPathOf(path: string): SkillPath | undefined {
  const found = pattern.exec(path);
  if (!found) return undefined;
  const [, id = '', rest = '', content] = found;
  if (content !== undefined) return { id, rest, methods: ['GET'] };
  const isList = id === '' || rest === '/versions';
  return { id, rest, methods: isList ? ['GET', 'POST'] : ['GET', 'DELETE'] };
}

/** OpenAI has other skills at the same path, which are not served. */
const isAnthropicCall = (headers: IncomingHttpHeaders, path: string): boolean =>
  headers['anthropic-version'] !== undefined || path.startsWith('/claude/');

/** Whether a path is one of skills, for logs and metrics. */
export const isSkillPath = (path: string): boolean => pattern.test(path);

/** Methods of such a path; undefined: another path or dialect. */
export function skillMethods(path: string, headers: IncomingHttpHeaders): string | undefined {
  const skill = isAnthropicCall(headers, path) ? skillPathOf(path) : undefined;
  return skill && [...skill.methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name)), 'OPTIONS'].join(', ');
}

/** Answers a request for skills; undefined: another path, method or dialect. Rejects with a `RelayError`. */
export function answerSkills(context: HttpContext, path: string): Promise<void> | undefined {
  const { headers, method } = context.request;
  const skill = isAnthropicCall(headers, path) ? skillPathOf(path) : undefined;
  const name = method === 'HEAD' ? 'GET' : method;
  return skill?.methods.some((one) => one === name) ? answer(context, skill, name === 'POST') : undefined;
}

async function answer(context: HttpContext, skill: SkillPath, isPost: boolean): Promise<void> {
  const authenticated = await authenticate(context, 'anthropic');
  const { id, rest } = skill;
  // Administrators who name a channel reach its whole account.
  if (authenticated.rawPin !== undefined) return passThrough(context, SKILLS_PATH, { dialect: 'anthropic' });
  if (id === '') return isPost ? upload(context, authenticated) : list(context, authenticated);
  const { method } = context.request;
  const isSkill = rest === '';
  const removes = isSkill && method === 'DELETE';
  const shows = isSkill && method === 'GET';
  await passOwn(context, SKILLS_PATH, authenticated.caller, { kind, id }, { dialect: 'anthropic', removes, shows });
}

async function upload(context: HttpContext, authenticated: AuthenticatedCaller): Promise<void> {
  const { deps } = context;
  const { userId, tokenId } = authenticated.caller;
  const place = await placeOfNew(deps, authenticated, undefined, terms);
  await passThrough(context, SKILLS_PATH, {
    dialect: 'anthropic',
    locate: () => Promise.resolve(place),
    async learn(reply) {
      const id = textOr(reply['id'], '');
      const until = deps.now() + UNTIL_DELETED_S;
      if (id !== '') await rememberOwn(deps, { userId, tokenId }, { kind, id, place, shown: reply, until });
    },
  });
}

/** The caller's skills, in pages by number. Those that Anthropic offers to everybody come from there. */
async function list(context: HttpContext, authenticated: AuthenticatedCaller): Promise<void> {
  const { deps, response, requestId } = context;
  const query = queryOf(context);
  if (query.get('source') === 'anthropic') {
    const place = await placeOfNew(deps, authenticated, undefined, { ...terms, most: Number.POSITIVE_INFINITY });
    return passThrough(context, SKILLS_PATH, { dialect: 'anthropic', locate: () => Promise.resolve(place) });
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
