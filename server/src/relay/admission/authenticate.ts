import type { IncomingMessage } from 'node:http';
import {
  type Announcement,
  announcementText,
  isAdmin,
  tokenStatus,
  type UserGroup,
  userStatus,
} from '@relay-hub/contract';
import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import { clientIp } from '#http/client-ip.ts';
import { askedLanguage } from '#http/reply-language.ts';
import type { Caller } from '#live/callers.ts';
import type { Live } from '#live/live.ts';
import type { AuthenticatedCaller, CallContext } from '#relay/types/call-types.ts';
import { checkAddress } from './limit-refusal.ts';
import { insufficientQuota } from '#relay/reply/insufficient-quota.ts';
import { RelayError, unauthorized } from '#relay/reply/relay-error.ts';
import type { Settings } from '#settings.ts';

/**
 * Identifies the caller and the group; a promise only if the key is not cached. Throws, or rejects with, the refusal.
 * `trace.caller` is set even for a refused key that exists.
 */
export function authenticate(
  context: CallContext,
  dialect: DialectId = 'openai',
): AuthenticatedCaller | Promise<AuthenticatedCaller> {
  const { deps, request, signedIn } = context;
  if (signedIn) return checkAllowed(context, signedIn, {});
  const sent = sentKeys(request, dialect);
  const { key, wish } = keyOf(sent[0]);
  const known = deps.live.callers.known(key);
  return known
    ? checkAllowed(context, known, { wish })
    : findAny(deps, { key, wish }, sent.slice(1)).then(({ caller, pin }) =>
        checkAllowed(context, caller, { wish: pin, key }),
      );
}

/** The owner of a key, or of another one in the request: clients send the keys of several vendors from their surroundings. */
async function findAny(deps: Deps, first: SplitKey, others: readonly string[]): ReturnType<typeof find> {
  for (const { key, wish } of [first, ...others.filter(bareKey).map(keyOf)]) {
    const { caller, pin = wish } = await find(deps, key);
    if (caller) return { caller, pin };
  }
  return { caller: undefined, pin: first.wish };
}

/** The owner of a key. One-api and new-api pin a channel with `KEY-12`; keys of one-hub may contain a hyphen. */
async function find({ live }: Deps, key: string): Promise<{ caller: Caller | undefined; pin?: string | undefined }> {
  const caller = await live.callers.find(key);
  const [, bare, pin] = caller ? [] : (/^([^-]+)-(\d{1,15})$/.exec(key) ?? []);
  if (bare === undefined || pin === undefined) return { caller };
  return { caller: live.callers.known(bare) ?? (await live.callers.find(bare)), pin };
}

interface SentKey {
  /** The channel suffix. */
  wish?: string | undefined;
  /** For the message about an unknown key. */
  key?: string;
}

function checkAllowed(
  { deps: { live, now, config }, request, trace, signedIn }: CallContext,
  caller: Caller | undefined,
  { wish, key }: SentKey,
): AuthenticatedCaller {
  trace.caller = caller;
  const nowS = now();
  checkCaller(caller, nowS, live.settings, key);
  const maintenance = live.announcements.maintenanceAt(nowS);
  if (maintenance && !isAdmin(caller.userRole)) throw underMaintenance(maintenance, request, live.settings, nowS);
  const sourceIp = clientIp(request, config.trustedProxies);
  if (caller.limits) checkAddress(caller.limits, sourceIp);
  if (!signedIn) live.keyUses.note(caller.keyHash, nowS, sourceIp);
  const { pin, except, rawPin } = wish === undefined ? noPin : parseChannelSuffix(caller, wish);
  return { caller, sourceIp, group: groupOf(caller, live), pin, except, rawPin };
}

/** 503 with the operator's words, in the language of the request or of the site. */
function underMaintenance(
  { texts, end_time: end }: Pick<Announcement, 'texts' | 'end_time'>,
  { headers }: IncomingMessage,
  { Language: site }: Settings,
  nowS: number,
): RelayError {
  return new RelayError(503, announcementText(texts, askedLanguage({ headers }) ?? site, site), {
    type: 'server_error',
    code: 'maintenance',
    retryAfter: String(Math.max(1, end - nowS)),
  });
}

const noPin = { pin: undefined, except: undefined, rawPin: undefined };

/** `KEY#12` pins channel 12, `KEY#!12` excludes it, `KEY#12#ignore` pins it on pass-through routes only. */
function parseChannelSuffix(caller: Caller, suffix: string): Pick<AuthenticatedCaller, 'pin' | 'except' | 'rawPin'> {
  if (!isAdmin(caller.userRole)) throw forbiddenChannel('Only administrators may choose a channel by the API key.');
  const [, not, id, ignore] = /^(!?)(\d{1,15})(#ignore)?$/.exec(suffix) ?? [];
  if (!id || Number(id) === 0) throw forbiddenChannel(`'#${suffix}' names no channel.`);
  if (not) return { ...noPin, except: Number(id) };
  return { pin: ignore ? undefined : Number(id), except: undefined, rawPin: Number(id) };
}

const forbiddenChannel = (message: string): RelayError =>
  new RelayError(403, message, { type: 'permission_error', code: 'channel_forbidden' });

/**
 * API keys of a request by dialect; later ones are used if the first belongs to no account. `Authorization` works in all dialects,
 * and `api-key` of Azure's clients and `x-api-key` in OpenAI's. Empty headers are ignored.
 */
function sentKeys({ headers, url = '' }: IncomingMessage, dialect: DialectId): string[] {
  const { authorization, 'x-api-key': ofAnthropic, 'x-goog-api-key': ofGoogle, 'api-key': ofAzure } = headers;
  const query = dialect === 'gemini' ? url.indexOf('?') : -1;
  const inQuery = query < 0 ? undefined : (new URLSearchParams(url.slice(query)).get('key') ?? undefined);
  const ofImages = url.startsWith('/mj') && imagePaths.test(url) ? headers['mj-api-secret'] : undefined;
  const sent =
    dialect === 'anthropic'
      ? [ofAnthropic, authorization]
      : dialect === 'gemini'
        ? [ofGoogle, inQuery, authorization]
        : [ofImages, authorization, keyAmongProtocols(headers), ofAzure, ofAnthropic];
  const keys: string[] = [];
  for (const header of sent) {
    const key = nonEmpty(header);
    if (key !== undefined) keys.push(key);
  }
  return keys;
}

/** Paths of the midjourney-proxy dialect, whose clients send the key in `mj-api-secret`. */
const imagePaths = /^\/(?:mj|mj-[a-z]+\/mj)(?:[/?]|$)/;

/** Browsers can set no other header on a WebSocket. */
function keyAmongProtocols(headers: IncomingMessage['headers']): string | undefined {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  return offered.find((name) => name.startsWith(IN_PROTOCOL))?.slice(IN_PROTOCOL.length);
}

const IN_PROTOCOL = 'openai-insecure-api-key.';

function nonEmpty(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  return text?.trim() ? text : undefined;
}

/** The API key of a request without prefix and channel suffix; undefined: none. */
export const keySentIn = (request: IncomingMessage, dialect: DialectId): string | undefined =>
  bareKey(sentKeys(request, dialect)[0])?.split('#')[0] || undefined;

const USUAL = 'Bearer sk-';

const bareKey = (authorization: string | undefined): string | undefined =>
  authorization?.startsWith(USUAL)
    ? authorization.slice(USUAL.length).trim()
    : authorization?.replace(/^\s*(?:bearer(?:\s+|$))?(?:sk-)?/i, '').trim();

/** An API key without prefix, and its channel suffix. */
interface SplitKey {
  key: string;
  wish: string | undefined;
}

/** Throws a 401 if there is none. */
function keyOf(authorization: string | undefined): SplitKey {
  const text = bareKey(authorization);
  if (!text) throw unauthorized('key_missing', 'No API key was given. Send it as "Authorization: Bearer sk-…".');
  const mark = text.indexOf('#');
  return mark < 0 ? { key: text, wish: undefined } : { key: text.slice(0, mark), wish: text.slice(mark + 1) };
}

/** OpenAI's words, by which clients recognize a wrong key among errors of this type. */
const incorrect = 'Incorrect API key provided: ';

/** The end of a key, as vendors show it; nothing of a short one. */
const maskedKey = (key: string): string => (key.length < 20 ? '••••' : `••••${key.slice(-4)}`);

/** Throws a `RelayError` unless the caller may make calls. The reservation checks the balance. */
export function checkCaller(
  caller: Caller | undefined,
  nowS: number,
  settings: Settings,
  key?: string,
): asserts caller is Caller {
  if (!caller)
    throw unauthorized(
      'key_unknown',
      `${incorrect}${key === undefined ? '' : `${maskedKey(key)}. `}The API key is not valid.`,
    );
  if (caller.userStatus !== userStatus.enabled)
    throw unauthorized('account_disabled', `${incorrect}The account that this API key belongs to is disabled.`);
  if (caller.memberGone)
    throw unauthorized(
      'member_gone',
      `${incorrect}The member who holds this API key has left the team or is disabled. An administrator of the team can hand the key over.`,
    );
  if (caller.keyUntil !== undefined && caller.keyUntil <= nowS)
    throw unauthorized('key_replaced', `${incorrect}The API key was replaced by a new one.`);
  if (caller.importPending && settings.ImportedUsersWait) throw stillMoving();
  if (caller.tokenStatus === tokenStatus.expired || (caller.expiredTime !== -1 && caller.expiredTime <= nowS))
    throw unauthorized('token_expired', `${incorrect}The API key has expired.`);
  if (caller.tokenStatus === tokenStatus.exhausted) throw insufficientQuota('token_quota', settings);
  if (caller.tokenStatus !== tokenStatus.enabled)
    throw unauthorized('token_disabled', `${incorrect}The API key is disabled.`);
}

/** Its balance is still spent at the old side. */
const stillMoving = (): RelayError =>
  new RelayError(
    403,
    'This account is being moved here and cannot make calls yet. Use the previous address until the move is finished.',
    { type: 'permission_error', code: 'account_moving' },
  );

/** The group whose channels and ratio apply: the token's, else the user's. Throws a 403 if not allowed. */
export function groupOf(caller: Caller, live: Live): UserGroup {
  const symbol = caller.tokenGroup || caller.userGroup;
  const group = live.groups.get(symbol);
  if (!group) throw noSuchGroup(symbol);
  // Groups become private and users change groups after a token is created.
  if (!group.public && symbol !== caller.userGroup)
    throw forbidden(`This API key may no longer use the user group '${symbol}'.`);
  return group;
}

export const noSuchGroup = (symbol: string): RelayError =>
  forbidden(`The user group '${symbol}' does not exist or is disabled.`);

const forbidden = (message: string): RelayError =>
  new RelayError(403, message, { type: 'permission_error', code: 'group_forbidden' });
