import type { Language } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { redeem } from '#features/redemption/redeem.ts';
import { withoutGuessing } from '#features/redemption/redeem-throttle.ts';
import { errorText } from '#i18n/language.ts';
import { creditsText } from '#quota/credits-text.ts';
import type { BoundAccount } from '../bound-account.ts';
import { filled } from '../telegram-texts.ts';
import { serverTexts } from '#i18n/texts.ts';

const LONGEST_CODE = 200;

/** Redeems a code for an account, with the limits of the site. Returns the reply. */
export async function redeemFor(
  { db, limiter, live, now }: Pick<Deps, 'db' | 'limiter' | 'live' | 'now'>,
  user: BoundAccount,
  code: string,
  language: Language,
): Promise<string> {
  const { settings } = live;
  try {
    // Telegram hides addresses, so all of its users share none.
    const credits = await withoutGuessing(limiter, { userId: user.id, ip: `telegram:${user.id}` }, () =>
      redeem(db, code.slice(0, LONGEST_CODE), { user, ip: '', language }, { now: now(), live }),
    );
    return filled(serverTexts(language).bot.redeemed, { credits: creditsText(credits, settings) });
  } catch (error) {
    if (error instanceof AppError) return errorText(error, language);
    throw error;
  }
}
