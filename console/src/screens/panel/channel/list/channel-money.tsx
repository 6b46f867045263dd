import type { Channel } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Money } from '#ui/format/money.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { balanceText } from '#screens/panel/channel/checks/channel-test-state.ts';

/** Spending through the channel, with its account balance where known. */
export function ChannelMoney({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const { used_quota: used, balance, balance_updated_time: at, balance_error: reason } = channel;
  if (at === 0) return <Money credits={used} />;
  const [time, amount] = [formatDateTime(at), balanceText(channel)];
  const isStale = reason !== '';
  const tone = isStale ? 'text-text3' : balance > 0 ? 'text-text2' : 'text-bad';
  return (
    <span className="grid justify-items-end leading-[18px]">
      <Money credits={used} />
      <Tooltip text={isStale ? t('balance.since', { time, reason }) : t('balance.updated', { time })}>
        <span className={cx('text-12', tone)}>{isStale ? t('balance.stale', { amount }) : t('left', { amount })}</span>
      </Tooltip>
    </span>
  );
}
