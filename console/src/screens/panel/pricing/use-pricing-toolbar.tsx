import { type Price, priceSources } from '@relay-hub/contract';
import { CalendarX, ChevronDown, Tag, TriangleAlert, Wrench } from 'lucide-react';
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { useOwners } from '#api/owners.ts';
import { filterToolbar } from '#list/list-filters.ts';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import type { FilterDef } from '#ui/table/filter.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { priceGaps, unpricedModels } from '#api/unpriced.ts';
import type { PricingSearch } from './pricing-defaults.ts';
import {
  findPrices,
  noFilter,
  type PricingFilter,
  unitKeys,
  unitOf,
  unitText,
  unknownOwner,
} from './pricing-search.ts';

interface Options {
  search: PricingSearch;
  prices: readonly Price[];
  onSearch: (change: Partial<PricingSearch>) => void;
}

export function usePricingToolbar({ search, prices, onSearch }: Options): ToolbarProps {
  const { t } = useTranslation('pricing');
  const owners = useOwners();
  return {
    ...filterToolbar<PricingFilter>({
      none: noFilter,
      search,
      field: 'keyword',
      placeholder: t('search'),
      filters: useFilters(prices),
      onChange: (filters) => onSearch({ ...filters, page: 1 }),
      count: async (filters) => findPrices(prices, filters, owners).length,
    }),
    children: (
      <UnpricedChip onAdd={(model) => onSearch({ edit: `new:${model}` })} onEdit={(edit) => onSearch({ edit })} />
    ),
    aside: (
      <span className="flex items-center gap-2">
        <UnitMenu unit={search.unit} onUnit={(unit) => onSearch({ unit })} />
        <Segmented
          label={t('view')}
          value={search.view === 'merged' ? 'merged' : 'single'}
          options={[
            { value: 'single', label: t('single') },
            { value: 'merged', label: t('merged') },
          ]}
          onChange={(view) => onSearch({ view, page: 1, order: '' })}
        />
      </span>
    ),
  };
}

function useFilters(prices: readonly Price[]): readonly FilterDef[] {
  const { t } = useTranslation(['pricing', 'price']);
  const owners = useOwners();
  return useMemo(() => {
    const used = new Set(prices.map((price) => price.channel_type));
    const known = owners.filter(({ id }) => used.has(id));
    const unknown = known.length < used.size ? [{ value: unknownOwner, label: t('noOwner') }] : [];
    return [
      {
        kind: 'options',
        id: 'type',
        label: t('billing'),
        pinned: true,
        options: [
          { value: 'tokens', label: t('price:byTokens') },
          { value: 'times', label: t('price:byCall') },
        ],
      },
      {
        kind: 'options',
        id: 'owner',
        label: t('owner'),
        pinned: true,
        options: [
          ...known.map(({ id, name, icon }) => ({
            value: id,
            label: name,
            tile: <OwnerTile name={name} icon={icon} size={20} />,
          })),
          ...unknown,
        ],
      },
      {
        kind: 'options',
        id: 'source',
        label: t('source'),
        pinned: true,
        options: priceSources.map((value) => ({ value, label: t(`sources.${value}`) })),
      },
    ];
  }, [t, owners, prices]);
}

function UnitMenu({ unit, onUnit }: { unit: string; onUnit: (unit: string) => void }) {
  const { t } = useTranslation('pricing');
  const chosen = unitKeys.find((key) => unitText(unitOf(key)) === unitText(unitOf(unit))) ?? 'USD1M';
  return (
    <MenuButton
      label={unitText(unitOf(chosen))}
      icon={ChevronDown}
      iconOnly={false}
      variant="ghost"
      entries={() => [
        {
          label: t('unit'),
          value: chosen,
          options: unitKeys.map((value) => ({ value, label: unitText(unitOf(value)) })),
          onPick: onUnit,
        },
      ]}
      className="flex-row-reverse px-2! font-normal! max-sm:hidden"
    />
  );
}

interface Props {
  onAdd: (model: string) => void;
  onEdit: (model: string) => void;
}

/**
 * Models that channels serve without a price, whose calls are refused or cost the default, by number of channels. Then
 * prices of such models without a fee of a tool, whose calls are refused, or with holidays that end.
 */
function UnpricedChip({ onAdd, onEdit }: Props) {
  const { t } = useTranslation('pricing');
  const models = useQuery(unpricedModels).data ?? [];
  const gaps = useQuery(priceGaps).data ?? [];
  if (models.length + gaps.length === 0) return null;
  const missing = ({ fees, ends }: (typeof gaps)[number]): string[] => [
    ...(fees.length > 0 ? [t('noFee', { count: fees.length })] : []),
    ...(ends === undefined ? [] : [t('holidaysEnd', { date: ends })]),
  ];
  return (
    <MenuButton
      label={models.length > 0 ? t('unpriced', { count: models.length }) : t('gaps', { count: gaps.length })}
      icon={TriangleAlert}
      iconOnly={false}
      align="start"
      entries={() => [
        ...(models.length > 0 ? [{ heading: t('setPriceOf') }] : []),
        ...models.map(({ model, channels }) => ({
          label: model,
          icon: Tag,
          note: t('onChannels', { count: channels }),
          onSelect: () => onAdd(model),
        })),
        ...(gaps.length > 0 ? [{ heading: t('fillGap') }] : []),
        ...gaps.map((gap) => ({
          label: gap.model,
          icon: gap.ends === undefined ? Wrench : CalendarX,
          note: missing(gap).join(' · '),
          onSelect: () => onEdit(gap.model),
        })),
      ]}
      className="h-7.5! rounded-full! border-warn-g! bg-warn-soft! px-3! font-normal! text-warn! max-sm:h-9! [&_.lucide]:text-warn!"
    />
  );
}
