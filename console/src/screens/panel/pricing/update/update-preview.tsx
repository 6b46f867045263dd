import type { PriceDifference, PricePreview, PriceUpdateMode } from '@relay-hub/contract';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Note } from '#ui/feedback/note.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { TabPanel, Tabs } from '#ui/basic/tabs.tsx';
import { formatTimeOfDay } from '#ui/format/time.ts';
import { ChoiceCard } from './choice-card.tsx';
import { DifferenceRows } from './difference-rows.tsx';
import { byMove, tabsOf, type UpdateTab } from './update-choice.ts';

interface Props {
  preview: PricePreview;
  mode: PriceUpdateMode;
  onMode: (mode: PriceUpdateMode) => void;
  /** Unselected models, which keep their prices. */
  left: ReadonlySet<string>;
  onLeft: (left: ReadonlySet<string>) => void;
  busy: boolean;
  onAgain: () => void;
  onOther: () => void;
}

/** The changes of a price list, each selectable. */
export function UpdatePreview({ preview, mode, onMode, left, onLeft, busy, onAgain, onOther }: Props) {
  const { t } = useTranslation('pricing');
  const tabs = tabsOf(preview, mode);
  const [chosen, setChosen] = useState<UpdateTab>();
  const tab = tabs.find(({ value }) => value === chosen) ?? tabs.find(({ count }) => count > 0) ?? tabs[0]!;
  const inUse = preview.dropped.filter(({ served }) => served).length;
  const jumps = [...(mode === 'overwrite' ? preview.changed : []), ...preview.added].filter(
    (each) => each.jumps.length > 0,
  );
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="-mt-3 flex flex-wrap items-center gap-x-2 text-13 text-text2">
        <span className={cx('min-w-0 break-all', preview.address && 'font-mono')}>
          {preview.address || t(`from.${preview.from}`)}
        </span>
        <span className="tabular-nums">
          ·{' '}
          {t('fetched', {
            count: preview.total,
            total: formatWhole(preview.total),
            time: formatTimeOfDay(preview.created_time),
          })}
        </span>
        {preview.from !== 'list' && (
          <Button variant="ghost" size="sm" busy={busy} onClick={onAgain}>
            {t('fetchAgain')}
          </Button>
        )}
        <Button variant="ghost" size="sm" onClick={onOther}>
          {t('otherSource')}
        </Button>
      </p>
      <Modes preview={preview} mode={mode} onMode={onMode} />
      {jumps.length > 0 && <Note tone="bad">{t('jumps', { count: jumps.length, name: jumps[0]?.model })}</Note>}
      <Tabs
        label={t('updateTitle')}
        id="price-update"
        value={tab.value}
        onChange={setChosen}
        tabs={tabs.map(({ value, count }) => ({
          value,
          label: t(`tabs.${value}`),
          badge: <span className={cx(isLoss(value) && count > 0 && 'text-bad')}>{formatWhole(count)}</span>,
        }))}
      >
        {tab.value === 'changed' && <span className="text-13 text-text2 max-sm:hidden">{t('largestFirst')}</span>}
      </Tabs>
      {tab.value === 'dropped' && inUse > 0 && <Note tone="warn">{t('droppedInUse', { count: inUse })}</Note>}
      <TabPanel id="price-update" value={tab.value}>
        <div className="-mx-6 h-[min(44dvh,420px)] overflow-y-auto max-sm:-mx-4">
          <Shown preview={preview} tab={tab.value} left={left} onLeft={onLeft} />
        </div>
      </TabPanel>
    </div>
  );
}

function Modes({ preview, mode, onMode }: Pick<Props, 'preview' | 'mode' | 'onMode'>) {
  const { t } = useTranslation('pricing');
  const texts = {
    overwrite: preview.own === 0 ? t('modes.overwriteAll') : t('modes.overwriteText', { count: preview.own }),
    add: t('modes.addText', { count: preview.added.length }),
  };
  return (
    <fieldset className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
      <legend className="sr-only">{t('modeTitle')}</legend>
      {(['add', 'overwrite'] as const).map((value) => (
        <ChoiceCard
          key={value}
          name="price-mode"
          title={t(`modes.${value}`)}
          text={texts[value]}
          checked={mode === value}
          onChoose={() => onMode(value)}
        />
      ))}
    </fieldset>
  );
}

/** Tabs with prices that go away. */
const isLoss = (tab: UpdateTab): boolean => tab === 'dropped' || tab === 'rejected';

interface ShownProps extends Pick<Props, 'preview' | 'left' | 'onLeft'> {
  tab: UpdateTab;
}

function Shown({ preview, tab, left, onLeft }: ShownProps) {
  const { t } = useTranslation('pricing');
  if (tab === 'unchanged')
    return (
      <details className="px-6 py-3 text-13 text-text2 max-sm:px-4">
        <summary className="cursor-pointer">{t('upToDate', { count: preview.unchanged.length })}</summary>
        <p className="mt-2 break-words">{preview.unchanged.join(', ')}</p>
      </details>
    );
  if (tab === 'rejected')
    return (
      <ul>
        {preview.rejected.map(({ row, model, field, problem, kept }) => (
          <li
            key={`${row}-${field}`}
            className="flex flex-wrap gap-x-3 border-b border-line px-6 py-2 text-13 [contain-intrinsic-size:auto_36px] [content-visibility:auto] max-sm:px-4"
          >
            <span className="w-16 text-text2 tabular-nums">{t('row', { row })}</span>
            <span className="min-w-0 flex-1 truncate">{model || '–'}</span>
            <span className="text-bad">
              {field && `${field}: `}
              {problem}
            </span>
            {kept && <span className="text-text2">{t('kept')}</span>}
          </li>
        ))}
      </ul>
    );
  if (tab === 'remarks')
    return (
      <ul>
        {preview.remarks.map(({ remark, field, count, models }) => (
          <li
            key={`${remark} ${field}`}
            className="flex flex-wrap gap-x-3 border-b border-line px-6 py-2 text-13 [contain-intrinsic-size:auto_36px] [content-visibility:auto] max-sm:px-4"
          >
            <span className="min-w-0 basis-56 break-words">{t(`remarks.${remark}`)}</span>
            <span className="min-w-0 flex-1 basis-60 text-text2">
              <span className="block font-mono text-12 break-all">{field}</span>
              <span className="block break-words">{models.join(', ')}</span>
            </span>
            <span className="text-text2 tabular-nums">{formatWhole(count)}</span>
          </li>
        ))}
      </ul>
    );
  return <DifferenceRows rows={sortedRows(preview, tab)} left={left} onLeft={onLeft} />;
}

/** Dropped prices that a channel still needs come first. */
const sortedRows = (preview: PricePreview, tab: 'changed' | 'added' | 'dropped'): PriceDifference[] =>
  tab === 'changed' ? byMove(preview.changed) : preview[tab].toSorted((a, b) => Number(b.served) - Number(a.served));
