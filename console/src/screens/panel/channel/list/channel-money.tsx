import type { Channel } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Money } from '#ui/format/money.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { balanceText } from '#screens/panel/channel/checks/channel-test-state.ts';

/** Spending through the channel, with its account balance where known. */
export function ChannelMoney({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const { used_quota: used, balance_updated_time: at } = channel;
  if (at === 0) return <Money credits={used} />;
  return (
    <span className="grid justify-items-end leading-[18px]">
      <Money credits={used} />
      <Tooltip text={t('balance.updated', { time: formatDateTime(at) })}>
        <span className={channel.balance > 0 ? 'text-12 text-text2' : 'text-12 text-bad'}>
          {t('left', { amount: balanceText(channel) })}
        </span>
      </Tooltip>
    </span>
  );
}
