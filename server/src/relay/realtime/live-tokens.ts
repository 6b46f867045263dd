/**
 * Ephemeral tokens for live sessions in Google's form: a server gives one to a browser, which then needs no API key. They
 * are the hub's own, and only its live sessions accept them. https://ai.google.dev/gemini-api/docs/ephemeral-tokens
 */
import { findCaller } from '#live/callers.ts';
import { isObject, type Json, objectOr, parseJson } from '#json.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { parseObject, readBody } from '#relay/body/read-body.ts';
import { badRequest, unauthorized } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import type { CallContext, HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { fingerprint, randomText } from '#secrets.ts';
import { checkCount, SECRET_LENGTH } from './client-secrets.ts';

const PREFIX = 'auth_tokens/';
const ENDPOINT = '/gemini/auth_tokens';
/** Google's defaults and longest time, in seconds. */
const LIFETIME_S = { begins: 60, ends: 1800, most: 20 * 3600 };
const MOST_USES = 1000;
/** Attempts to count a use while other sessions open with the same token. */
const MOST_RACES = 20;

export const liveTokenRows: readonly PathRow[] = [
  { path: '/gemini/{version}/auth_tokens', endpoint: ENDPOINT, answers: { POST: create } },
];

/** Limits of a token. */
interface LiveToken {
  /** Sessions that it may still open; 0: any number. */
  uses: number;
  /** Unix seconds at which its sessions end. */
  until: number;
  /** Members of `setup` that it sets; left out: the caller's own count. */
  setup?: Json;
  /** Paths of the members that are set; left out: all, and the caller's are ignored. */
  fields?: string[];
}

async function create(context: HttpContext): Promise<void> {
  const { deps, request, response, requestId } = context;
  const { caller } = await authenticate(context, 'gemini');
  const rate = await checkRate(deps, caller);
  const claim = deps.bodies.claim(caller.userId);
  try {
    const now = deps.now();
    const json = parseObject(await readBody(request, { claim, whenLarge: () => undefined }), 'google');
    const begins = timeIn(json, 'newSessionExpireTime', now, LIFETIME_S.begins);
    const token = readToken(json, now);
    await checkCount(deps, caller.tokenId);
    const name = PREFIX + randomText(SECRET_LENGTH);
    await deps.db
      .insertInto('client_secrets')
      .values({
        secret_hash: fingerprint(name),
        token_id: caller.tokenId,
        session_cipher: deps.secrets.encrypt(JSON.stringify(token)),
        created_at: now,
        expires_at: Math.min(begins, token.until),
      })
      .execute();
    sendJson(response, requestId, { name }, rate);
  } catch (error) {
    throw withRate(error, rate);
  } finally {
    claim.release();
  }
}

function readToken(json: Json, now: number): LiveToken {
  const { uses = 1, bidiGenerateContentSetup: setup, fieldMask } = json;
  if (typeof uses !== 'number' || !Number.isInteger(uses) || uses < 0 || uses > MOST_USES)
    throw badRequest(`'uses' is not valid: it must be a whole number from 0 to ${MOST_USES}.`, 'uses');
  if (setup != null && !isObject(setup))
    throw badRequest("'bidiGenerateContentSetup' is not valid: it must be an object.", 'bidiGenerateContentSetup');
  const fields = typeof fieldMask === 'string' ? fieldMask.split(',').filter((field) => field !== '') : undefined;
  return {
    uses,
    until: timeIn(json, 'expireTime', now, LIFETIME_S.ends),
    ...(isObject(setup) && { setup }),
    ...(fields && { fields }),
  };
}

function timeIn(json: Json, name: string, now: number, usual: number): number {
  const value = json[name];
  if (value == null) return now + usual;
  const seconds = typeof value === 'string' ? Math.floor(Date.parse(value) / 1000) : Number.NaN;
  if (seconds > now && seconds <= now + LIFETIME_S.most) return seconds;
  throw badRequest(`'${name}' is not valid: it must be a time within the next 20 hours.`, name);
}

/** The token of a request for a session. */
export const liveTokenIn = ({ url = '', headers }: CallContext['request']): string | undefined => {
  const mark = url.indexOf('?');
  const inQuery = mark < 0 ? null : new URLSearchParams(url.slice(mark)).get('access_token');
  const sent = inQuery ?? headers.authorization?.replace(/^token\s+/i, '') ?? '';
  return sent.startsWith(PREFIX) ? sent : undefined;
};

/** Identifies the caller by a token, and counts its use. Rejects with a 401 for one that is unknown, used up or has expired. */
export async function admitLiveToken(context: CallContext, sent: string): Promise<LiveToken> {
  const { deps } = context;
  for (let race = 0; race < MOST_RACES; race++) {
    const row = await deps.db
      .selectFrom('client_secrets')
      .where('secret_hash', '=', fingerprint(sent))
      .where('expires_at', '>', deps.now())
      .select(['token_id', 'session_cipher'])
      .executeTakeFirst();
    const caller = row && (await findCaller(deps.db, row.token_id));
    if (!row || !caller) break;
    const token = objectOr(parseJson(deps.secrets.decrypt(row.session_cipher))) as unknown as LiveToken; // written above
    const same = { hash: fingerprint(sent), cipher: row.session_cipher };
    if (token.uses !== 0 && !(await countUse(context, token, same))) continue;
    context.signedIn = caller;
    return token;
  }
  throw unauthorized('key_unknown', 'The ephemeral token is not valid, was used, or has expired.');
}

/** Whether the use was counted; another session may have changed the token meanwhile. */
async function countUse(
  { deps }: CallContext,
  token: LiveToken,
  { hash, cipher }: { hash: string; cipher: string },
): Promise<boolean> {
  if (token.uses === 1) {
    const { numDeletedRows } = await deps.db
      .deleteFrom('client_secrets')
      .where('secret_hash', '=', hash)
      .where('session_cipher', '=', cipher)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }
  const { numUpdatedRows } = await deps.db
    .updateTable('client_secrets')
    .set({ session_cipher: deps.secrets.encrypt(JSON.stringify({ ...token, uses: token.uses - 1 })) })
    .where('secret_hash', '=', hash)
    .where('session_cipher', '=', cipher)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The setup of a session as its token allows it. */
export function constrained(asked: Json, { setup, fields }: Pick<LiveToken, 'setup' | 'fields'>): Json {
  if (!setup) return asked;
  if (!fields) return setup;
  return fields.reduce((whole, field) => withPath(whole, field.split('.'), setup), asked);
}

/** A copy with the member at a path taken from `from`; one that is not there is removed. */
function withPath(to: Json, [name = '', ...rest]: readonly string[], from: Json): Json {
  const value = from[name];
  const { [name]: before, ...others } = to;
  if (rest.length > 0) return { ...others, [name]: withPath(objectOr(before), rest, objectOr(value)) };
  return value === undefined ? others : { ...others, [name]: value };
}
