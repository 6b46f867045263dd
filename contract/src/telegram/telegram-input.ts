import * as z from 'zod/mini';
import { text } from '../values.ts';
import { botCommands, botFormats, LONGEST_BOT_TEXT } from './codes.ts';

const command = z.string().check(
  z.trim(),
  z.overwrite((value) => value.replace(/^\//, '')),
  z.regex(/^[a-z0-9_]{1,32}$/, { error: 'telegram.command' }),
  z.refine((value) => value !== 'start' && !botCommands.some((own) => own === value), {
    error: 'telegram.built_in',
  }),
);

export const botMenuInput = z.object({
  /** Absent or 0: a new entry. */
  id: z._default(z.int().check(z.gte(0), z.lte(2_147_483_647)), 0),
  command,
  description: text(256, 1),
  parse_mode: z._default(z.enum(botFormats), 'MarkdownV2'),
  reply_message: z.string().check(z.trim(), z.minLength(1), z.maxLength(LONGEST_BOT_TEXT)),
});
export type BotMenuInput = z.output<typeof botMenuInput>;
