import type { Price } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { modelNames } from '#api/model-names.ts';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatWhole } from '#ui/format/number.ts';
import type { Column } from '#ui/table/table-column.ts';
import { Time } from '#ui/format/time.tsx';
import { extraWidth } from '#screens/panel/pricing/edit/fit-count.ts';
import {
  ExtraCell,
  ModelCell,
  ModelsCell,
  ModelTitle,
  PhoneRate,
  RatioCell,
  SourceCell,
  TypeCell,
} from './price-cells.tsx';
import { unitText, type OwnPriceGroup, type PriceUnit } from './pricing-search.ts';

/** By wildcard, how many known models it sets the price of: those without an own price or a longer matching prefix. */
function useCovers(prices: readonly Price[]): ReadonlyMap<string, number> {
  const known = useQuery(modelNames).data;
  return useMemo(() => {
    const covers = new Map<string, number>();
    const exact = new Set(prices.map(({ model }) => model));
    const beginnings = [...exact].filter((name) => name.endsWith('*')).toSorted((a, b) => b.length - a.length);
    for (const name of known ?? []) {
      const found = exact.has(name) ? undefined : beginnings.find((each) => name.startsWith(each.slice(0, -1)));
      if (found) covers.set(found, (covers.get(found) ?? 0) + 1);
    }
    return covers;
  }, [known, prices]);
}

export function usePriceColumns(prices: readonly Price[], unit: PriceUnit): readonly Column<Price>[] {
  const { t } = useTranslation('pricing');
  const covers = useCovers(prices);
  return useMemo(
    () => [
      {
        id: 'model',
        head: t('model'),
        least: 240,
        sortable: true,
        hideable: false,
        phone: 'title',
        phoneCell: (price) => <ModelTitle text={price.model} ownerId={price.channel_type} />,
        cell: (price) => <ModelCell price={price} covers={covers.get(price.model)} unit={unit} />,
      },
      { id: 'type', head: t('billing'), width: 100, sortable: true, cell: (price) => <TypeCell type={price.type} /> },
      ...ratioColumns<Price>(
        t('inputOf', { unit: unitText(unit) }),
        t('outputOf', { unit: unitText(unit) }),
        (price) => price,
        unit,
      ),
      {
        id: 'extra',
        head: t('extraOf', { unit: unitText(unit) }),
        width: extraWidth + 20,
        cell: (price) => <ExtraCell terms={price} unit={unit} />,
      },
      {
        id: 'source',
        head: t('source'),
        width: 100,
        phone: 'value',
        phoneCell: ({ source }) => (
          <span className="font-normal">
            <SourceCell source={source} />
          </span>
        ),
        cell: ({ source }) => <SourceCell source={source} />,
      },
      {
        id: 'version',
        head: t('version'),
        width: 96,
        align: 'right',
        sortable: true,
        descFirst: true,
        hidden: true,
        cell: (price) => `#${formatWhole(price.version)}`,
      },
      {
        id: 'valid_from',
        head: t('since'),
        width: 160,
        sortable: 'version',
        descFirst: true,
        hidden: true,
        cell: (price) => <Time at={price.valid_from} className="text-text2" />,
      },
    ],
    [t, covers, unit],
  );
}

export function useGroupColumns(unit: PriceUnit): readonly Column<OwnPriceGroup>[] {
  const { t } = useTranslation('pricing');
  return useMemo(
    () => [
      {
        id: 'model',
        head: t('models'),
        least: 240,
        sortable: true,
        hideable: false,
        phone: 'title',
        phoneCell: (group) => <ModelTitle text={group.models.join(', ')} ownerId={group.channel_type} />,
        cell: (group) => <ModelsCell models={group.models} terms={group} unit={unit} />,
      },
      {
        id: 'models',
        head: t('count'),
        width: 96,
        align: 'right',
        sortable: true,
        descFirst: true,
        phone: 'value',
        phoneCell: (group) => (
          <span className="text-13 font-normal text-text2">{t('modelCount', { count: group.models.length })}</span>
        ),
        cell: (group) => formatWhole(group.models.length),
      },
      { id: 'type', head: t('billing'), width: 100, sortable: true, cell: (group) => <TypeCell type={group.type} /> },
      ...ratioColumns<OwnPriceGroup>(
        t('inputOf', { unit: unitText(unit) }),
        t('outputOf', { unit: unitText(unit) }),
        (group) => group,
        unit,
      ),
      {
        id: 'extra',
        head: t('extraOf', { unit: unitText(unit) }),
        width: extraWidth + 20,
        cell: (group) => <ExtraCell terms={group} unit={unit} />,
      },
    ],
    [t, unit],
  );
}

function ratioColumns<Row>(
  input: string,
  output: string,
  termsOf: (row: Row) => Price | OwnPriceGroup,
  unit: PriceUnit,
): Column<Row>[] {
  return (['input', 'output'] as const).map((side) => ({
    id: side,
    head: side === 'input' ? input : output,
    width: 122,
    align: 'right',
    sortable: true,
    descFirst: true,
    phone: 'line',
    phoneCell: (row) => <PhoneRate terms={termsOf(row)} side={side} unit={unit} />,
    cell: (row) => <RatioCell terms={termsOf(row)} side={side} unit={unit} />,
  }));
}
