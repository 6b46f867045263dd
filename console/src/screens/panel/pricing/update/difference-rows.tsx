import { callPriceText, priceText, type PriceDifference, type PriceInput } from '@relay-hub/contract';
import { TriangleAlert } from 'lucide-react';
import { memo, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { useRuleWords } from '#domain/price-rules/rule-summary.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { useLatest } from '#ui/basic/use-latest.ts';
import { PercentMove } from '#screens/panel/pricing/edit/percent-move.tsx';
import { useOwnerOf } from '#screens/panel/pricing/price-cells.tsx';
import { unitOf } from '#screens/panel/pricing/pricing-search.ts';

export type DifferenceRow = Pick<PriceDifference, 'model' | 'before' | 'after'> &
  Partial<Pick<PriceDifference, 'source' | 'jumps' | 'served'>>;

interface Props {
  rows: readonly DifferenceRow[];
  /** Makes rows selectable; holds the unselected ones. */
  left?: ReadonlySet<string> | undefined;
  onLeft?: ((left: ReadonlySet<string>) => void) | undefined;
}

const unit = unitOf('USD1M');
/** On phones a row has two lines: the model, then both amounts. */
const columns =
  'grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_230px_230px] items-center gap-x-3 max-sm:grid-cols-2 max-sm:gap-y-0.5';
const line = 'flex items-center gap-3 border-b border-line px-6 max-sm:px-4';

/** Prices before and after, in dollars per million tokens or per call; rows render as they scroll into view. */
export function DifferenceRows({ rows, left, onLeft }: Props) {
  const { t } = useTranslation('pricing');
  const ticked = left ? rows.filter(({ model }) => !left.has(model)).length : 0;
  const change = (models: readonly string[], on: boolean) => {
    const next = new Set(left);
    for (const model of models) {
      if (on) next.delete(model);
      else next.add(model);
    }
    onLeft?.(next);
  };
  const latest = useLatest(change);
  const toggle = useMemo(() => (models: readonly string[], on: boolean) => latest.current(models, on), [latest]);
  // Large changes, and models in use, must be selected one by one.
  const toggleAll = (on: boolean) =>
    toggle(
      rows
        .filter(({ jumps = [], after, served }) => !on || (jumps.length === 0 && (after || !served)))
        .map(({ model }) => model),
      on,
    );
  if (rows.length === 0) return <p className="px-6 py-3 text-13 text-text2 max-sm:px-4">{t('noneOfThese')}</p>;
  return (
    <div role="table" aria-label={t('differences')}>
      <div role="rowgroup" className="sticky top-0 z-1">
        <div role="row" className={cx(line, 'h-9 bg-(--surface,var(--color-card)) text-12 text-text2')}>
          {left && (
            <span role="columnheader">
              <Checkbox
                label={t('tickAll')}
                checked={ticked === rows.length}
                indeterminate={ticked > 0 && ticked < rows.length}
                onChange={toggleAll}
              />
            </span>
          )}
          <div role="presentation" className={columns}>
            <span role="columnheader" className="max-sm:hidden">
              {t('model')}
            </span>
            <span role="columnheader" className="pr-20 text-right max-sm:pr-0 max-sm:text-left">
              {t('inputMoney')}
            </span>
            <span role="columnheader" className="pr-20 text-right max-sm:pr-0 max-sm:text-left">
              {t('outputMoney')}
            </span>
          </div>
        </div>
      </div>
      <div role="rowgroup">
        {rows.map((row) => (
          <Row key={row.model} row={row} ticked={left && !left.has(row.model)} onTick={toggle} />
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  row: DifferenceRow;
  ticked: boolean | undefined;
  onTick: (models: readonly string[], on: boolean) => void;
}

const Row = memo(function Row({ row, ticked, onTick }: RowProps) {
  const { t } = useTranslation('pricing');
  const { model, before, after, source, jumps = [], served } = row;
  const owner = useOwnerOf()((after ?? before)?.channel_type ?? 0);
  return (
    <div
      role="row"
      className={cx(
        line,
        'min-h-9 py-1 text-13 [contain-intrinsic-size:auto_37px] [content-visibility:auto] max-sm:min-h-12',
        jumps.length > 0 && 'bg-bad-soft',
      )}
    >
      {ticked !== undefined && (
        <span role="cell">
          <Checkbox label={t('tick', { name: model })} checked={ticked} onChange={(on) => onTick([model], on)} />
        </span>
      )}
      <div role="presentation" className={columns}>
        <span role="cell" className="flex min-w-0 items-center gap-2 max-sm:col-span-2">
          <OwnerTile name={owner.tile ?? owner.name} icon={owner.icon} size={20} />
          <MiddleCut text={model} />
          {source === 'own' && <Chip tone="outline">{t('sources.own')}</Chip>}
          {jumps.length > 0 && (
            <span className="inline-flex items-center gap-1 text-12 whitespace-nowrap text-bad">
              <Icon of={TriangleAlert} size={14} />
              {t('check')}
            </span>
          )}
          {!after && served && <Chip tone="warn">{t('served')}</Chip>}
        </span>
        <Side before={before} after={after} side="input" />
        <Side before={before} after={after} side="output" />
        <RuleChanges before={before} after={after} />
      </div>
    </div>
  );
});

/** Rules and fees that change: old ones struck out, new ones after them. */
function RuleChanges({ before, after }: Pick<DifferenceRow, 'before' | 'after'>) {
  const { t } = useTranslation('priceRule');
  const words = useRuleWords();
  const linesOf = (price: PriceInput | null) => [
    ...(price?.rules ?? []).map((rule) => words.rule(rule, { unit, groupRatio: 1, perCall: price?.type === 'times' })),
    ...(price?.fees ?? []).map((fee) => words.fee(fee, { unit, groupRatio: 1 })),
  ];
  const [old, now] = [linesOf(before), linesOf(after)];
  const gone = old.filter((text) => !now.includes(text));
  const come = now.filter((text) => !old.includes(text));
  if (gone.length + come.length === 0) return null;
  return (
    <span role="cell" aria-label={t('title')} className="col-span-full grid pb-1 text-12 text-text2 tabular-nums">
      {gone.map((text) => (
        <s key={text}>{text}</s>
      ))}
      {come.map((text) => (
        <span key={text} className="text-text">
          {text}
        </span>
      ))}
    </span>
  );
}

interface SideProps {
  before: PriceInput | null;
  after: PriceInput | null;
  side: 'input' | 'output';
}

/** Old → new with the change; a price by call has its amount at the right. */
function Side({ before, after, side }: SideProps) {
  const { t } = useTranslation('price');
  const [old, now] = [amountOf(before, side), amountOf(after, side)];
  const words = (amount: Amount) => amount && (amount.text ?? t('free'));
  const same = before?.type === after?.type && old?.ratio === now?.ratio;
  return (
    <span role="cell" className="flex flex-wrap items-center justify-end gap-x-2 tabular-nums max-sm:justify-start">
      {same ? (
        <span className="text-text2">{words(now)}</span>
      ) : (
        <>
          {old && <s className={cx('text-text2', after && 'decoration-text3')}>{words(old)}</s>}
          {old && now && <span aria-hidden>→</span>}
          {now && <span>{words(now)}</span>}
        </>
      )}
      <span className="min-w-18 text-right text-12 max-sm:min-w-0">
        {old && now && before?.type === after?.type && <PercentMove before={old.ratio} after={now.ratio} />}
      </span>
    </span>
  );
}

type Amount = { ratio: number; text: string | undefined } | undefined;

function amountOf(price: PriceInput | null, side: 'input' | 'output'): Amount {
  if (!price) return undefined;
  if (price.type === 'tokens') return { ratio: price[side], text: priceText([price[side]], unit) };
  return side === 'input' ? undefined : { ratio: price.input, text: callPriceText([price.input], unit.currency) };
}
