import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { credits, id, idParam } from '../values.ts';

const counts = { hits: z.int(), misses: z.int() };

export const replyCacheSchemas = {
  state: {
    audience: 'root',
    summary: 'Get the size of the reply cache, and its hits and misses in the last 30 days',
    reply: z.object({
      replies: z.int(),
      /** Of the encrypted replies. */
      bytes: z.int(),
      ...counts,
      /** Credits of their price that hits were not charged. */
      saved: credits,
      /** The same by requested model and by token: those with most calls, at most twenty each. */
      models: z.array(z.object({ model: z.string(), ...counts })),
      tokens: z.array(z.object({ token_id: id, token_name: z.string(), username: z.string(), ...counts })),
    }),
  },
  clear: {
    audience: 'root',
    summary: 'Remove the cached replies of a user, or of all',
    query: z.object({ user_id: z.optional(idParam) }),
  },
} as const satisfies SchemasByEndpoint;
