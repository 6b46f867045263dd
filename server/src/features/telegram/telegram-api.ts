import type * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { fetchGuarded } from '#http/outbound.ts';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 4 * 1024 * 1024;

/** The bot as the settings say; undefined while there is none. */
export interface Bot {
  token: string;
  name: string;
  address: string;
  /** Empty: the server asks for messages. */
  webhookSecret: string;
}

export function botOf({ settings }: Pick<Deps['live'], 'settings'>): Bot | undefined {
  const { TelegramBotEnabled, TelegramBotToken: token, TelegramBotName: name } = settings;
  if (!TelegramBotEnabled || token === '') return undefined;
  return { token, name, address: settings.TelegramApiAddress, webhookSecret: settings.TelegramWebhookSecret };
}

/** A bot API call that did not go well. */
export class TelegramError extends Error {}

/** Calls a method of the bot API; its result. Throws `TelegramError` with what can be told of the reason. */
export async function callTelegram<T>(
  { config }: Pick<Deps, 'config'>,
  { address, token }: Bot,
  method: string,
  input: object,
  result: z.ZodMiniType<T>,
  { timeoutMs = TIMEOUT_MS, signal }: { timeoutMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  try {
    const { status, body } = await fetchGuarded(`${address}/bot${token}/${method}`, {
      privateNetworks: config.outboundPrivate,
      maxBytes: MOST_BYTES,
      timeoutMs,
      signal,
      accept: 'application/json',
      request: {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      },
    });
    const told = JSON.parse(body.toString('utf8')) as { ok?: boolean; description?: string; result?: unknown } | null; // checked below
    if (told?.ok !== true) throw new TelegramError(`${method}: ${status} ${told?.description ?? ''}`);
    return result.parse(told.result);
  } catch (error) {
    if (error instanceof TelegramError) throw error;
    // Its words would have the address in them, and so the token.
    throw new TelegramError(`${method}: ${error instanceof AppError ? error.code : 'unusable answer'}`);
  }
}
