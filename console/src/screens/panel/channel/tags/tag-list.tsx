import {
  type Channel,
  type ChannelChanged,
  channelStatus,
  type ChannelTag,
  channelTagApi,
  splitList,
} from '@relay-hub/contract';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleMinus, List, Pencil, Tags, Trash2, Zap } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Money } from '#ui/format/money.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { tagPage } from '#screens/panel/channel/channel-more-api.ts';
import { AddButton, type ChannelViewProps, MoreMenu } from '#screens/panel/channel/list/channel-header.tsx';
import { OrderChip } from '#screens/panel/channel/list/order-chip.tsx';
import { TagCard } from './tag-card.tsx';
import { TagHealth } from './tag-health.tsx';
import { useTypeTitle } from '#screens/panel/channel/list/use-channel-columns.tsx';
import { call } from '#api/call.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { toast } from '#ui/feedback/toast.ts';
import { toastChanged } from '#screens/panel/channel/bulk/channel-actions.ts';
import { channelTexts } from '#screens/panel/channel/channel-texts.ts';
import { NumberCell } from '#screens/panel/channel/list/number-cell.tsx';

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
      empty={
        <EmptyState
          icon={Tags}
          title={t('kin.empty')}
          text={t('kin.emptyText')}
          action={
            <Button icon={List} render={<Link to="/panel/channel" />}>
              {t('kin.showChannels')}
            </Button>
          }
        />
      }
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

type Options = Pick<ChannelViewProps, 'onSearch' | 'onAsk'>;

function useTagMenu({ onSearch, onAsk }: Options): (row: ChannelTag) => MenuEntries {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  return (row) => {
    const { tag } = row;
    const turn = (status: 'enable' | 'disable') => () =>
      void run(
        client,
        call(channelTagApi.setStatus, { params: { tag, status } }),
        t(status === 'enable' ? 'kin.enabled_done' : 'kin.disabled_done', { tag }),
      );
    /** Opens a confirmation for the members, which are fetched first. */
    const ask = (about: 'delete' | 'test', wanted: (channel: Channel) => boolean) => async () => {
      const channels = (await call(channelTagApi.members, { params: { tag } })).filter(wanted);
      if (channels.length === 0) toast.info(t('delete.none'));
      else onAsk({ about, channels });
    };
    return [
      { label: t('kin.edit'), icon: Pencil, onSelect: () => onSearch({ kin: tag }) },
      { label: t('kin.show'), icon: List, onSelect: () => onSearch({ view: 'list', tag, page: 1, keyword: '' }) },
      { label: t('test.action'), icon: Zap, saves: true, onSelect: () => void ask('test', () => true)() },
      'line',
      row.enabled < row.channels && {
        label: t('kin.enable'),
        icon: CircleCheck,
        saves: true,
        onSelect: turn('enable'),
      },
      row.enabled > 0 && { label: t('kin.disable'), icon: CircleMinus, saves: true, onSelect: turn('disable') },
      row.disabled + row.test_disabled > 0 && {
        label: t('kin.removeOff'),
        icon: Trash2,
        danger: true,
        onSelect: () => void ask('delete', ({ status }) => status !== channelStatus.enabled)(),
      },
      { label: t('kin.remove'), icon: Trash2, danger: true, onSelect: () => void ask('delete', () => true)() },
    ];
  };
}

async function run(client: QueryClient, work: Promise<ChannelChanged>, message: string): Promise<void> {
  try {
    toastChanged(client, await work, message);
  } catch (error) {
    toast.error(channelTexts()('change.failed'), { detail: error instanceof Error ? error.message : String(error) });
  }
}

/** One priority for all channels of a tag; shows the highest, and the lowest where they differ. */
function TagPriority({ row }: { row: ChannelTag }) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const { tag, priority, lowest_priority: low } = row;
  const save = useMutation({
    mutationFn: (value: number) =>
      call(channelTagApi.setPriority, { params: { tag }, body: { type: 'priority', value } }),
    onSuccess: (done, value) => toastChanged(client, done, t('kin.prioritySaved', { tag, value })),
  });
  return (
    <span className="flex items-center justify-end gap-2">
      {low < priority && (
        <span className="text-12 whitespace-nowrap text-text2">{t('kin.priorityRange', { low })}</span>
      )}
      <NumberCell
        label={t('number.of', { field: t('priority'), name: tag })}
        field={t('priority')}
        value={priority}
        lowest={0}
        onSave={save.mutate}
      />
    </span>
  );
}
