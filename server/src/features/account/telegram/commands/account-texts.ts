import type { Deps } from '#deps.ts';
import { affCodeOf } from '#features/account/register/invitations.ts';
import { creditsText } from '#quota/credits-text.ts';
import type { Settings } from '#settings.ts';
import type { BoundAccount } from '../bound-account.ts';
import { filled } from '../telegram-texts.ts';
import type { BotTexts } from '#i18n/text-types.ts';

type Texts = BotTexts;

export const balanceText = (
  { username, group, quota, used_quota }: BoundAccount,
  settings: Settings,
  texts: Texts,
): string =>
  filled(texts.balance, {
    name: username,
    group,
    balance: creditsText(quota, settings),
    used: creditsText(used_quota, settings),
  });

/** The invitation code, and the link if the address of the site is known. */
export async function inviteText(
  { db, live }: Pick<Deps, 'db' | 'live'>,
  { id }: BoundAccount,
  texts: Texts,
): Promise<string> {
  const code = await affCodeOf(db, id);
  const { ServerAddress: site } = live.settings;
  const link = site === '' ? '–' : `${site}/register?aff=${encodeURIComponent(code)}`;
  return filled(texts.invite, { code, link });
}
