import { callPriceText, priceText, type Price, type PriceTerms } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { RowActions } from '#ui/table/table-row.tsx';
import { SourceCell, useOwnerOf } from './price-cells.tsx';
import type { OwnPriceGroup, Unit } from './pricing-search.ts';

interface CardProps {
  unit: Unit;
}

/** A price on a phone. */
export function PriceCard({ price, unit, menu }: CardProps & { price: Price; menu: (price: Price) => MenuEntries }) {
  const owner = useOwnerOf()(price.channel_type);
  return (
    <>
      <div className="-mt-1.5 flex items-center gap-2">
        <OwnerTile name={owner.tile ?? owner.name} icon={owner.icon} size={20} />
        <span className="min-w-0 flex-1 truncate text-15">{price.model}</span>
        <SourceCell source={price.source} />
        <span className="-mr-2">
          <RowActions row={price} nameOf={({ model }) => model} menu={menu} />
        </span>
      </div>
      <Rates terms={price} unit={unit} />
    </>
  );
}

/** Models of one price on a phone. */
export function GroupCard({
  group,
  unit,
  menu,
}: CardProps & { group: OwnPriceGroup; menu: (group: OwnPriceGroup) => MenuEntries }) {
  const { t } = useTranslation('pricing');
  const owner = useOwnerOf()(group.channel_type);
  return (
    <>
      <div className="-mt-1.5 flex items-center gap-2">
        <OwnerTile name={owner.tile ?? owner.name} icon={owner.icon} size={20} />
        <span className="min-w-0 flex-1 truncate text-15">{group.models.join(', ')}</span>
        <span className="flex-none text-13 text-text2">{t('modelCount', { count: group.models.length })}</span>
        <span className="-mr-2">
          <RowActions row={group} nameOf={({ models }) => models[0] ?? ''} menu={menu} />
        </span>
      </div>
      <Rates terms={group} unit={unit} />
    </>
  );
}

function Rates({ terms, unit }: CardProps & { terms: PriceTerms }) {
  const { t } = useTranslation('price');
  const facts =
    terms.type === 'times'
      ? [[t('byCall'), callPriceText([terms.input], unit.currency)] as const]
      : [
          [t('input'), priceText([terms.input], unit)] as const,
          [t('output'), priceText([terms.output], unit)] as const,
        ];
  return (
    <dl className="mt-0.5 flex gap-4 text-13 tabular-nums">
      {facts.map(([name, text]) => (
        <div key={name} className="flex gap-1.5">
          <dt className="text-text2">{name}</dt>
          <dd>{text ?? <span className="text-ok">{t('free')}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
