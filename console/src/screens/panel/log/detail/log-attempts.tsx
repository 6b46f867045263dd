import type { Attempt, Log } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import { formatPlain } from '#ui/format/number.ts';
import { Status } from '#ui/feedback/status.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { attemptsOf, formatDuration } from '#screens/panel/log/log-row.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { messageOf, useFailureText } from './use-failure-text.ts';

const legend = [
  ['waiting', 'bg-series-other'],
  ['answering', 'bg-accent'],
  ['failing', 'bg-bad-g'],
] as const;

/** Causes shown as text: status and upstream error may not reveal these, but do reveal the others. */
const namedCauses = ['key', 'billing', 'route', 'content', 'ours'] as const;

/** The attempts at channels, in order on one time axis. */
export function LogAttempts({ row }: { row: Log }) {
  const { t } = useTranslation('log');
  const phone = useIsPhone();
  const attempts = attemptsOf(row);
  const endMs = Math.max(1, row.request_time, ...attempts.map(({ start, ms }) => start + ms));
  const parts = attempts.map((attempt, index) => ({
    key: `${attempt.channel_id} ${attempt.start}`,
    attempt,
    name: attempt.channel_name || t('attemptNumber', { number: index + 1 }),
  }));
  if (phone)
    return (
      <DetailSection title={t('attemptsTitle')}>
        <ol className="divide-y divide-line rounded-card border border-line bg-card px-4">
          {parts.map(({ key, attempt, name }) => (
            <li key={key} className="py-2.5">
              <div className="flex gap-3">
                <span className="flex min-w-0 flex-1 items-center gap-2">
                  <AttemptTile attempt={attempt} name={name} />
                  <span className="truncate">{name}</span>
                </span>
                <span className="text-13 text-text2 tabular-nums">{formatDuration(attempt.ms)}</span>
              </div>
              <Bar attempt={attempt} endMs={endMs} className="my-1.5 h-2 rounded-full bg-fill" />
              <Outcome row={row} attempt={attempt} />
            </li>
          ))}
        </ol>
      </DetailSection>
    );
  return (
    <DetailSection title={t('attemptsTitle')} aside={<Legend />}>
      <div className="relative pb-5">
        <Axis endMs={endMs} />
        <ol>
          {parts.map(({ key, attempt, name }) => (
            <li key={key} className="relative flex py-1">
              <span className="flex w-43 flex-none items-center gap-2 self-start pr-3 text-13">
                <AttemptTile attempt={attempt} name={name} />
                <span className="min-w-0 truncate">{name}</span>
              </span>
              <div className="min-w-0 flex-1">
                <Bar attempt={attempt} endMs={endMs} className="my-1 h-2.5" />
                <div className="flex items-start gap-2 bg-float text-12">
                  <Outcome row={row} attempt={attempt} />
                  <span className="ml-auto flex-none leading-[18px] text-text3 tabular-nums">
                    {formatDuration(attempt.ms)}
                  </span>
                </div>
              </div>
            </li>
          ))}
        </ol>
      </div>
    </DetailSection>
  );
}

/** Users see no channels. */
const AttemptTile = ({ attempt: { channel_id: id, channel_type: type }, name }: { attempt: Attempt; name: string }) =>
  id === 0 ? null : <ChannelTile type={type} name={name} size={20} />;

function Legend() {
  const { t } = useTranslation('log');
  return (
    <span className="flex items-center gap-3 text-text2">
      {legend.map(([name, colour]) => (
        <span key={name} className="flex items-center gap-1.25">
          <span aria-hidden className={cx('size-2 rounded-[2px]', colour)} />
          {t(name)}
        </span>
      ))}
    </span>
  );
}

/** About three even ticks, in seconds or, below a tenth of one, in milliseconds. */
function Axis({ endMs }: { endMs: number }) {
  const step = stepOf(endMs);
  // The end has its own label at the right; ticks that would overlap it are left out.
  const marks = Array.from({ length: Math.ceil(endMs / step) }, (_, index) => index * step).filter(
    (ms) => ms < endMs * 0.84,
  );
  const text = (ms: number) => (endMs < 100 ? `${formatPlain(ms)} ms` : `${formatPlain(ms / 1000, 2)} s`);
  return (
    <div aria-hidden className="pointer-events-none absolute inset-y-0 right-0 left-43 text-12 text-text3 tabular-nums">
      {marks.map((ms) => (
        <span key={ms} className="absolute inset-y-0" style={{ left: `${(ms / endMs) * 100}%` }}>
          <span className={cx('absolute top-0 bottom-4.5 border-l border-line', ms > 0 && 'border-dashed')} />
          <span className={cx('absolute bottom-0 whitespace-nowrap', ms > 0 && '-translate-x-1/2')}>{text(ms)}</span>
        </span>
      ))}
      <span className="absolute right-0 bottom-0">{text(endMs)}</span>
    </div>
  );
}

function stepOf(endMs: number): number {
  const rough = endMs / 3;
  const size = 10 ** Math.floor(Math.log10(rough));
  return size * ([1, 2, 5].find((each) => each * size >= rough) ?? 10);
}

function Bar({ attempt, endMs, className }: { attempt: Attempt; endMs: number; className: string }) {
  const share = (ms: number) => `${(ms / endMs) * 100}%`;
  return (
    <div aria-hidden className={cx('relative', className)}>
      {spans(attempt).map(({ from, ms, colour }) => (
        <span
          key={colour}
          className={cx('absolute inset-y-0 min-w-1 rounded-[3px]', colour)}
          style={{ left: `min(${share(from)}, 100% - 4px)`, width: share(ms) }}
        />
      ))}
    </div>
  );
}

/** Waiting until the first byte, then output; a failed attempt is one span. */
function spans({ start, ms, first_byte: first, result, status }: Attempt) {
  const [waiting, answering, failing] = legend.map(([, colour]) => colour) as [string, string, string]; // the legend has these three
  const ok = result === 'ok';
  if (first === undefined || (!ok && status !== 200)) return [{ from: start, ms, colour: ok ? waiting : failing }];
  return [
    { from: start, ms: first, colour: waiting },
    { from: start + first, ms: ms - first, colour: ok ? answering : failing },
  ];
}

function Outcome({ row, attempt }: { row: Log; attempt: Attempt }) {
  const { t } = useTranslation('log');
  const failure = useFailureText();
  const ok = attempt.result === 'ok';
  const done = row.metadata?.outcome === 'client_gone' ? 'doneGone' : row.is_stream ? 'doneStream' : 'done';
  const message = messageOf(attempt);
  const cause = namedCauses.find((each) => each === attempt.cause);
  const parts = [
    attempt.status > 0 && failure.reason(attempt),
    message,
    cause && t(`cause_${cause}`),
    attempt.next && t(`next_${attempt.next}`),
  ];
  return (
    <span className="flex min-w-0 items-start gap-1.5 max-sm:text-13">
      <span className="flex-none">
        <Status
          kind={ok ? 'answered' : 'failed'}
          text={attempt.status > 0 ? attempt.status : failure.reason(attempt)}
        />
      </span>
      <span className="min-w-0 leading-[18px] break-words text-text2">
        {[
          attempt.model,
          attempt.probe === true && t('probe'),
          attempt.affinity && t(`affinity_${attempt.affinity}`),
          attempt.preferred && t(`preferred_${attempt.preferred}`),
          ...(ok ? [t(done)] : parts),
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </span>
  );
}
