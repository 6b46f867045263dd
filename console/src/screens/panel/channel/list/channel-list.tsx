import type { Channel, ChannelScope } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Waypoints } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { fetchAllChannels } from '#api/all-channels.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { isPhone, useIsPhone } from '#ui/basic/use-media.ts';
import type { Selection } from '#ui/table/use-selection.ts';
import { channelPage, isNarrowed, queryOf } from '#screens/panel/channel/channel-api.ts';
import { AddButton, MoreMenu, type ChannelViewProps } from './channel-header.tsx';
import { filterOf } from '#screens/panel/channel/channel-scope.ts';
import { ChannelTestButton } from '#screens/panel/channel/checks/channel-test-button.tsx';
import { useChannelColumns, useHealth, useTypeTitle } from './use-channel-columns.tsx';
import { useChannelMenu } from './use-channel-menu.tsx';
import { useChannelToolbar } from './use-channel-toolbar.tsx';

// Cards are used on phones only, where they load with the screen rather than after its list.
const loadCard = () => import('./channel-card.tsx');
const ChannelCard = lazy(async () => ({ default: (await loadCard()).ChannelCard }));
if (isPhone()) void loadCard();
const ChannelBulk = lazy(async () => ({
  default: (await import('#screens/panel/channel/bulk/channel-bulk.tsx')).ChannelBulk,
}));

const keyOf = ({ id }: Channel) => id;
const nameOf = ({ name }: Channel) => name;
const rowActions = (channel: Channel) => <ChannelTestButton channel={channel} />;

export function ChannelList({ search, onSearch, onAsk, onNew, onHint }: ChannelViewProps) {
  const { t } = useTranslation('channel');
  const { show, edit, copy } = search;
  const query = queryOf(search);
  const page = useQuery(channelPage(query));
  const total = page.data?.total_count;
  // An empty list has the create button in its centre.
  const isEmpty = total === 0 && !isNarrowed(query);
  const phone = useIsPhone();
  const toolbar = useChannelToolbar({ query, total, onSearch });
  const menu = useChannelMenu({
    onEdit: ({ id }) => onSearch({ edit: String(id) }),
    onCopy: ({ id }) => onSearch({ copy: id }),
    onTest: (channel) => onAsk({ about: 'models', channels: [channel] }),
    onDelete: (channel) => onAsk({ about: 'delete', channels: [channel] }),
  });
  const add = <AddButton onNew={onNew} onHint={onHint} />;
  const bulk = ({ rows, clear }: Selection<Channel>) => {
    // Selecting all rows means all that match the filter; the server finds them itself.
    const all = total !== undefined && rows.length === total && rows.length > 1;
    const scope: ChannelScope = all
      ? { filter: filterOf(query), count: rows.length }
      : { ids: rows.map(({ id }) => id) };
    return (
      <Suspense>
        <ChannelBulk channels={rows} scope={scope} query={all ? query : undefined} onAsk={onAsk} onDone={clear} />
      </Suspense>
    );
  };
  const phoneBar = {
    ...toolbar,
    aside: add,
    children: (
      <>
        {toolbar.children}
        <MoreMenu search={search} onSearch={onSearch} onAsk={onAsk} />
      </>
    ),
  };
  return (
    <DataTable
      name="channel"
      label={t('title')}
      columns={useChannelColumns()}
      page={page}
      search={query}
      onSearch={onSearch}
      keyOf={keyOf}
      nameOf={nameOf}
      // On phones the list comes right after the title, and its toolbar holds the header's actions.
      toolbar={phone && !isEmpty ? phoneBar : toolbar}
      empty={<EmptyState icon={Waypoints} title={t('empty.title')} text={t('empty.text')} action={add} />}
      onOpen={({ id }) => onSearch({ show: id })}
      activeKey={Number(edit) || copy || show || undefined}
      rowActions={rowActions}
      rowMenu={menu}
      actionsWidth={78}
      bulk={bulk}
      allRows={() => fetchAllChannels(query)}
      card={useCard(menu)}
    />
  );
}

function useCard(menu: ReturnType<typeof useChannelMenu>) {
  const typeTitle = useTypeTitle();
  const healthOf = useHealth();
  return (channel: Channel) => (
    <Suspense fallback={<div className="h-28" />}>
      <ChannelCard channel={channel} typeTitle={typeTitle(channel.type)} bars={healthOf(channel.id)} menu={menu} />
    </Suspense>
  );
}
