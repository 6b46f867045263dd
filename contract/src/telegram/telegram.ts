import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf, textFilter } from '../list.ts';
import { id, idParam } from '../values.ts';
import { botFormats } from './codes.ts';
import { botMenuInput } from './telegram-input.ts';

/** A command that the operator added. */
export const botMenuEntry = z.object({
  id,
  /** Without the slash. */
  command: z.string(),
  description: z.string(),
  parse_mode: z.enum(botFormats),
  reply_message: z.string(),
});
export type BotMenuEntry = z.infer<typeof botMenuEntry>;

export const botStatus = z.object({
  /** The bot answers at Telegram, and its messages reach this server. */
  status: z.boolean(),
  is_webhook: z.boolean(),
  /** The bot is turned on in the settings. */
  enabled: z.boolean(),
  /** Name at Telegram; empty: not known. */
  name: z.string(),
  /** Why it is not online; empty: it is, or it is turned off. */
  problem: z.string(),
  /** Messages that wait at Telegram. */
  waiting: z.int(),
  /** Telegram's menu differs from the commands here until it is reloaded. */
  outdated: z.boolean(),
});
export type BotStatus = z.infer<typeof botStatus>;

export const botMenuColumns = ['id', 'command'] as const;

const withId = z.object({ id: idParam });

export const botSchemas = {
  list: {
    audience: 'root',
    summary: 'List the commands that the operator added to the Telegram bot',
    query: z.extend(listQuery(botMenuColumns), { keyword: textFilter }),
    reply: pageOf(botMenuEntry),
  },
  get: { audience: 'root', summary: 'Get a command of the Telegram bot', params: withId, reply: botMenuEntry },
  save: {
    audience: 'root',
    summary: 'Create a command of the Telegram bot, or update the one with the id',
    body: botMenuInput,
    reply: botMenuEntry,
  },
  remove: { audience: 'root', summary: 'Delete a command of the Telegram bot', params: withId },
  status: { audience: 'root', summary: 'Ask Telegram for the state of the bot', reply: botStatus },
  reload: { audience: 'root', summary: 'Send the menu of commands to Telegram' },
} as const satisfies SchemasByEndpoint;
