import {
  channelStatus,
  isFrozen,
  troubleOf,
  type Channel,
  type ChannelHealth,
  type Trouble,
} from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleMinus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#shared/badge.tsx';
import { Card, CardHead } from '#shared/card.tsx';
import { cx } from '#shared/cx.ts';
import { ErrorState } from '#shared/error-state.tsx';
import { HealthStrip, shownRate } from '#shared/health-strip.tsx';
import { Icon } from '#shared/icon.tsx';
import { formatWhole } from '#shared/number.ts';
import { Skeleton } from '#shared/skeleton.tsx';
import { Status, type StatusKind } from '#shared/status.tsx';
import { Tooltip } from '#shared/tooltip.tsx';
import { useNow } from '#shared/use-now.ts';
import { allHours } from './all-hours.ts';
import { channelsQuery, healthQuery } from './dashboard-api.ts';
import { TroubleRow } from './trouble-row.tsx';

const mostTrouble = 3;

/** For administrators: how the channels of everybody are doing, and which ones need a look. */
export function HealthCard() {
  const { t } = useTranslation('dashboard');
  const channels = useQuery(channelsQuery);
  const health = useQuery(healthQuery);
  const now = useNow(60);
  const failed = channels.data ? health : channels;
  const trouble = channels.data && health.data && troubleOf(channels.data, health.data, now);
  const off = !channels.data?.some(({ status }) => status === channelStatus.enabled);
  return (
    <Card aria-labelledby="dashboard-health" className="flex min-w-0 flex-col lg:min-h-87">
      <CardHead id="dashboard-health" title={t('health')} aside={trouble && <TroubleCount count={trouble.length} />}>
        <Link to="/panel/channel" className="touch text-13 text-accent hover:underline">
          {t('allChannels')}
        </Link>
      </CardHead>
      {failed.error && !failed.data ? (
        <ErrorState text={failed.error.message} busy={failed.isFetching} onRetry={() => void failed.refetch()} />
      ) : (
        <>
          <Counts channels={channels.data} now={now} />
          <Day health={health.data} />
          {trouble ? <TroubleList trouble={trouble} off={off} /> : <Bones />}
        </>
      )}
    </Card>
  );
}

/** How many need a look; the list has room for the worst. */
function TroubleCount({ count }: { count: number }) {
  const { t } = useTranslation('dashboard');
  if (count === 0) return null;
  return (
    <Tooltip text={t('trouble', { count })} repeatsName>
      <span role="img" aria-label={t('trouble', { count })}>
        <Badge tone="bad">{count}</Badge>
      </span>
    </Tooltip>
  );
}

const kinds = ['enabled', 'frozen', 'testDisabled', 'disabled'] as const satisfies StatusKind[];

function kindOf(channel: Channel, now: number): (typeof kinds)[number] {
  if (isFrozen(channel, now)) return 'frozen';
  if (channel.status === channelStatus.enabled) return 'enabled';
  return channel.status === channelStatus.testDisabled ? 'testDisabled' : 'disabled';
}

function Counts({ channels, now }: { channels: readonly Channel[] | undefined; now: number }) {
  return (
    <ul className="flex flex-wrap justify-between gap-2 px-4 pt-1 sm:max-lg:justify-start sm:max-lg:gap-x-12">
      {kinds.map((kind) => {
        const count = channels?.filter((channel) => kindOf(channel, now) === kind).length;
        return (
          <li key={kind} className="min-w-0">
            <p className="h-7 text-20 font-medium tabular-nums">
              {count === undefined ? <Skeleton width={28} /> : formatWhole(count)}
            </p>
            {/* No alarm where there is nothing. */}
            <span className={cx('[&_span]:text-12!', count === 0 && 'grayscale')}>
              <Status kind={kind} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** The last 24 hours of all channels together. */
function Day({ health }: { health: readonly ChannelHealth[] | undefined }) {
  const { t } = useTranslation('dashboard');
  const now = useNow(60);
  const bars = allHours(health ?? [], now);
  const rate = shownRate(bars);
  return (
    <div className="px-4 pt-3 pb-3">
      <HealthStrip
        wide
        bars={bars}
        rate={false}
        barName={(bar) =>
          t('hour', { time: bar.time, requests: formatWhole(bar.requests), failures: formatWhole(bar.failures) })
        }
      />
      <p className="mt-2 flex justify-between gap-2 text-12 text-text2 tabular-nums">
        <span>{t('dayAgo')}</span>
        {health && <span>{rate === undefined ? t('noRequests') : t('successRate', { rate })}</span>}
        <span>{t('now')}</span>
      </p>
    </div>
  );
}

function TroubleList({ trouble, off }: { trouble: Trouble[]; off: boolean }) {
  if (trouble.length === 0) return <Well off={off} />;
  return (
    <ul>
      {trouble.slice(0, mostTrouble).map((each) => (
        <TroubleRow key={each.channel.id} trouble={each} />
      ))}
    </ul>
  );
}

function Well({ off }: { off: boolean }) {
  const { t } = useTranslation('dashboard');
  return (
    <div className="flex flex-1 flex-col items-center justify-center border-t border-line px-4 py-6 text-center">
      <Icon of={off ? CircleMinus : CircleCheck} size={18} className={off ? 'text-text2' : 'text-ok'} />
      <p className="mt-2 font-title">{t(off ? 'allOff' : 'well')}</p>
      <p className="mt-0.5 text-13 text-text2">{t(off ? 'allOffText' : 'wellText')}</p>
    </div>
  );
}

function Bones() {
  return (
    <div>
      {['54%', '42%', '48%'].map((width) => (
        <div key={width} className="flex h-13.5 flex-col justify-center gap-2.5 border-t border-line px-4">
          <Skeleton width={width} />
          <Skeleton width="70%" />
        </div>
      ))}
    </div>
  );
}
