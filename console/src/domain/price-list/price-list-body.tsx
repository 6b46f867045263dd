import type { PriceUnit, UserGroup } from '@relay-hub/contract';
import { Box, Plus, SearchX } from 'lucide-react';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useOwners } from '#api/owners.ts';
import { useSession } from '#api/session.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { useAfterFirstPaint } from '#ui/basic/use-after-first-paint.ts';
import { PriceCard } from './price-list-card.tsx';
import { PriceListHead, PriceListRow, wide } from './price-list-row.tsx';
import type { PricedModel } from './price-list-rows.ts';

const step = 40;
/** Rows in the first paint of the page; they fill a screen. */
const atFirst = 20;

/**
 * Number of rows to render: a first batch, and more as the user scrolls to `sentinel`, which belongs on the element
 * after the last row. Starts again when `of` changes.
 */
function useIncrementalRows(
  of: unknown,
  total: number,
): { shown: number; sentinel: (element: Element | null) => void } {
  const started = useAfterFirstPaint();
  const [grown, setGrown] = useState({ of, count: step });
  // Reset during render: an effect would first render as many new rows as there were old ones.
  if (grown.of !== of) setGrown({ of, count: step });
  const observer = useRef<IntersectionObserver>(undefined);
  const sentinel = useCallback(
    (element: Element | null) => {
      observer.current?.disconnect();
      if (!element || !started) return;
      observer.current = new IntersectionObserver(
        ([entry]) => entry?.isIntersecting && setGrown((now) => ({ ...now, count: now.count + step })),
        { rootMargin: '1200px' },
      );
      observer.current.observe(element);
    },
    [started],
  );
  return { shown: Math.min(started ? grown.count : atFirst, total), sentinel };
}

interface Props {
  /** Undefined while loading. */
  models: readonly PricedModel[] | undefined;
  /** Number of models before filtering. */
  total: number;
  group: UserGroup | undefined;
  groups: Readonly<Record<string, UserGroup>>;
  unit: PriceUnit;
  onCalculate: (model: string) => void;
  onClear: () => void;
}

/** The models by owner: a table, or cards on phones. Renders more rows on scrolling. */
export function PriceListBody({ models, total, group, groups, unit, onCalculate, onClear }: Props) {
  const { t } = useTranslation('price');
  const { isAdmin } = useSession();
  const phone = useIsPhone();
  const icons = new Map(useOwners().map(({ name, icon }) => [name, icon]));
  const { shown, sentinel } = useIncrementalRows(models, models?.length ?? 0);
  const sections = useMemo(() => {
    const counts = Map.groupBy(models ?? [], ({ owner }) => owner);
    const drawn = Map.groupBy((models ?? []).slice(0, shown), ({ owner }) => owner);
    return [...drawn].map(([owner, some]) => ({ owner, some, count: counts.get(owner)?.length ?? 0 }));
  }, [models, shown]);
  if (models?.length === 0)
    return (
      <div className="min-w-0 flex-1 rounded-card border border-line bg-card">
        {total === 0 ? (
          <EmptyState
            icon={Box}
            title={t('none')}
            text={t('noneText')}
            action={
              isAdmin && (
                <Button icon={Plus} render={<Link to="/panel/channel" search={{ edit: 'new' }} />}>
                  {t('addChannel')}
                </Button>
              )
            }
          />
        ) : (
          <EmptyState icon={SearchX} title={t('noMatch')} action={<Button onClick={onClear}>{t('clear')}</Button>} />
        )}
      </div>
    );
  const more = models && shown < models.length;
  const foot = (
    <p role="status" className="text-13 text-text2 tabular-nums">
      {models && t('shown', { shown: formatWhole(models.length), total: formatWhole(total) })}
    </p>
  );
  if (phone)
    return (
      <div className="min-w-0 flex-1">
        {sections.map(({ owner, some }) => (
          <section key={owner} aria-label={owner || t('otherOwner')} className="mb-4">
            <h2 className="mb-2 px-1 text-13 font-normal text-text2">{owner || t('otherOwner')}</h2>
            <ul className="overflow-hidden rounded-card border border-line bg-card">
              {some.map((each) => (
                <PriceCard
                  key={each.model}
                  model={each}
                  icon={icons.get(owner)}
                  group={group}
                  groups={groups}
                  unit={unit}
                  onCalculate={onCalculate}
                />
              ))}
            </ul>
          </section>
        ))}
        {!models && <Bones />}
        {more && <div key={shown} ref={sentinel} className="h-10" />}
        <div className="px-1 pb-2">{foot}</div>
      </div>
    );
  return (
    // Contained: typing above causes no layout or paint here.
    <div className="[contain:layout] min-w-0 flex-1 rounded-card border border-line bg-card">
      <table
        aria-label={t('title')}
        aria-busy={!models}
        className="w-full table-fixed border-separate border-spacing-0 text-13"
      >
        <PriceListHead />
        {sections.map(({ owner, some, count }) => (
          <tbody key={owner}>
            <tr>
              <th scope="rowgroup" colSpan={4} className="h-9 border-b border-line bg-sunk px-4 text-left">
                <span className="font-title">{owner || t('otherOwner')}</span>{' '}
                <span className="ml-1 font-normal text-text2 tabular-nums">{formatWhole(count)}</span>
              </th>
              <td colSpan={2} className={cx('border-b border-line bg-sunk', wide)} />
            </tr>
            {some.map((each) => (
              <PriceListRow
                key={each.model}
                model={each}
                icon={icons.get(owner)}
                group={group}
                groups={groups}
                unit={unit}
                onCalculate={onCalculate}
              />
            ))}
          </tbody>
        ))}
        {!models && (
          <tbody>
            <tr>
              <td colSpan={4} className="p-4">
                <Bones />
              </td>
              <td colSpan={2} className={wide} />
            </tr>
          </tbody>
        )}
      </table>
      {more && <div key={shown} ref={sentinel} className="h-10" />}
      <div className="sticky bottom-0 z-3 flex min-h-12 items-center justify-between gap-4 rounded-b-card border-t border-line bg-card px-4 low:static">
        <span className="text-13 text-text2">
          {t(unit.currency === 'USD' ? 'unitUsd' : 'unitCny', { per: unit.per === 1000 ? '1K' : '1M' })}
        </span>
        {foot}
      </div>
    </div>
  );
}

const boneWidths = ['62%', '48%', '71%', '55%', '66%', '43%', '58%', '69%'];

function Bones() {
  return (
    // As high as the window, so that the content below does not shift when the list arrives.
    <div aria-hidden className="grid min-h-screen content-start gap-6 py-2">
      {boneWidths.map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  );
}
