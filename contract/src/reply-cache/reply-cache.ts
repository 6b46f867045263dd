import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { credits, idParam } from '../values.ts';

export const replyCacheSchemas = {
  state: {
    audience: 'root',
    summary: 'Get the size of the reply cache, and its hits and misses in the last 30 days',
    reply: z.object({
      replies: z.int(),
      /** Of the encrypted replies. */
      bytes: z.int(),
      hits: z.int(),
      misses: z.int(),
      /** Credits of their price that hits were not charged. */
      saved: credits,
    }),
  },
  clear: {
    audience: 'root',
    summary: 'Remove the cached replies of a user, or of all',
    query: z.object({ user_id: z.optional(idParam) }),
  },
} as const satisfies SchemasByEndpoint;
