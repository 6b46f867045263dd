import { splitList, type ChannelTag } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Tags } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Money } from '#ui/format/money.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { tagPage } from '#screens/panel/channel/channel-more-api.ts';
import { AddButton, MoreMenu, type ChannelViewProps } from '#screens/panel/channel/list/channel-header.tsx';
import { OrderChip } from '#screens/panel/channel/list/order-chip.tsx';
import { TagCard } from './tag-card.tsx';
import { TagHealth } from './tag-health.tsx';
import { TagPriority } from './tag-priority.tsx';
import { useTypeTitle } from '#screens/panel/channel/list/use-channel-columns.tsx';
import { useTagMenu } from './use-tag-menu.ts';

const keyOf = ({ tag }: ChannelTag) => tag;
const nameOf = keyOf;

const orders = [
  ['tag', 'byName'],
  ['-failing', 'failingFirst'],
  ['-channels', 'mostChannels'],
  ['-priority', 'highestPriority'],
  ['-used_quota', 'mostUsed'],
] as const;

export function TagList({ search, onSearch, onAsk, onNew, onHint }: ChannelViewProps) {
  const { t } = useTranslation('channel');
  const { page, size, tags: order, keyword } = search;
  const rows = useQuery(tagPage(search));
  const phone = useIsPhone();
  const menu = useTagMenu({ onSearch, onAsk });
  const add = <AddButton onNew={onNew} onHint={onHint} />;
  const toolbar = {
    search: {
      value: keyword,
      placeholder: t('kin.search'),
      onChange: (next: string) => onSearch({ keyword: next, page: 1 }),
    },
    onClear: () => onSearch({ keyword: '', page: 1 }),
    children: (
      <>
        <OrderChip
          order={order}
          orders={orders.map(([value, key]) => ({ value, label: t(`kin.${key}`) }))}
          onOrder={(tags) => onSearch({ tags, page: 1 })}
        />
        {phone && <MoreMenu search={search} onSearch={onSearch} onAsk={onAsk} />}
      </>
    ),
    aside: phone ? add : undefined,
  };
  return (
    <DataTable
      name="channel-tag"
      label={t('tags')}
      columns={useTagColumns()}
      page={rows}
      search={{ page, size, order }}
      onSearch={({ order: tags, ...change }) =>
        onSearch({ ...change, ...(tags !== undefined && { tags: tags || 'tag' }) })
      }
      keyOf={keyOf}
      nameOf={nameOf}
      toolbar={toolbar}
      empty={<EmptyState icon={Tags} title={t('kin.empty')} text={t('kin.emptyText')} />}
      onOpen={({ tag }) => onSearch({ kin: tag })}
      activeKey={search.kin || undefined}
      rowMenu={menu}
      card={(row) => <TagCard row={row} menu={menu} />}
    />
  );
}

function useTagColumns(): readonly Column<ChannelTag>[] {
  const { t } = useTranslation('channel');
  const typeTitle = useTypeTitle();
  return [
    {
      id: 'tag',
      head: t('kin.head'),
      sortable: true,
      hideable: false,
      cell: ({ tag, types }) => (
        <span className="flex min-w-0 items-center gap-2.5">
          <ChannelTile type={types[0]} name={tag} />
          <span className="grid min-w-0 leading-[18px]">
            <span className="truncate">{tag}</span>
            <span className="truncate text-12 text-text2">{types.map(typeTitle).join(', ')}</span>
          </span>
        </span>
      ),
    },
    {
      id: 'channels',
      head: t('kin.channels'),
      width: 260,
      sortable: true,
      descFirst: true,
      cell: (row) => <TagHealth row={row} />,
    },
    {
      id: 'models',
      head: t('kin.models'),
      width: 140,
      cell: ({ models }) => (
        <Tooltip text={splitList(models).join(', ')}>
          <span className="text-text2">{t('kin.modelSum', { count: splitList(models).length })}</span>
        </Tooltip>
      ),
    },
    {
      id: 'group',
      head: t('groups'),
      width: 160,
      cell: ({ group }) => <span className="text-text2">{splitList(group).join(', ')}</span>,
    },
    {
      id: 'used_quota',
      head: t('kin.used'),
      width: 110,
      align: 'right',
      sortable: true,
      descFirst: true,
      cell: ({ used_quota: used }) => <Money credits={used} />,
    },
    {
      id: 'priority',
      head: t('priority'),
      width: 140,
      align: 'right',
      sortable: true,
      descFirst: true,
      overflow: true,
      cell: (row) => <TagPriority row={row} />,
    },
  ];
}
