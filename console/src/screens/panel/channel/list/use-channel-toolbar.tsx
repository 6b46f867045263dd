import { channelApi, channelStatus } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { filterToolbar } from '#list/list-filters.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import { Mark } from '#ui/basic/mark.tsx';
import { formatWhole } from '#ui/format/number.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { channelTypes } from '#api/channel-types.ts';
import { groupSymbols, tagNames, type ChannelQuery } from '#screens/panel/channel/channel-api.ts';
import { noChannelFilters, type Narrowing } from './channel-filters.ts';
import { OrderChip } from './order-chip.tsx';

interface Options {
  query: ChannelQuery;
  total: number | undefined;
  onSearch: (change: Partial<ChannelQuery>) => void;
}

const orders = [
  ['trouble', 'trouble'],
  ['-id', 'newest'],
  ['id', 'oldest'],
  ['name', 'byName'],
  ['-response_time', 'slowestFirst'],
  ['-used_quota', 'mostUsed'],
  ['-priority,-weight', 'triedFirst'],
] as const;

export function useChannelToolbar({ query, total, onSearch }: Options): ToolbarProps {
  const { t } = useTranslation('channel');
  const filters = useFilters();
  const { size, order } = query;
  return {
    ...filterToolbar<Narrowing>({
      none: noChannelFilters,
      search: query,
      field: 'keyword',
      placeholder: t('search'),
      filters,
      onChange: (next) => onSearch({ ...next, key: endOf(next.key), page: 1 }),
      count: async (next) =>
        (await call(channelApi.list, { query: { ...next, key: endOf(next.key), size: 1 } })).total_count,
    }),
    children: (
      <OrderChip
        order={order}
        orders={orders.map(([value, key]) => ({ value, label: t(`order.${key}`) }))}
        onOrder={(next) => onSearch({ order: next, page: 1 })}
      />
    ),
    aside: total !== undefined && total > size ? t('count', { count: total, total: formatWhole(total) }) : undefined,
  };
}

/** The address gets only the part of a key that lists show: addresses are remembered, shared and logged. */
const endOf = (key: string): string => key.trim().slice(-4);

function useFilters(): readonly FilterDef[] {
  const { t } = useTranslation(['channel', 'shared']);
  const types = useQuery(channelTypes).data ?? [];
  const groups = useQuery(groupSymbols).data ?? [];
  const tags = useQuery(tagNames).data ?? [];
  return [
    {
      kind: 'options',
      id: 'status',
      label: t('status'),
      pinned: true,
      options: [
        { value: channelStatus.enabled, label: t('shared:statusEnabled') },
        { value: channelStatus.disabled, label: t('shared:statusDisabled') },
        { value: channelStatus.testDisabled, label: t('shared:statusTestDisabled') },
      ],
    },
    { kind: 'options', id: 'trouble', label: t('onlyTrouble'), options: [{ value: 1, label: t('troubleOnly') }] },
    {
      kind: 'options',
      id: 'type',
      label: t('type'),
      options: types
        .filter(({ supported }) => supported)
        .map(({ type, title, mark }) => ({
          value: type,
          label: title,
          tile: <Mark name={title} mark={mark} size={20} />,
        })),
    },
    {
      kind: 'options',
      id: 'group',
      label: t('group'),
      options: groups.map((symbol) => ({ value: symbol, label: symbol })),
    },
    { kind: 'options', id: 'tag', label: t('tag'), options: tags.map(({ tag }) => ({ value: tag, label: tag })) },
    {
      kind: 'options',
      id: 'filter_tag',
      label: t('tagged'),
      options: [
        { value: '2', label: t('withTag') },
        { value: '1', label: t('withoutTag') },
      ],
    },
    { kind: 'text', id: 'models', label: t('find.models'), placeholder: t('find.modelsHint') },
    { kind: 'text', id: 'test_model', label: t('find.testModel'), placeholder: t('find.beginning') },
    { kind: 'text', id: 'key', label: t('find.key'), placeholder: t('find.keyHint') },
    { kind: 'text', id: 'other', label: t('find.other'), placeholder: t('find.beginning') },
  ];
}
