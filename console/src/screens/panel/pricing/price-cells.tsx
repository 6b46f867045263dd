import { callPriceText, extraKinds, extraRatio, priceText, type Price, type PriceTerms } from '@relay-hub/contract';
import { Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Chip } from '#ui/basic/chip.tsx';
import { cx } from '#ui/basic/cx.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { formatPlain } from '#ui/format/number.ts';
import { RulesChip } from '#domain/price-rules/lazy-rules.ts';
import { isRuled } from '#domain/price-rules/rules-ahead.ts';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useOwners } from '#api/owners.ts';
import { fitCount } from '#screens/panel/pricing/edit/fit-count.ts';
import type { PriceUnit } from './pricing-search.ts';

/** Two lines of a row: the value, and its explanation. */
function TwoLines({ top, below, right }: { top: React.ReactNode; below: React.ReactNode; right?: boolean }) {
  return (
    <span className={cx('flex min-w-0 flex-col', right && 'items-end')}>
      <span className="max-w-full min-w-0 truncate">{top}</span>
      <span className="max-w-full truncate text-12 text-text2 in-data-compact:text-11">{below}</span>
    </span>
  );
}

/** Finds a model's owner by the id in its price; the fallback for no owner has no initial. */
export function useOwnerOf(): (id: number) => { name: string; icon: string; tile?: string } {
  const { t } = useTranslation('pricing');
  const owners = new Map(useOwners().map((owner) => [owner.id, owner]));
  return (id) => owners.get(id) ?? { name: t('noOwner'), icon: '', tile: '' };
}

interface ModelCellProps {
  price: Price;
  covers?: number | undefined;
  unit: PriceUnit;
}

export function ModelCell({ price, covers, unit }: ModelCellProps) {
  const { t } = useTranslation('pricing');
  const owner = useOwnerOf()(price.channel_type);
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <OwnerTile name={owner.tile ?? owner.name} icon={owner.icon} />
      <TwoLines
        top={
          <span className="flex min-w-0 items-center gap-2">
            <MiddleCut text={price.model} />
            {covers !== undefined && covers > 0 && <Chip tone="outline">{t('covers', { count: covers })}</Chip>}
            <Rules terms={price} unit={unit} />
          </span>
        }
        below={owner.name}
      />
    </span>
  );
}

function Rules({ terms, unit }: Omit<RatioProps, 'side'>) {
  if (!isRuled(terms)) return null;
  return (
    <Suspense>
      <RulesChip terms={terms} groupRatio={1} unit={unit} />
    </Suspense>
  );
}

/** More would be cut off anyway. */
const most = 8;

interface ModelsCellProps {
  models: readonly string[];
  terms: PriceTerms & { channel_type: number };
  unit: PriceUnit;
}

export function ModelsCell({ models, terms, unit }: ModelsCellProps) {
  const owner = useOwnerOf()(terms.channel_type);
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <OwnerTile name={owner.tile ?? owner.name} icon={owner.icon} />
      <TwoLines
        top={
          <span className="flex min-w-0 items-center gap-2">
            <span className="truncate">{models.slice(0, most).join(', ')}</span>
            <Rules terms={terms} unit={unit} />
          </span>
        }
        below={owner.name}
      />
    </span>
  );
}

export function TypeCell({ type }: Pick<PriceTerms, 'type'>) {
  const { t } = useTranslation('price');
  return <span className="text-text2">{t(type === 'times' ? 'byCall' : 'byTokens')}</span>;
}

interface RatioProps {
  terms: PriceTerms;
  side: 'input' | 'output';
  unit: PriceUnit;
}

/** A ratio with its amount below. A price by call has one ratio, in the output column. */
export function RatioCell({ terms, side, unit }: RatioProps) {
  const { t } = useTranslation(['price', 'pricing']);
  const byCall = terms.type === 'times';
  if (byCall && side === 'input') return null;
  const ratio = byCall ? terms.input : terms[side];
  const text = byCall ? callPriceText([ratio], unit.currency) : priceText([ratio], unit);
  const below = text === undefined ? <span className="text-ok">{t('free')}</span> : text;
  return (
    <TwoLines
      right
      top={formatPlain(ratio, 10)}
      below={
        <>
          {below}
          {byCall && text !== undefined && ` ${t('aCall')}`}
        </>
      }
    />
  );
}

/** Title of a card: model or models, with their owner's icon. */
export function ModelTitle({ text, ownerId }: { text: string; ownerId: number }) {
  const owner = useOwnerOf()(ownerId);
  return (
    <span className="flex min-w-0 items-center gap-2">
      <OwnerTile name={owner.tile ?? owner.name} icon={owner.icon} size={20} />
      <span className="truncate">{text}</span>
    </span>
  );
}

/** Input or output price on a card; a price by call has one only. */
export function PhoneRate({ terms, side, unit }: RatioProps) {
  const { t } = useTranslation('price');
  const byCall = terms.type === 'times';
  if (byCall && side === 'output') return null;
  const text = byCall ? callPriceText([terms.input], unit.currency) : priceText([terms[side]], unit);
  return (
    <>
      {t(byCall ? 'byCall' : side)}{' '}
      <span className="text-text">{text ?? <span className="text-ok">{t('free')}</span>}</span>
    </>
  );
}

/** Extra prices by token kind: effective ratio, and the amount below. */
export function ExtraCell({ terms, unit }: Omit<RatioProps, 'side'>) {
  const { t } = useTranslation(['price', 'priceRule']);
  if (terms.type === 'times') return null;
  const named = extraKinds.filter(({ key }) => terms.extra_ratios?.[key] !== undefined);
  if (named.length === 0) return null;
  const each = named.map(({ kind, key, side }) => {
    const pair = [terms[side], extraRatio(kind, terms.extra_ratios)];
    const ratio = formatPlain(
      pair.reduce((a, b) => a * b),
      6,
    );
    return { key, ratio: `${t(`priceRule:kinds.${kind}`)} ${ratio}`, price: priceText(pair, unit) ?? t('free') };
  });
  // Whole entries and "+n" rather than cut text; the tooltip has all of them.
  const shown = each.slice(0, fitCount(each.map(({ ratio }) => ratio)));
  const cell = (
    <span className="flex min-w-0 items-center gap-2">
      <TwoLines top={shown.map(({ ratio }) => ratio).join(' · ')} below={shown.map(({ price }) => price).join(' · ')} />
      {shown.length < each.length && (
        <span className="flex-none">
          <Chip tone="outline">+{each.length - shown.length}</Chip>
        </span>
      )}
    </span>
  );
  if (shown.length === each.length) return cell;
  const all = each.map(({ key, ratio, price }) => (
    <span key={key} className="block">
      {ratio} · {price}
    </span>
  ));
  return <Tooltip text={all}>{cell}</Tooltip>;
}

export function SourceCell({ source }: Pick<Price, 'source'>) {
  const { t } = useTranslation('pricing');
  if (source === 'own') return <Chip tone="outline">{t('sources.own')}</Chip>;
  return <span className="text-text2">{t(`sources.${source}`)}</span>;
}
