import type { Invitations } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMoney } from '#ui/format/money.ts';
import { formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';

/** Rewards earned so far, rewards of the next invitation for both sides, and their due time. */
export function InviteText({ of: { invited, earned, inviter_reward, invitee_reward } }: { of: Invitations }) {
  const { t } = useTranslation('topup');
  const format = useSiteFormat();
  const money = (credits: number) => formatMoney(credits, format);
  const count = formatWhole(invited);
  return (
    <>
      {earned > 0 ? t('invitedEarned', { count, amount: money(earned) }) : t('invited', { count })}
      {inviter_reward > 0 && <> {t('inviterReward', { amount: money(inviter_reward) })}</>}
      {invitee_reward > 0 && <> {t('inviteeReward', { amount: money(invitee_reward) })}</>}
    </>
  );
}
