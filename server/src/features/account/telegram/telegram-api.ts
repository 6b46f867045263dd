import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { fingerprint } from '#secrets.ts';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 4 * 1024 * 1024;
/** Longest pause that Telegram may ask for before a request is repeated. */
const LONGEST_PAUSE_S = 30;

/** The configured bot; undefined without a token. */
export interface Bot {
  token: string;
  name: string;
  address: string;
  /** Empty for a direct connection. */
  proxy: string;
  /** Empty when the server polls for messages. */
  webhookSecret: string;
}

export function botOf({ settings }: Pick<Deps['live'], 'settings'>): Bot | undefined {
  const { TelegramBotEnabled, TelegramBotToken: token, TelegramBotName: name } = settings;
  if (!TelegramBotEnabled || token === '') return undefined;
  const { TelegramApiAddress: address, TelegramProxy: proxy, TelegramWebhookSecret: webhookSecret } = settings;
  return { token, name, address, proxy, webhookSecret };
}

/** Path of the bot's webhook. Proxies log paths, so it holds a fingerprint, not the token. */
export const webhookPath = ({ token }: Bot): string => `/api/telegram/${fingerprint(`telegram webhook ${token}`)}`;

/** A failed bot API call. `status`: the API's error code; 0: there was no usable answer. */
export class TelegramError extends Error {
  readonly status: number;
  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

const envelope = z.nullable(
  z.looseObject({
    ok: z.optional(z.boolean()),
    description: z.optional(z.string()),
    result: z.optional(z.unknown()),
    parameters: z.optional(z.looseObject({ retry_after: z.optional(z.number()) })),
  }),
);

interface BotCall<T> {
  method: string;
  input: object;
  result: z.ZodMiniType<T>;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/** Calls a bot API method and returns its result. Throws `TelegramError` with the reason, stripped of secrets. */
export async function callTelegram<T>(
  deps: Pick<Deps, 'config' | 'live' | 'upstreams'>,
  bot: Bot,
  call: BotCall<T>,
): Promise<T> {
  const { method, result } = call;
  try {
    let { status, reply } = await replyOf(deps, bot, call);
    const pauseS = reply?.parameters?.retry_after ?? 0;
    if (status === 429 && pauseS > 0 && pauseS <= LONGEST_PAUSE_S) {
      await sleep(pauseS * 1000, undefined, { signal: call.signal });
      ({ status, reply } = await replyOf(deps, bot, call));
    }
    if (reply?.ok !== true) throw new TelegramError(`${method}: ${status} ${reply?.description ?? ''}`, status);
    return result.parse(reply.result);
  } catch (error) {
    if (error instanceof TelegramError) throw error;
    // The original message would contain the address, and with it the token.
    throw new TelegramError(`${method}: ${error instanceof AppError ? error.code : 'unusable answer'}`);
  }
}

async function replyOf(deps: Pick<Deps, 'config' | 'live' | 'upstreams'>, bot: Bot, call: BotCall<unknown>) {
  const { status, text } = await ask(deps, bot, call);
  return { status, reply: envelope.parse(JSON.parse(text)) };
}

const headers = { 'content-type': 'application/json', accept: 'application/json' };

async function ask(
  { config, live, upstreams }: Pick<Deps, 'config' | 'live' | 'upstreams'>,
  { address, token, proxy }: Bot,
  { method, input, timeoutMs = TIMEOUT_MS, signal }: Omit<BotCall<unknown>, 'result'>,
): Promise<{ status: number; text: string }> {
  const body = JSON.stringify(input);
  const path = `/bot${token}/${method}`;
  if (proxy !== '') {
    const query = {
      baseUrl: address,
      path,
      method: 'POST',
      headers,
      body,
      timeoutMs,
      maxBytes: MOST_BYTES,
      proxy,
    } as const;
    const asked = upstreams.ask(query);
    return signal ? orGivenUp(asked, signal) : asked;
  }
  const options = { reach: operatorReach({ config, live }), maxBytes: MOST_BYTES, timeoutMs, signal };
  const request = { method: 'POST', headers, body };
  const answer = await fetchGuarded(address + path, { ...options, accept: headers.accept, request });
  return { status: answer.status, text: answer.body.toString('utf8') };
}

/** The request itself goes on until its timeout or until connections are closed. */
async function orGivenUp<T>(response: Promise<T>, signal: AbortSignal): Promise<T> {
  const given = Promise.withResolvers<never>();
  const onAbort = () => given.reject(new TelegramError('given up'));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([response, given.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
