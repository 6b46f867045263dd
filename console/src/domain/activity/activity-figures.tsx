import type { Activity, SpeedQuantiles } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { SuccessRate } from '#domain/channel/health-strip.tsx';
import { Money } from '#ui/format/money.tsx';
import { abbreviate, fewCalls, formatPercent, formatQuantile, formatWhole } from '#ui/format/number.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';

interface Props {
  activity: Activity;
  attempts: boolean;
  allTime?: number | undefined;
}

export function ActivityFigures({ activity, attempts, allTime }: Props) {
  const { t } = useTranslation('activity');
  const { tries, total, speed } = activity;
  // Only administrators receive costs.
  const { cost = 0, costed = 0 } = total;
  const counts = { total: formatWhole(tries.requests), failed: formatWhole(tries.failures) };
  return (
    <dl className="grid grid-cols-6 rounded-card border border-line tabular-nums max-sm:grid-cols-2">
      <Figure
        name={t(attempts ? 'attemptsOk' : 'callsOk')}
        value={<SuccessRate of={tries} />}
        note={tries.requests > 0 ? t('failedOf', counts) : ''}
      />
      <Figure
        name={t(attempts ? 'answered' : 'calls')}
        value={formatWhole(attempts ? total.requests - total.failures : total.requests)}
        note={
          attempts
            ? t('alsoFailed', { failed: formatWhole(total.failures) })
            : t('tokens', { tokens: abbreviate(total.prompt_tokens + total.completion_tokens) })
        }
      />
      <Time name={t('firstToken')} times={speed.first_token} />
      <Time name={t('duration')} times={speed.duration} />
      <Figure
        name={t('fromCache')}
        value={total.cache_input > 0 ? formatPercent(total.cache_read / total.cache_input) : '–'}
        note={
          total.cache_saved !== 0 && (
            <TextWithElements
              text={t(total.cache_saved > 0 ? 'cacheSaved' : 'cacheCost')}
              parts={{ amount: <Money credits={Math.abs(total.cache_saved)} /> }}
            />
          )
        }
      />
      <Figure
        name={t('cost')}
        value={<Money credits={total.quota} />}
        note={
          cost > 0 || costed > 0 ? (
            <TextWithElements text={t('marginOf')} parts={{ margin: <Money credits={costed - cost} /> }} />
          ) : (
            allTime !== undefined && (
              <TextWithElements text={t('inTotal')} parts={{ amount: <Money credits={allTime} /> }} />
            )
          )
        }
      />
    </dl>
  );
}

function Time({ name, times: { calls, p50, p95 } }: { name: string; times: SpeedQuantiles }) {
  const { t } = useTranslation(['activity', 'shared']);
  if (calls > 0 && calls < fewCalls)
    return <Figure name={name} value="–" note={t('shared:onlyCalls', { count: calls, total: formatWhole(calls) })} />;
  return (
    <Figure
      name={name}
      value={p50 === null ? '–' : formatQuantile(p50)}
      note={p95 === null ? t('notMeasured') : t('p95', { time: formatQuantile(p95) })}
    />
  );
}

function Figure({ name, value, note }: { name: string; value: ReactNode; note: ReactNode }) {
  return (
    <div className="min-w-0 border-l border-line px-3.5 py-2.5 first:border-l-0 max-sm:border-t max-sm:odd:border-l-0 max-sm:nth-[-n+2]:border-t-0">
      <dt className="truncate text-12 text-text2">{name}</dt>
      <dd>
        <span className="block truncate text-18 font-medium">{value}</span>
        <span className="block text-12/4 break-words text-text3">{note}</span>
      </dd>
    </div>
  );
}
