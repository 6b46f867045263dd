import { channelStatus, failedShare, type Channel, type ChannelTrouble } from '@relay-hub/contract';
import { lazy, Suspense, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatPercent } from '#ui/format/number.ts';
import { Status, type StatusKind } from '#ui/feedback/status.tsx';
import { Countdown } from '#ui/format/time.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { latencyText } from '#screens/panel/channel/checks/channel-test-state.ts';

const LimitUse = lazy(() => import('./limit-use.tsx'));

const kinds: Record<number, StatusKind> = {
  [channelStatus.enabled]: 'enabled',
  [channelStatus.disabled]: 'disabled',
  [channelStatus.testDisabled]: 'testDisabled',
};

export const statusKind = (status: number): StatusKind => kinds[status] ?? 'unknown';

/** Latency in milliseconds above which an answer is slow. */
const slowMs = 5000;

const isSlow = ({ status, response_time: ms }: Channel): boolean => status === channelStatus.enabled && ms > slowMs;

/** Whether the channel has a problem that no administrator caused. */
export const inTrouble = ({ status, trouble }: Channel): boolean =>
  trouble !== null && status !== channelStatus.disabled;

/** State of a channel with its upstream's last error below. A successful test clears the error. */
export function ChannelStatus({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const { last_error: error, key_count: count, keys_off: off } = channel;
  const keys = off > 0 ? t('keysOff', { off, count }) : undefined;
  const limits = channel.limit_use.length > 0 && (
    <Suspense>
      <LimitUse uses={channel.limit_use} />
    </Suspense>
  );
  return (
    <ChannelState
      channel={channel}
      detail={
        error === '' ? (
          limits ? (
            <>
              {keys && <>{keys} · </>}
              {limits}
            </>
          ) : (
            keys
          )
        ) : (
          <LastError channel={channel} />
        )
      }
    />
  );
}

/** The state alone: frozen, failing and slow channels are enabled but unhealthy. */
export function ChannelState({ channel, detail }: { channel: Channel; detail?: ReactNode }) {
  const { t } = useTranslation('channel');
  const { status, frozen_until: until, response_time: ms, trouble } = channel;
  if (until > 0 && status === channelStatus.enabled) return <Frozen channel={channel} detail={detail} />;
  if (trouble?.kind === 'failing' && status === channelStatus.enabled) return <Failing {...{ trouble, detail }} />;
  if (isSlow(channel))
    return (
      <Tooltip text={t('slow', { time: latencyText(ms) })}>
        <Status kind="slow" detail={detail} />
      </Tooltip>
    );
  return <Status kind={statusKind(status)} detail={detail} />;
}

/** Share of failed attempts while the channel still gets calls. */
function Failing({ trouble, detail }: { trouble: ChannelTrouble; detail: ReactNode }) {
  const { t } = useTranslation('shared');
  const share = failedShare(trouble);
  return (
    <Status
      kind={share > 0 ? 'failing' : 'doubtful'}
      {...(share > 0 && { text: t('failingShare', { share: formatPercent(share, 0), minutes: trouble.minutes }) })}
      detail={
        <>
          {t('statusEnabled')}
          {detail !== undefined && <> · {detail}</>}
        </>
      }
    />
  );
}

/** Until the freeze ends; the server sends no event for that. */
function Frozen({ channel, detail }: { channel: Channel; detail: ReactNode }) {
  const { frozen_until: until, status } = channel;
  const over = useNow(1) >= until;
  if (over) return <Status kind={statusKind(status)} detail={detail} />;
  return <Status kind="frozen" note={<Countdown until={until} />} detail={detail} />;
}

/** The upstream's error; the tooltip has its full text and time. */
export function LastError({ channel }: { channel: Channel }) {
  const { last_error: text, last_error_time: at } = channel;
  return (
    <Tooltip text={`${text} · ${formatDateTime(at)}`}>
      <span className={inTrouble(channel) ? 'text-bad' : undefined}>{text}</span>
    </Tooltip>
  );
}
