import { channelApi, channelStatus } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ListOrdered } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { call } from '#api/call.ts';
import { noFilters, type FilterDef, type FilterValues } from '#shared/filter.ts';
import { Icon } from '#shared/icon.tsx';
import { MenuButton } from '#shared/menu-button.tsx';
import { formatWhole } from '#shared/number.ts';
import { everyChannel } from '#api/every-channel.ts';
import type { ToolbarProps } from '#shared/toolbar.tsx';
import { channelTypes, groupSymbols, type ChannelQuery } from './channel-api.ts';

/** Above this many channels the tags in use are not looked up, but typed. */
const mostForTags = 500;

interface Options {
  query: ChannelQuery;
  total: number | undefined;
  onSearch: (change: Partial<ChannelQuery>) => void;
}

/** Search, filters and order of the list, as the address has them. */
export function useChannelToolbar({ query, total, onSearch }: Options): Omit<ToolbarProps, 'tools'> {
  const { t } = useTranslation('channel');
  const filters = useFilters(total ?? 0);
  const { keyword, status, type, group, tag, size } = query;
  return {
    search: { value: keyword, placeholder: t('search'), onChange: (next) => onSearch({ keyword: next, page: 1 }) },
    filters,
    values: { status, type, group, tag },
    onFilter: (change) => onSearch({ ...cleared(change), page: 1 }),
    onClear: () => onSearch({ ...cleared(noFilters(filters)), keyword: '', page: 1 }),
    countFor: async (values) =>
      (await call(channelApi.list, { query: { keyword, ...cleared(values), size: 1 } })).total_count,
    children: <OrderChip order={query.order} onOrder={(order) => onSearch({ order, page: 1 })} />,
    aside: total !== undefined && total > size ? t('count', { count: total, total: formatWhole(total) }) : undefined,
  };
}

/** A cleared filter is 0 or empty in the address. */
function cleared(values: FilterValues): Partial<ChannelQuery> {
  const change: Partial<ChannelQuery> = {};
  if ('status' in values) change.status = Number(values['status'] ?? 0);
  if ('type' in values) change.type = Number(values['type'] ?? 0);
  if ('group' in values) change.group = String(values['group'] ?? '');
  if ('tag' in values) change.tag = String(values['tag'] ?? '');
  return change;
}

function useFilters(total: number): readonly FilterDef[] {
  const { t } = useTranslation(['channel', 'shared']);
  const types = useQuery(channelTypes).data ?? [];
  const groups = useQuery(groupSymbols).data ?? [];
  const every = useQuery({ ...everyChannel, enabled: total > 0 && total <= mostForTags }).data?.data ?? [];
  const tags = [...new Set(every.map(({ tag }) => tag).filter((tag) => tag !== ''))].toSorted();
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
    {
      kind: 'options',
      id: 'type',
      label: t('type'),
      options: types.map(({ type, title }) => ({ value: type, label: title })),
    },
    {
      kind: 'options',
      id: 'group',
      label: t('group'),
      options: groups.map((symbol) => ({ value: symbol, label: symbol })),
    },
    tags.length > 0
      ? { kind: 'options', id: 'tag', label: t('tag'), options: tags.map((tag) => ({ value: tag, label: tag })) }
      : { kind: 'text', id: 'tag', label: t('tag') },
  ];
}

const orders = [
  ['', 'newest'],
  ['id', 'oldest'],
  ['name', 'byName'],
  ['-status', 'disabledFirst'],
  ['-response_time', 'slowestFirst'],
  ['-used_quota', 'mostUsed'],
  ['-priority,-weight', 'triedFirst'],
] as const;

/** The order of the list, where heads do not say it. */
function OrderChip({ order, onOrder }: { order: string; onOrder: (order: string) => void }) {
  const { t } = useTranslation('channel');
  const named = orders.find(([value]) => value === order)?.[1];
  const entries = () => [
    {
      label: t('order.title'),
      value: order,
      options: orders.map(([value, key]) => ({ value, label: t(`order.${key}`) })),
      onPick: onOrder,
    },
  ];
  return (
    <MenuButton
      label={`${t('order.title')}${t('order.colon')} ${t(`order.${named ?? 'byColumn'}`)}`}
      icon={ListOrdered}
      iconOnly={false}
      align="start"
      entries={entries}
      className="h-7.5! rounded-full! px-2.5! font-normal! text-text2! max-sm:h-9!"
    >
      <Icon of={ChevronDown} size={14} />
    </MenuButton>
  );
}
