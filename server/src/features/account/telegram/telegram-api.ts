import type * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { operatorReach } from '#http/outbound/reach.ts';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 4 * 1024 * 1024;

/** The bot as the settings say; undefined while there is none. */
export interface Bot {
  token: string;
  name: string;
  address: string;
  /** Empty: straight there. */
  proxy: string;
  /** Empty: the server asks for messages. */
  webhookSecret: string;
}

export function botOf({ settings }: Pick<Deps['live'], 'settings'>): Bot | undefined {
  const { TelegramBotEnabled, TelegramBotToken: token, TelegramBotName: name } = settings;
  if (!TelegramBotEnabled || token === '') return undefined;
  const { TelegramApiAddress: address, TelegramProxy: proxy, TelegramWebhookSecret: webhookSecret } = settings;
  return { token, name, address, proxy, webhookSecret };
}

/** A bot API call that did not go well. */
export class TelegramError extends Error {}

interface Asking {
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/** Calls a method of the bot API; its result. Throws `TelegramError` with what can be told of the reason. */
export async function callTelegram<T>(
  deps: Pick<Deps, 'config' | 'live' | 'upstreams'>,
  bot: Bot,
  method: string,
  input: object,
  result: z.ZodMiniType<T>,
  asking: Asking = {},
): Promise<T> {
  try {
    const { status, text } = await ask(deps, bot, method, JSON.stringify(input), asking);
    const told = JSON.parse(text) as { ok?: boolean; description?: string; result?: unknown } | null; // checked below
    if (told?.ok !== true) throw new TelegramError(`${method}: ${status} ${told?.description ?? ''}`);
    return result.parse(told.result);
  } catch (error) {
    if (error instanceof TelegramError) throw error;
    // Its words would have the address in them, and so the token.
    throw new TelegramError(`${method}: ${error instanceof AppError ? error.code : 'unusable answer'}`);
  }
}

const headers = { 'content-type': 'application/json', accept: 'application/json' };

async function ask(
  { config, live, upstreams }: Pick<Deps, 'config' | 'live' | 'upstreams'>,
  { address, token, proxy }: Bot,
  method: string,
  body: string,
  { timeoutMs = TIMEOUT_MS, signal }: Asking,
): Promise<{ status: number; text: string }> {
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

/** The question itself goes on, until its time is up or the connections are closed. */
async function orGivenUp<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  const given = Promise.withResolvers<never>();
  const onAbort = () => given.reject(new TelegramError('given up'));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([asked, given.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
