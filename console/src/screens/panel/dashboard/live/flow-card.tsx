import type { Cockpit } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { useIsNarrow } from '#ui/basic/use-media.ts';
import { callersOf, channelsOf, flowSides, hatched, type FlowSide } from './flow-ends.ts';
import { FlowDrawing } from './flow-drawing.tsx';
import { FlowList } from './flow-list.tsx';
import { FlowTable } from './flow-table.tsx';

/** Calls on their way from callers through the hub to channels. */
export function FlowCard({ state }: { state: Cockpit | undefined }) {
  const { t } = useTranslation('cockpit');
  const narrow = useIsNarrow();
  const [side, setSide] = useState<FlowSide>('users');
  const total = state?.total;
  return (
    <Card aria-labelledby="live-flow" className="min-w-0">
      <CardHead
        id="live-flow"
        title={t('flow')}
        twoLines
        aside={
          total && (
            <span className="text-13 text-text2 tabular-nums">
              {t('callsAndAttempts', { calls: formatWhole(total.calls), attempts: formatWhole(total.attempts) })}
            </span>
          )
        }
      >
        {!narrow && <Legend />}
        <Segmented
          label={t('side')}
          value={side}
          options={flowSides.map((value) => ({ value, label: t(value) }))}
          onChange={setSide}
        />
      </CardHead>
      {!state ? (
        <div className="h-80 px-4 py-6">
          <Skeleton width="100%" className="h-full!" />
        </div>
      ) : (
        <>
          {narrow ? (
            <FlowList side={side} callers={callersOf(state, side)} channels={channelsOf(state)} />
          ) : (
            <FlowDrawing side={side} callers={callersOf(state, side)} channels={channelsOf(state)} />
          )}
          <Sum total={state.total} />
          <FlowTable side={side} callers={callersOf(state, side)} channels={channelsOf(state)} />
        </>
      )}
    </Card>
  );
}

const swatches = { served: 'bg-flow', refused: 'bg-warn-g', failed: 'bg-bad-g', frozen: hatched } as const;

function Legend() {
  const { t } = useTranslation('cockpit');
  return (
    <ul aria-hidden className="mr-2 flex flex-wrap items-center gap-x-4 text-12 text-text2">
      {(['served', 'refused', 'failed', 'frozen'] as const).map((look) => (
        <li key={look} className="flex items-center gap-1.5">
          <span className={cx('h-2.5 w-3.5 rounded-[2px] forced-color-adjust-none', swatches[look])} />
          {t(`legend.${look}`)}
        </li>
      ))}
    </ul>
  );
}

/** Why calls and attempts differ: calls − refused − not sent + retries = attempts. */
function Sum({ total }: { total: Cockpit['total'] }) {
  const { t } = useTranslation('cockpit');
  const { refused, unsent, retries, failed } = total;
  const hour = { time: '1h' };
  return (
    <p className="flex flex-wrap justify-center gap-x-1.5 px-4 pb-4 text-12 tabular-nums">
      <Link to="/panel/log" search={{ ...hour, log_type: 5 }} className="touch text-warn hover:underline">
        {t('refusedOf', { calls: formatWhole(refused) })}
      </Link>
      {unsent > 0 && (
        <>
          <Dot />
          <span className="text-bad">{t('unsent', { calls: formatWhole(unsent) })}</span>
        </>
      )}
      <Dot />
      <span className="text-text2">{t('retries', { count: retries, total: formatWhole(retries) })}</span>
      <Dot />
      <Link to="/panel/log" search={{ ...hour, failed: 1 }} className="touch text-bad hover:underline">
        {t('failedOf', { calls: formatWhole(failed) })}
      </Link>
    </p>
  );
}

const Dot = () => (
  <span aria-hidden className="text-text3">
    ·
  </span>
);
