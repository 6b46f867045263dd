import {
  byTrouble,
  type Channel,
  type ChannelHealth,
  channelStatus,
  type ChannelTrouble,
  failedShare,
} from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleMinus } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Badge } from '#ui/basic/badge.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { HealthStrip, SuccessRate, sumOf } from '#domain/channel/health-strip.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { formatPercent, formatWhole } from '#ui/format/number.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Status, type StatusKind } from '#ui/feedback/status.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import { Button } from '#ui/basic/button.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { hourlyHealth } from './hourly-health.ts';
import { channelsQuery, healthQuery } from './dashboard-api.ts';
import { useTestChannel } from './use-test-channel.ts';

const mostTrouble = 3;

/** For administrators: health of all channels, with those that need attention. */
export function HealthCard() {
  const { t } = useTranslation('dashboard');
  const channels = useQuery(channelsQuery);
  const health = useQuery(healthQuery);
  const failed = channels.data ? health : channels;
  const trouble = channels.data?.filter(isTroubled).toSorted(byTrouble);
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
          <Counts channels={channels.data} />
          <Day health={health.data} />
          {trouble ? <TroubleList trouble={trouble} off={off} /> : <Bones />}
        </>
      )}
    </Card>
  );
}

/** Number of channels that need attention; the list shows the worst. */
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

const isTroubled = (channel: Channel): channel is TroubledChannel => channel.trouble !== null;

const kinds = ['enabled', 'failing', 'frozen', 'testDisabled', 'disabled'] as const satisfies StatusKind[];
const kindsOfTrouble = { failing: 'failing', frozen: 'frozen', switched_off: 'testDisabled' } as const;

/** Exactly one status per channel, so that the counts add up. */
function kindOf({ status, trouble }: Channel): (typeof kinds)[number] {
  if (trouble) return kindsOfTrouble[trouble.kind];
  return status === channelStatus.enabled ? 'enabled' : 'disabled';
}

function Counts({ channels }: { channels: readonly Channel[] | undefined }) {
  return (
    <ul className="flex flex-wrap justify-between gap-2 px-4 pt-1 sm:max-lg:justify-start sm:max-lg:gap-x-12">
      {kinds.map((kind) => {
        const count = channels?.filter((channel) => kindOf(channel) === kind).length;
        // There is no room for all five, and these two are mostly zero.
        if (!count && (kind === 'frozen' || kind === 'testDisabled')) return null;
        return (
          <li key={kind} className="min-w-0">
            <p className="h-7 text-20 font-medium tabular-nums">
              {count === undefined ? <Skeleton width={28} /> : formatWhole(count)}
            </p>
            {/* No alarming colour at zero. */}
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
  const bars = hourlyHealth(health ?? [], now);
  const tries = sumOf(bars);
  return (
    <div className="px-4 pt-3 pb-3">
      <HealthStrip wide bars={bars} />
      <p className="mt-2 flex justify-between gap-2 text-12 text-text2 tabular-nums">
        <span>{t('dayAgo')}</span>
        {health &&
          (tries.requests === 0 ? (
            <span>{t('noRequests')}</span>
          ) : (
            <SuccessRate of={tries} text={(shown) => t('successRate', { rate: shown })} />
          ))}
        <span>{t('now')}</span>
      </p>
    </div>
  );
}

function TroubleList({ trouble, off }: { trouble: TroubledChannel[]; off: boolean }) {
  if (trouble.length === 0) return <Well off={off} />;
  return (
    <ul>
      {trouble.slice(0, mostTrouble).map((each) => (
        <TroubleRow key={each.id} channel={each} />
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

type TroubledChannel = Channel & { trouble: ChannelTrouble };

/** An unhealthy channel with the reason and a test button. */
function TroubleRow({ channel }: { channel: TroubledChannel }) {
  const { t } = useTranslation('dashboard');
  const test = useTestChannel();
  const { trouble, last_error: error, last_error_time: at } = channel;
  const share = failedShare(trouble);
  const failing = trouble.kind === 'failing';
  const failed = share > 0 ? t('erringShare', { share: formatPercent(share, 0), minutes: trouble.minutes }) : '';
  const reason = (failing && failed) || error || failed || t('noReason');
  const detail = error && at > 0 ? [failed, `${formatDateTime(at)} ${error}`].filter(Boolean).join(' · ') : reason;
  const kind = failing ? (share > 0 ? 'failing' : 'doubtful') : trouble.kind === 'frozen' ? 'frozen' : 'testDisabled';
  return (
    <li className="flex min-h-13.5 items-center gap-3 border-t border-line py-1.5 pr-3 pl-4">
      <ChannelTile type={channel.type} name={channel.name} />
      <div className="min-w-0 flex-1">
        <MiddleCut text={channel.name} className="text-13" />
        <div className="flex min-w-0 items-center gap-2">
          <span className="flex flex-none">
            <Status kind={kind} />
          </span>
          <Tooltip text={detail}>
            <span className="truncate text-13 text-text2">{reason}</span>
          </Tooltip>
        </div>
      </div>
      <Button
        size="sm"
        busy={test.isPending}
        saves
        aria-label={t('testOf', { name: channel.name })}
        onClick={() => test.mutate(channel)}
      >
        {t('test')}
      </Button>
    </li>
  );
}
