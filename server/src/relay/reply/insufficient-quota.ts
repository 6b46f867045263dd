import type { Deps } from '#deps.ts';
import { creditsLeft } from '#quota/balance-left.ts';
import { creditsText } from '#quota/credits-text.ts';
import type { Caller } from '#live/callers.ts';
import type { Settings } from '#settings.ts';
import { RelayError } from './relay-error.ts';

/** Keeps the vendors' clients from retrying. */
export const noRetry = { 'x-should-retry': 'false' };

type Lacking = 'user_quota' | 'token_quota';

export type PlaceToTopUp = Pick<Settings, 'ServerAddress'>;

/** 402: insufficient credits, with the place to top up. `why` says by how much they fall short. */
export function insufficientQuota(whose: Lacking, { ServerAddress: site }: PlaceToTopUp, why = ''): RelayError {
  const message =
    whose === 'user_quota'
      ? `Insufficient balance${why}. Top up ${site === '' ? 'and try again.' : `at ${site}/panel/topup`}`
      : `The quota of this API key is insufficient${why}. Raise it ${site === '' ? 'and try again.' : `at ${site}/panel/token`}`;
  return new RelayError(402, message, {
    type: 'insufficient_quota',
    code: whose === 'user_quota' ? 'insufficient_user_quota' : 'insufficient_token_quota',
    headers: noRetry,
  });
}

/** Credits that a call needs: for a short answer, and for the longest that was asked for. */
export interface NeededCredits {
  least: number;
  longest: number;
}

/** The same for a call that needs some credits; the message also says how many, and how many are available. */
export async function insufficientFor(
  { db, live: { settings }, log }: Pick<Deps, 'db' | 'live' | 'log'>,
  whose: Lacking,
  { userId, tokenId }: Caller,
  { least, longest }: NeededCredits,
): Promise<RelayError> {
  const available = await creditsLeft(db, whose, { userId, tokenId }).catch((error: unknown) => {
    log.debug({ err: error }, 'the balance of a refused call was not read');
    return Infinity;
  });
  // Credits may have come back since the refusal.
  if (available >= least) return insufficientQuota(whose, settings);
  const text = (credits: number) => creditsText(credits, settings);
  const needs =
    least < longest ? `at least ${text(least)} (${text(longest)} for the longest answer)` : `up to ${text(longest)}`;
  const why = settings.DisplayInCurrencyEnabled
    ? `: this call needs ${needs} and ${text(available)} is available`
    : `: this call needs ${needs} credits and ${text(available)} are available`;
  return insufficientQuota(whose, settings, why);
}
