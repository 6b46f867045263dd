import {
  type WhatIfGroup,
  type WhatIfGrouping,
  whatIfApi,
  whatIfGroupings,
  type WhatIfRun,
  type WhatIfSums,
} from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { atBase } from '#base-path.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { languageTag } from '#i18n/i18n.ts';
import { apiQuery } from '#api/api-query.ts';
import { addressOf } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatPercent, formatWhole } from '#ui/format/number.ts';

const most = 50;
const head = 'h-8 border-b border-line bg-sunk px-3 text-12 font-normal text-text2 whitespace-nowrap';
const cell = 'h-8.5 border-b border-line px-3 text-right tabular-nums whitespace-nowrap';

/** A report: what was charged and what would be, by model, user, group and channel. */
export function WhatIfReport({ run }: { run: WhatIfRun }) {
  const { t } = useTranslation('whatIf');
  const [by, setBy] = useState<WhatIfGrouping>('model');
  const { data, error } = useQuery({
    ...apiQuery(whatIfApi.get, { params: { id: run.id } }),
    meta: { quiet: true },
  });
  if (error) return <Note tone="bad">{error.message}</Note>;
  if (!data?.report) return <Skeleton width="60%" />;
  const { report } = data;
  const missing = Math.max(0, run.total - run.done);
  const notes = [
    ...(missing > 0 ? [t('missing', { total: formatWhole(missing) })] : []),
    ...(report.unpriced > 0 ? [t('unpriced', { total: formatWhole(report.unpriced) })] : []),
  ];
  return (
    <section aria-label={t('reportOf', { month: run.question.month })} className="grid grid-cols-1 gap-3">
      <dl className="grid grid-cols-1 gap-x-8 gap-y-2 sm:grid-cols-3">
        <Change name={t('charge')} before={report.total.charged} after={report.total.would_charge} />
        <Change name={t('cost')} before={report.total.cost} after={report.total.would_cost} />
        <Change name={t('margin')} before={marginOf(report.total)} after={wouldMargin(report.total)} />
      </dl>
      {notes.length > 0 && <p className="text-12 text-text3">{notes.join(' ')}</p>}
      {(report.by_plans > 0 || report.uncollected > 0) && (
        <p className="flex flex-wrap gap-x-4 text-12 text-text3">
          <span>
            {t('byPlans')} <Money credits={report.by_plans} />
          </span>
          <span>
            {t('uncollected')} <Money credits={report.uncollected} />
          </span>
        </p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Segmented
          label={t('by')}
          value={by}
          options={whatIfGroupings.map((value) => ({ value, label: t(`groupings.${value}`) }))}
          onChange={setBy}
        />
        <Button
          size="sm"
          icon={Download}
          render={
            <a
              href={atBase(addressOf(whatIfApi.download.path, { id: run.id }, { by, language: languageTag() }))}
              download
            />
          }
        >
          {t('download')}
        </Button>
      </div>
      <Groups by={by} groups={report.groups[by]} />
    </section>
  );
}

const marginOf = ({ costed, cost }: WhatIfSums) => costed - cost;
const wouldMargin = ({ would_costed: costed, would_cost: cost }: WhatIfSums) => costed - cost;

function Change({ name, before, after }: { name: string; before: number; after: number }) {
  const { t } = useTranslation('whatIf');
  return (
    <div className="tabular-nums">
      <dt className="text-12 text-text2">{name}</dt>
      <dd className="text-16">
        <Money credits={after} />
        <span className="ml-2 text-13 text-text2">
          {t('instead')} <Money credits={before} />
          {before > 0 &&
            after >= 0 &&
            after !== before &&
            ` · ${after > before ? '+' : ''}${formatPercent(after / before - 1, 1)}`}
        </span>
      </dd>
    </div>
  );
}

function Groups({ by, groups }: { by: WhatIfGrouping; groups: readonly WhatIfGroup[] }) {
  const { t } = useTranslation('whatIf');
  const shown = groups.slice(0, most);
  return (
    <>
      <div
        role="group"
        aria-label={t(`groupings.${by}`)}
        tabIndex={0}
        className="overflow-x-auto rounded-card border border-line"
      >
        <table className="w-full border-separate border-spacing-0 text-13 [&_tr:last-child>*]:border-b-0">
          <thead>
            <tr>
              <th scope="col" className={`${head} text-left`}>
                {t(`groupings.${by}`)}
              </th>
              {(['calls', 'charged', 'wouldCharge', 'cost', 'wouldCost', 'margin', 'wouldMargin'] as const).map(
                (name) => (
                  <th key={name} scope="col" className={`${head} text-right`}>
                    {t(`heads.${name}`)}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((group) => (
              <tr key={group.id}>
                <th scope="row" className={`${cell} w-full max-w-0 min-w-40 text-left! font-normal`}>
                  <MiddleCut text={group.name || (group.id === '' ? t('others') : `#${group.id}`)} />
                </th>
                <td className={cell}>{formatWhole(group.calls)}</td>
                <Credits credits={group.charged} />
                <Credits credits={group.would_charge} strong={group.would_charge !== group.charged} />
                <Credits credits={group.cost} />
                <Credits credits={group.would_cost} strong={group.would_cost !== group.cost} />
                <Credits credits={marginOf(group)} />
                <Credits credits={wouldMargin(group)} strong={wouldMargin(group) !== marginOf(group)} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {groups.length > shown.length && (
        <p className="text-12 text-text3">{t('first', { shown: formatWhole(shown.length) })}</p>
      )}
    </>
  );
}

const Credits = ({ credits, strong = false }: { credits: number; strong?: boolean }) => (
  <td className={cx(cell, strong && 'font-medium', credits < 0 && 'text-bad')}>
    <Money credits={credits} />
  </td>
);
