import { newToken, type Token } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { validOr } from '#ui/form/valid-or.ts';

export const tokenFields = [
  'name',
  'expired_time',
  'remain_quota',
  'unlimited_quota',
  'group',
  'limits',
  'tag',
  'note',
  'response_store_hours',
  'enable_cache',
  'metadata',
] as const;

export type TokenInput = z.input<typeof newToken>;
export type TokenValues = z.output<typeof newToken>;

const { remain_quota: quota } = newToken.shape;

/**
 * The contract's rules; a changed expiry must be in the future, and the hidden amount of an unlimited token is not
 * checked.
 */
export function tokenRules(
  before: Pick<Token, 'expired_time' | 'remain_quota'> | undefined,
  unlimited: unknown,
  past: string,
): z.ZodMiniType<TokenValues, TokenInput> {
  return z
    .extend(newToken, { remain_quota: unlimited === true ? validOr(quota, before?.remain_quota ?? 0) : quota })
    .check(
      z.refine(({ expired_time: at }) => at === -1 || at === before?.expired_time || at * 1000 > Date.now(), {
        error: past,
        path: ['expired_time'],
      }),
    );
}
