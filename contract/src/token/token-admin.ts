import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, numberFilter, pageOf, textFilter } from '../list.ts';
import { idParam } from '../values.ts';
import { tokenAdminEdit, tokenTransfer } from './token-input.ts';
import { token, tokenColumns } from './token.ts';

/** A token as seen by administrators, with its owner; its key stays masked. */
export const ownedToken = z.extend(token, {
  username: z.string(),
  /** Group of the owner, which the token follows unless it names one. */
  user_group: z.string(),
});
export type OwnedToken = z.infer<typeof ownedToken>;

const withId = z.object({ id: idParam });

export const tokenAdminSchemas = {
  list: {
    audience: 'admin',
    summary:
      'List tokens of all accounts that you may manage; keys are masked. `keyword` matches the start of a name, tag or owner, or the last 4 characters of a key',
    query: z.extend(listQuery(tokenColumns), {
      keyword: textFilter,
      status: numberFilter,
      tag: textFilter,
      /** Id of the owner. */
      user_id: numberFilter,
    }),
    reply: pageOf(ownedToken),
  },
  get: {
    audience: 'admin',
    summary: 'Get a token of any account that you may manage',
    params: withId,
    reply: ownedToken,
  },
  update: {
    audience: 'admin',
    summary: 'Enable, disable or limit a token of another account',
    params: withId,
    body: tokenAdminEdit,
    reply: ownedToken,
  },
  transfer: {
    audience: 'admin',
    summary: 'Give a token to another account, which pays for its calls from now on; the key stays the same',
    params: withId,
    body: tokenTransfer,
    reply: ownedToken,
  },
} as const satisfies SchemasByEndpoint;
