import type { Invitations } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMoney } from '#ui/format/money.ts';
import { formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';

/** Rewards of the next invitation for both sides, those earned so far, and what pending ones wait for. */
export function InviteText({
  of: { invited, earned, waiting, inviter_reward: reward, invitee_reward: theirs },
}: {
  of: Invitations;
}) {
  const { t } = useTranslation('invite');
  const format = useSiteFormat();
  const money = (credits: number) => formatMoney(credits, format);
  const count = formatWhole(invited);
  const sentences = [
    reward > 0 && t('get', { amount: money(reward) }),
    theirs > 0 && t('give', { amount: money(theirs) }),
    earned > 0 ? t('countsEarned', { count, amount: money(earned) }) : invited > 0 && t('counts', { count }),
  ];
  return (
    <>
      <span className="text-text2">{sentences.filter(Boolean).join(' ').replaceAll('。 ', '。')}</span>
      {waiting > 0 && reward > 0 && <p className="mt-0.5 text-13 text-text2">{t('waiting', { count: waiting })}</p>}
    </>
  );
}
