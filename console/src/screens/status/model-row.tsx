import type { StatusModel } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useSite } from '#api/site.ts';
import { useModelOwners } from '#api/model-owners.ts';
import { ModelName } from '#domain/model/model-name.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { Status } from '#ui/feedback/status.tsx';
import { formatPercent, formatWhole } from '#ui/format/number.ts';
import { formatDate } from '#ui/format/time.ts';

const looks = { fine: 'enabled', degraded: 'doubtful', failing: 'failing', quiet: 'unknown' } as const;
const PHONE_DAYS = 30;

/** Rounded down, so that 100 % means all. */
const percent = (share: number): string => formatPercent(Math.floor(share * 1e4) / 1e4);

/** A model with its figures. */
export function ModelRow({ model, days }: { model: StatusModel; days: readonly number[] }) {
  const { name } = model;
  const owner = useModelOwners()(name);
  return (
    <StatusRow
      name={name}
      title={<ModelName model={name} owner={owner?.name} icon={owner?.icon} className="font-title" />}
      part={model}
      days={days}
    />
  );
}

interface StatusRowProps {
  name: string;
  title: ReactNode;
  part: Omit<StatusModel, 'name'>;
  days: readonly number[];
}

/** A model or endpoint: its state, the figures of the last hour and of 90 days, and each day. */
export function StatusRow({ name, title, part, days }: StatusRowProps) {
  const { t } = useTranslation('status');
  const { state, recent, total } = part;
  return (
    <li className="grid gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        {title}
        <Status kind={looks[state]} text={t(`state.${state}`)} />
      </div>
      <div className="flex flex-wrap items-end gap-x-8 gap-y-2 max-sm:items-start max-sm:gap-x-4">
        <Days name={name} all={part.days} days={days} />
        <Figures title={t('lastHour')} of={recent} />
        <Figures title={t('ninetyDays')} of={total} />
      </div>
    </li>
  );
}

function Figures({ title, of: { calls, success, first_token: first } }: { title: string; of: StatusModel['recent'] }) {
  const { t } = useTranslation('status');
  return (
    <dl className="w-52 flex-none text-13 tabular-nums max-sm:w-auto max-sm:flex-1 max-sm:basis-32">
      <dt className="text-12 text-text2">{title}</dt>
      <dd>
        {success !== null && <span className="font-title">{percent(success)}</span>}{' '}
        <span className="text-text2">
          {first !== null && `${t('firstToken', { seconds: (first / 1000).toFixed(2) })} · `}
          {t('calls', { count: calls, total: formatWhole(calls) })}
        </span>
      </dd>
    </dl>
  );
}

/** A bar per day, oldest first; fewer on phones. */
function Days({ name, all, days: starts }: { name: string; all: StatusModel['days']; days: readonly number[] }) {
  const { t } = useTranslation('status');
  const shown = useIsPhone() ? PHONE_DAYS : all.length;
  const { success_rate_fine: fine = 99, success_rate_poor: poor = 95 } = useSite() ?? {};
  const lookOf = (success: number | null): string => {
    if (success === null) return 'h-1/4 bg-line2';
    if (success * 100 >= fine) return 'h-1/2 bg-ok-g';
    return success * 100 >= poor ? 'h-3/4 bg-warn-g' : 'h-full bg-bad-g';
  };
  const told = (at: number): string => {
    const { calls, success } = all[at] ?? { calls: 0, success: null };
    const text = t('calls', { count: calls, total: formatWhole(calls) });
    return [formatDate(starts[at] ?? 0), success === null ? text : `${percent(success)} · ${text}`].join(' · ');
  };
  return (
    <div
      role="img"
      aria-label={t('daysOf', { name, count: shown })}
      className="flex h-7 min-w-0 flex-1 basis-80 items-end max-sm:basis-full gap-px forced-color-adjust-none"
    >
      {all.slice(-shown).map(({ success }, index) => {
        const at = all.length - shown + index;
        return <span key={at} title={told(at)} className={cx('min-w-0 flex-1 rounded-[1px]', lookOf(success))} />;
      })}
    </div>
  );
}
