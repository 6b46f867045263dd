import { logType, type AttemptKind, type QualityReport } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useRefusalText } from '#domain/refusal/refusal-text.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Figures } from '#ui/chart/figures.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { formatWhole } from '#ui/format/number.ts';
import type { Shown } from './analytics-api.ts';
import { logTimeOf } from './analytics-search.ts';
import { logFiltersOf, logWhose } from './log-link.ts';
import type { Quality } from './use-quality.ts';

const maxHeight = 320;

/** Failed calls by model and cause, and refused calls by reason. */
export function FailureCards({ page, quality }: { page: Shown; quality: Quality }) {
  const { data } = quality;
  // The speed table above says what went wrong.
  if (!data) return null;
  return (
    <div className="grid grid-cols-1 gap-4 max-sm:gap-2 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <Failures page={page} report={data} />
      {page.search.channel_id === 0 || !page.ofHub ? <Refusals page={page} report={data} /> : null}
    </div>
  );
}

interface Props {
  page: Shown;
  report: QualityReport;
}

/** The page's period in the log's address. */
const timeOf = ({ search }: Shown, { points }: QualityReport): string =>
  logTimeOf(search, { first: points[0]?.date.slice(0, 10) ?? '', last: points.at(-1)?.date.slice(0, 10) ?? '' });

function Failures({ page, report }: Props) {
  const { t } = useTranslation('analytics');
  const { failures } = report;
  const byModel = Map.groupBy(failures, ({ model }) => model);
  const sum = (some: readonly { calls: number }[]) => some.reduce((total, { calls }) => total + calls, 0);
  const byKind = [...Map.groupBy(failures, ({ kind }) => nameOf(kind))].toSorted(([, a], [, b]) => sum(b) - sum(a));
  const models = [...byModel].toSorted(([, a], [, b]) => sum(b) - sum(a));
  const row = (some: readonly { kind: AttemptKind; calls: number }[]) => [
    formatWhole(sum(some)),
    ...byKind.map(([name]) => {
      const calls = sum(some.filter(({ kind }) => nameOf(kind) === name));
      return calls === 0 ? '–' : formatWhole(calls);
    }),
  ];
  const time = timeOf(page, report);
  return (
    <Numbers id="analytics-failures" title={t('failedCalls')} total={sum(failures)} nothing={t('noFailures')}>
      <Figures
        label={t('failedCalls')}
        corner={t('grouping.model')}
        columns={[
          { id: 'all', label: t('all'), strong: true },
          ...byKind.map(([name]) => ({ id: name, label: t(`kinds.${name}`) })),
        ]}
        rows={models.map(([model, some]) => ({
          id: model,
          name: model,
          shown: (
            <Link
              to="/panel/log"
              search={{ ...logFiltersOf({ ...page, by: 'model', group: { id: model, name: model } }), failed: 1, time }}
              className="block truncate hover:text-accent hover:underline"
              aria-label={t('openFailures', { name: model })}
              title={model}
            >
              {model}
            </Link>
          ),
          cells: row(some),
        }))}
        feet={models.length > 1 ? [{ id: 'all', name: t('all'), cells: row(failures) }] : []}
        maxHeight={maxHeight}
      />
    </Numbers>
  );
}

/** A failed call whose last attempt went well was broken afterwards. */
const nameOf = (kind: AttemptKind) => (kind === 'ok' ? 'other' : kind);

function Refusals({ page, report }: Props) {
  const { t } = useTranslation('analytics');
  const { named } = useRefusalText();
  const { refusals } = report;
  const total = refusals.reduce((sum, { calls }) => sum + calls, 0);
  const time = timeOf(page, report);
  const { username } = logWhose(page);
  return (
    <Numbers
      id="analytics-refusals"
      title={t('refusedCalls')}
      note={t('refusedText')}
      total={total}
      nothing={t('noRefusals')}
    >
      <ul className="text-13">
        {refusals.map(({ reason, status, calls }) => (
          <li
            key={`${reason} ${status}`}
            className="flex min-h-9 items-center gap-3 border-b border-line last:border-0"
          >
            <span className="w-8 flex-none text-12 text-text2 tabular-nums">{status}</span>
            <Link
              to="/panel/log"
              search={{ log_type: logType.refused, code: reason, time, username }}
              className="min-w-0 flex-1 truncate first-letter:uppercase hover:text-accent hover:underline"
              aria-label={t('openRefused', { reason: named(reason, status) })}
            >
              {named(reason, status)}
            </Link>
            <span className="tabular-nums">{formatWhole(calls)}</span>
          </li>
        ))}
      </ul>
    </Numbers>
  );
}

interface NumbersProps {
  id: string;
  title: string;
  note?: string;
  total: number;
  nothing: string;
  children: ReactNode;
}

function Numbers({ id, title, note, total, nothing, children }: NumbersProps) {
  return (
    <Card aria-labelledby={id} className="min-w-0">
      <CardHead
        id={id}
        title={title}
        aside={
          <>
            <span className="text-14 font-title tabular-nums">{formatWhole(total)}</span>
            {note && <span className="min-w-0 truncate text-13 text-text2">{note}</span>}
          </>
        }
      />
      <div className="px-4 pb-3">{total === 0 ? <EmptyState icon={CircleCheck} title={nothing} /> : children}</div>
    </Card>
  );
}
