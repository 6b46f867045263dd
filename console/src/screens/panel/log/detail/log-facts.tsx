import type { Log } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import type { Translate } from '#i18n/t.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Money } from '#ui/format/money.tsx';
import { formatFixed, formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Status } from '#ui/feedback/status.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { attemptsOf, firstOf, formatDuration, speedOf } from '#screens/panel/log/log-row.ts';

interface Fact {
  id: string;
  name: string;
  value: ReactNode;
  note?: string | undefined;
}

export function LogFacts({ row }: { row: Log }) {
  const phone = useIsPhone();
  const [cost, ...times] = useFacts(row);
  if (!phone) return <FactGrid facts={[cost, ...times]} />;
  return (
    <>
      <div className="flex items-center gap-3 pb-2.5">
        <span className="flex-1 text-26 font-medium tabular-nums">{cost.value}</span>
        <CallStatus row={row} />
      </div>
      <dl className="grid grid-cols-3 gap-3 border-y border-line py-2.5 tabular-nums">
        {times.map(({ id, name, value }) => (
          <div key={id}>
            <dt className="text-12 text-text2">{name}</dt>
            <dd className="text-16">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function FactGrid({ facts }: { facts: Fact[] }) {
  return (
    <dl className="grid grid-cols-4 rounded-card border border-line tabular-nums">
      {facts.map(({ id, name, value, note }) => (
        <div key={id} className="min-w-0 border-l border-line px-3.5 py-2.5 first:border-l-0">
          <dt className="text-12 text-text2">{name}</dt>
          <dd>
            <span className="block text-18 font-medium">{value}</span>
            <span className="block truncate text-12 text-text3">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function useFacts(row: Log): [Fact, ...Fact[]] {
  const { t } = useTranslation('log');
  const { inCurrency } = useSiteFormat();
  const attempts = attemptsOf(row);
  const firstByteMs = firstOf(row);
  const speed = speedOf(row);
  return [
    {
      id: 'cost',
      name: t('cost'),
      value: <Money credits={row.quota} exact />,
      note: inCurrency ? t('credits', { amount: formatWhole(row.quota) }) : undefined,
    },
    {
      id: 'total',
      name: t('total'),
      value: row.request_time > 0 ? formatDuration(row.request_time) : '—',
      note: attempts.length > 0 ? t('attempts', { count: attempts.length }) : undefined,
    },
    {
      id: 'first',
      name: t('firstByte'),
      value: firstByteMs === undefined ? '—' : formatDuration(firstByteMs),
      note: firstByteNote(row, t),
    },
    {
      id: 'speed',
      name: t('rate'),
      value: speed ? t('rateValue', { rate: formatFixed(speed.rate, speed.rate < 1000 ? 1 : 0) }) : '—',
      note: speed
        ? t('rateOver', { time: formatDuration(speed.ms), tokens: formatWhole(row.completion_tokens) })
        : firstByteMs !== undefined && row.completion_tokens > 0
          ? t('tooShort')
          : undefined,
    },
  ];
}

/** Why there is no time to the first byte, or how long earlier attempts took. */
function firstByteNote(row: Log, t: Translate<'log'>): string | undefined {
  if (firstOf(row) === undefined) return row.is_stream ? undefined : t('notStream');
  const attempts = attemptsOf(row);
  const lastAttemptStart = attempts.at(-1)?.start ?? 0;
  return attempts.length > 1 ? t('waited', { time: formatDuration(lastAttemptStart) }) : undefined;
}

export function CallStatus({ row }: { row: Log }) {
  const outcome = row.metadata?.outcome;
  return outcome && <Status kind={outcome} />;
}
