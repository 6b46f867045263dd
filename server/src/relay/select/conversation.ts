import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, objectOr, textOr, type Json } from '#json.ts';
import type { CacheConversation } from '#live/conversations.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { RelayCall } from '#relay/types/call-types.ts';

/** Owner of a conversation: an id that another tenant sends leads nowhere. */
interface Tenant {
  userId: number;
  tokenId: number;
}

/** The request of a call, as far as it identifies its conversation. */
interface SentRequest {
  headers: IncomingHttpHeaders;
  json: unknown;
  /** The model that was asked for; each model has its own cache. */
  model: string;
}

/**
 * The conversation of a call: by the session that its client names, else by the stable start of its prompt. Undefined:
 * the body is no JSON object.
 */
export function conversationOf(
  { userId, tokenId }: Tenant,
  { headers, json, model }: SentRequest,
): CacheConversation | undefined {
  if (!isObject(json)) return undefined;
  const session = sessionIn(headers, json) ?? startOf(json);
  const id = hash('sha256', `${userId}\n${tokenId}\n${model}\n${session}`).slice(0, 32);
  return { id, seed: Number.parseInt(id.slice(0, 8), 16) };
}

/** The conversation of a session id alone, to explain where it is kept. */
export const conversationNamed = (tenant: Tenant, model: string, session: string): CacheConversation =>
  conversationOf(tenant, { headers: { 'x-session-id': session }, json: {}, model })!; // an object is given

/**
 * Headers that name a session, most reliable first. Not `x-client-request-id`: some clients renew it with each
 * request, and where it is stable the start of the prompt is, too.
 */
const sessionHeaders = [
  'x-session-id',
  'x-session-affinity',
  'x-opencode-session',
  'x-amp-thread-id',
  'x-hermes-session-id',
  'x-deepseek-harness-session-id',
  'x-litellm-session-id',
  'x-grok-conv-id',
] as const;

/** The session that a client names. Each agent of a session has its prompt, so agents count separately. */
function sessionIn(headers: IncomingHttpHeaders, json: Json): string | undefined {
  const named = (name: string): string => textOr(headers[name], '');
  const metadata = objectOr(json['metadata']);
  const claude = named('x-claude-code-session-id') || sessionOfUserId(metadata['user_id']);
  if (claude) return joined(claude, named('x-claude-code-agent-id'));
  const codex = named('session-id') || named('session_id') || named('conversation_id');
  if (codex || named('thread-id')) return joined(codex, named('thread-id'));
  const ofBody = [json['session_id'], json['litellm_session_id'], metadata['session_id']].find(
    (id) => typeof id === 'string' && id !== '',
  );
  if (typeof ofBody === 'string') return ofBody;
  for (const name of sessionHeaders) if (named(name) !== '') return named(name);
  return undefined;
}

const joined = (...ids: readonly string[]): string => ids.filter((id) => id !== '').join(' ');

/** Claude Code's session in `metadata.user_id`; other values name a person, who has many conversations. */
function sessionOfUserId(userId: unknown): string {
  if (typeof userId !== 'string') return '';
  if (!userId.startsWith('{')) return /_session_([\w-]{8,})$/.exec(userId)?.[1] ?? '';
  return /"session_id"\s*:\s*"([^"]+)"/.exec(userId)?.[1] ?? '';
}

const stableFields = [
  'prompt_cache_key',
  'user',
  'tools',
  'functions',
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
] as const;

/** Turns before the first one of the user. */
const MOST_TURNS = 5;

/**
 * The start of a prompt that its turns have in common: what an app or a person sends with every call, tools, system
 * text and the first user message. A constant `prompt_cache_key` does not make all calls of an app one conversation.
 */
function startOf(json: Json): string {
  const text = new Excerpt();
  text.add(objectOr(json['metadata'])['user_id']);
  for (const name of stableFields) text.add(json[name]);
  const turns = json['messages'] ?? json['contents'] ?? json['input'] ?? json['prompt'];
  if (!Array.isArray(turns)) text.add(turns);
  else
    for (const turn of turns.slice(0, MOST_TURNS)) {
      text.add(turn);
      const role = objectOr(turn)['role'];
      if (role === undefined || role === 'user') break;
    }
  return text.text;
}

/** Characters kept of each end of a text. */
const ENDS = 64;
/** Characters and values read of one field or turn, so that long tools leave room for the first message. */
const MOST = 1024;
const MOST_VALUES = 500;
/** Claude Code's first system text, which changes with its version. */
const BILLING = 'x-anthropic-billing-header:';

/** Ends and length of each text in several values: bounded work, whatever the prompt's length. */
class Excerpt {
  text = '';
  #end = 0;
  #left = 0;

  add(value: unknown): void {
    this.#end = this.text.length + MOST;
    this.#left = MOST_VALUES;
    this.#read(value);
  }

  #read(value: unknown): void {
    if (--this.#left < 0 || this.text.length >= this.#end) return;
    if (typeof value === 'string') {
      if (value.startsWith(BILLING)) return;
      const shown = value.length <= 2 * ENDS ? value : value.slice(0, ENDS) + value.slice(-ENDS);
      this.text += `${value.length}:${shown}\n`;
    } else if (Array.isArray(value)) for (const each of value.slice(0, MOST_VALUES)) this.#read(each);
    // Clients move the cache breakpoint with each turn.
    else if (isObject(value)) for (const name in value) if (name !== 'cache_control') this.#read(value[name]);
  }
}

/** Milliseconds for which the provider keeps an unused cache: as the request or the usage says, else its usual time. */
export function cacheLifeOf({ json }: Pick<RelayCall, 'json'>, { cacheLifeMs }: LiveChannel, wrote1h: boolean): number {
  const { prompt_cache_retention: retention, prompt_cache_options: options } = objectOr(json);
  if (retention === '24h') return 24 * HOUR_MS;
  if (objectOr(options)['ttl'] === '12h') return 12 * HOUR_MS;
  return wrote1h ? Math.max(cacheLifeMs, HOUR_MS) : cacheLifeMs;
}

const HOUR_MS = 3_600_000;
