import type { Update } from 'grammy/types';
import * as z from 'zod/mini';

const person = z.looseObject({ id: z.int().check(z.gte(1)), is_bot: z._default(z.boolean(), false) });
const message = z.looseObject({
  message_id: z.int(),
  chat: z.looseObject({ id: z.int(), type: z.string() }),
  from: z.optional(person),
  text: z.optional(z.string()),
});
const update = z.looseObject({
  update_id: z.int(),
  message: z.optional(message),
  callback_query: z.optional(
    z.looseObject({ id: z.string(), from: person, data: z.optional(z.string()), message: z.optional(message) }),
  ),
});

/** The reply of `getUpdates`. */
export const updates = z.array(z.looseObject({ update_id: z.int() }));

/** The kinds of updates that the bot answers. */
export const allowedUpdates = ['message', 'callback_query'];

/** An update, with commands marked as Telegram marks them. Undefined for other kinds. */
export function readUpdate(json: unknown): Update | undefined {
  const parsed = update.safeParse(json);
  if (!parsed.success) return undefined;
  const { message: sent } = parsed.data;
  const [command] = /^\/[A-Za-z0-9_]+(?:@\w+)?/.exec(sent?.text ?? '') ?? [];
  // Only whole commands count, also where a client leaves the marks out.
  if (sent && command !== undefined) sent['entities'] = [{ type: 'bot_command', offset: 0, length: command.length }];
  return parsed.data as unknown as Update; // the members that the commands use are checked above
}
