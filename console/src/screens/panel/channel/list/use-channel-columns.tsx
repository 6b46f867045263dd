import { type Channel, type ChannelHealth, splitList } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { type HealthBar, HealthStrip } from '#domain/channel/health-strip.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { formatDateTime, formatTimeOfDay } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useChannelTypes } from '#api/channel-types.ts';
import { channelHealth } from '#screens/panel/channel/channel-api.ts';
import { ChannelName } from './channel-name.tsx';
import { ChannelStatus } from './channel-status.tsx';
import { balanceText, latencyText } from '#screens/panel/channel/checks/channel-test-state.ts';
import { cx } from '#ui/basic/cx.ts';
import { Money } from '#ui/format/money.tsx';
import { saveNumber } from '#screens/panel/channel/checks/lazy-channel-actions.ts';

// The number shows at once; its editor loads after the list.
const NumberCell = lazy(async () => ({ default: (await import('./number-cell.tsx')).NumberCell }));

const lowest = { priority: 0, weight: 1 };

interface Props {
  channel: Channel;
  field: keyof typeof lowest;
}

/** A channel's number, editable in its row. A refused edit restores the old value. */
function ChannelNumberCell({ channel, field }: Props) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  return (
    <Suspense fallback={channel[field]}>
      <NumberCell
        label={t('number.of', { field: t(field), name: channel.name })}
        field={t(field)}
        value={channel[field]}
        lowest={lowest[field]}
        onSave={(value) => void saveNumber(client, channel, field, value)}
      />
    </Suspense>
  );
}

/** The title of a channel type; empty until loaded. */
export function useTypeTitle(): (type: number) => string {
  const types = useChannelTypes();
  return useMemo(() => (type) => types?.get(type)?.title ?? (types ? `#${type}` : ''), [types]);
}

/** The last 24 hours of a channel by id, for a `HealthStrip`. */
export function useHealth(): (id: number) => HealthBar[] {
  const { data, dataUpdatedAt } = useQuery(channelHealth);
  return useMemo(() => {
    const byId = new Map(data?.map((health) => [health.channel_id, barsOf(health, dataUpdatedAt / 1000)]));
    return (id) => byId.get(id) ?? [];
  }, [data, dataUpdatedAt]);
}

function barsOf({ hours }: ChannelHealth, now: number): HealthBar[] {
  const thisHour = now - (now % 3600);
  return hours.map((hour, index) => ({
    ...hour,
    time: formatTimeOfDay(thisHour - (hours.length - 1 - index) * 3600).slice(0, 5),
  }));
}

export function useChannelColumns(): readonly Column<Channel>[] {
  const { t } = useTranslation('channel');
  const typeTitle = useTypeTitle();
  const healthOf = useHealth();
  return useMemo(
    () => [
      {
        id: 'name',
        head: t('channel'),
        least: 240,
        sortable: true,
        hideable: false,
        cell: (row) => <ChannelName channel={row} typeTitle={typeTitle(row.type)} />,
      },
      { id: 'status', head: t('status'), width: 204, sortable: true, cell: (row) => <ChannelStatus channel={row} /> },
      { id: 'health', head: t('health'), width: 196, cell: ({ id }) => <HealthStrip bars={healthOf(id)} /> },
      {
        id: 'response_time',
        head: t('latency'),
        width: 80,
        align: 'right',
        sortable: true,
        descFirst: true,
        cell: (row) => <Latency channel={row} />,
      },
      {
        id: 'used_quota',
        head: t('used'),
        width: 110,
        align: 'right',
        sortable: true,
        descFirst: true,
        cell: (row) => <ChannelMoney channel={row} />,
      },
      {
        id: 'group',
        head: t('groups'),
        width: 120,
        hidden: true,
        sortable: true,
        cell: (row) => <Groups channel={row} />,
      },
      {
        id: 'priority',
        head: t('priority'),
        width: 68,
        align: 'right',
        sortable: true,
        descFirst: true,
        overflow: true,
        cell: (row) => <ChannelNumberCell channel={row} field="priority" />,
      },
      {
        id: 'weight',
        head: t('weight'),
        width: 62,
        align: 'right',
        sortable: true,
        descFirst: true,
        overflow: true,
        cell: (row) => <ChannelNumberCell channel={row} field="weight" />,
      },
    ],
    [t, typeTitle, healthOf],
  );
}

/** Duration of the last successful test. */
export function Latency({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const { response_time: ms, test_time: at } = channel;
  if (ms === 0)
    return (
      <Tooltip text={t('notTested')} repeatsName>
        <span className="text-text2">
          <span className="sr-only">{t('notTested')}</span>
          <span aria-hidden>–</span>
        </span>
      </Tooltip>
    );
  return (
    <Tooltip text={t('testedAt', { time: formatDateTime(at) })}>
      <span className={ms > 30_000 ? 'text-bad' : ms > 5000 ? 'text-warn' : undefined}>{latencyText(ms)}</span>
    </Tooltip>
  );
}

function Groups({ channel }: { channel: Channel }) {
  const text = splitList(channel.group).join(', ');
  return (
    <Tooltip text={text.length > 14 ? text : ''} repeatsName>
      <span className="text-text2">{text}</span>
    </Tooltip>
  );
}

/** Spending through the channel, with its account balance where known. */
function ChannelMoney({ channel }: { channel: Channel }) {
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
