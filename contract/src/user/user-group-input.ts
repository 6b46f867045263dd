import * as z from 'zod/mini';
import { id, ratio, text } from '../values.ts';

const apiRate = z.int().check(z.gte(0), z.lte(10_000_000));

export const newUserGroup = z.object({
  // The one name that a JSON object by symbol could not carry.
  symbol: text(50, 1).check(z.regex(/^(?!__proto__$)[A-Za-z0-9_-]+$/, { error: 'group.symbol' })),
  name: text(50, 1),
  ratio: z._default(ratio, 1),
  api_rate: z._default(apiRate, 600),
  public: z._default(z.boolean(), false),
  enable: z._default(z.boolean(), true),
});

/**
 * The symbol is not written here, nor is `enable`, which older clients send along as they have it: whoever means to switch
 * the group in the same step says so in `set_enable`.
 */
export const userGroupEdit = z.object({
  id,
  name: text(50, 1),
  ratio,
  api_rate: apiRate,
  public: z.boolean(),
  set_enable: z.optional(z.boolean()),
});
