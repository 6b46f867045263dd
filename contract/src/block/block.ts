import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf, textFilter } from '../list.ts';
import { networkEntry } from '../token/token-limits.ts';
import { expiry, id, idParam, seconds, text } from '../values.ts';

/** An address or network whose requests are refused. */
export const block = z.object({
  id,
  /** In CIDR notation, or a single address. */
  network: z.string(),
  /** For administrators; callers do not see it. */
  reason: z.string(),
  created_time: seconds,
  /** User name. */
  created_by: z.string(),
  /** When it ends; -1: never. */
  expired_time: seconds,
});
export type Block = z.infer<typeof block>;

export const newBlock = z.object({
  network: networkEntry,
  reason: z._default(text(200), ''),
  expired_time: z._default(expiry, -1),
});

export const blockEdit = z.extend(newBlock, { id });

const withId = z.object({ id: idParam });

export const blockSchemas = {
  list: {
    audience: 'admin',
    summary: 'List blocked addresses and networks',
    query: z.extend(listQuery(['id', 'network', 'expired_time']), {
      /** Beginning of a network, or part of a reason. */
      keyword: textFilter,
    }),
    reply: pageOf(block),
  },
  get: { audience: 'admin', summary: 'Get a blocked network', params: withId, reply: block },
  create: {
    audience: 'admin',
    summary: 'Block an address or network on relay and management API, from the next request on every node',
    body: newBlock,
    reply: block,
  },
  update: { audience: 'admin', summary: 'Change a blocked network', body: blockEdit, reply: block },
  remove: { audience: 'admin', summary: 'Unblock a network', params: withId },
} as const satisfies SchemasByEndpoint;
