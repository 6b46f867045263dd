import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { Ellipsis, FilterX, ListChecks, RefreshCw, Trash2, Wallet, Waypoints, Zap } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { CreateButton } from '#list/create-button.tsx';
import { Button } from '#ui/basic/button.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import {
  channelJobs,
  channelPage,
  isNarrowed,
  queryOf,
  type ChannelSearch,
} from '#screens/panel/channel/channel-api.ts';
import type { ChannelDialog } from './channel-dialogs.tsx';
import { channelsOff, testAll, updateBalances } from '#screens/panel/channel/checks/lazy-channel-actions.ts';

export interface ChannelViewProps {
  search: ChannelSearch;
  onSearch: (change: Partial<ChannelSearch>) => void;
  onAsk: (question: ChannelDialog) => void;
  onNew: () => void;
  onHint: () => void;
}

export function ChannelHeader(props: ChannelViewProps) {
  const { t } = useTranslation('channel');
  const phone = useIsPhone();
  const client = useQueryClient();
  const { search, onAsk } = props;
  const query = queryOf(search);
  const total = useQuery(channelPage(query)).data?.total_count;
  const asks = search.ask === 'test' && total !== undefined;
  const ask = useEffectEvent(() => {
    props.onSearch({ ask: '' });
    if (total !== undefined && total > 0) onAsk(confirmTestAll(client, total));
  });
  useEffect(() => {
    if (asks) ask();
  }, [asks]);
  if (phone) return <PageHeader title={t('title')} />;
  return (
    <PageHeader
      title={t('title')}
      text={t(search.view === 'tags' ? 'kin.text' : 'text')}
      help={<p className="whitespace-pre-line">{t('help')}</p>}
    >
      <ViewChoice {...props} />
      {total !== undefined && total > 1 && (
        <Button icon={Zap} saves onClick={() => onAsk(confirmTestAll(client, total))}>
          {t('test.all')}
        </Button>
      )}
      <Button icon={Waypoints} onClick={() => props.onSearch({ why: 1 })}>
        {t('route')}
      </Button>
      <MoreMenu {...props} />
      {/* An empty list has this button in its centre. */}
      {(total !== 0 || search.view === 'tags' || isNarrowed(query)) && <AddButton {...props} />}
    </PageHeader>
  );
}

const confirmTestAll = (client: QueryClient, count: number): ChannelDialog => ({
  about: 'testAll',
  count,
  onYes: () => void testAll(client),
});

function ViewChoice({ search, onSearch }: Pick<ChannelViewProps, 'search' | 'onSearch'>) {
  const { t } = useTranslation('channel');
  return (
    <Segmented
      label={t('view')}
      value={search.view === 'tags' ? 'tags' : 'list'}
      options={[
        { value: 'list', label: t('list') },
        { value: 'tags', label: t('tags') },
      ]}
      onChange={(view) => onSearch({ view, page: 1 })}
    />
  );
}

export function AddButton({ onNew, onHint }: Pick<ChannelViewProps, 'onNew' | 'onHint'>) {
  const { t } = useTranslation('channel');
  return <CreateButton label={t(useIsPhone() ? 'addShort' : 'add')} preload={onHint} onCreate={onNew} />;
}

/** Less frequent actions on many channels; on phones also the view switch. */
export function MoreMenu({ search, onSearch, onAsk }: Pick<ChannelViewProps, 'search' | 'onSearch' | 'onAsk'>) {
  const { t } = useTranslation('channel');
  const phone = useIsPhone();
  const client = useQueryClient();
  const query = queryOf(search);
  const total = useQuery(channelPage(query)).data?.total_count ?? 0;
  const lastTest = useQuery(channelJobs).data?.find(({ kind }) => kind === 'test');
  const removeOff = async () => {
    const channels = await channelsOff();
    if (channels.length > 0) onAsk({ about: 'delete', channels });
  };
  const views = {
    label: t('view'),
    value: search.view,
    options: [
      { value: 'list', label: t('list') },
      { value: 'tags', label: t('tags') },
    ],
    onPick: (view: string) => onSearch({ view: view === 'tags' ? 'tags' : 'list', page: 1 }),
  };
  const entries = () => [
    phone && views,
    phone && ('line' as const),
    phone &&
      total > 1 && {
        label: t('test.all'),
        icon: Zap,
        saves: true,
        onSelect: () => onAsk(confirmTestAll(client, total)),
      },
    phone && { label: t('route'), icon: Waypoints, onSelect: () => onSearch({ why: 1 }) },
    lastTest &&
      lastTest.state !== 'none' && {
        label: t('job.last'),
        icon: ListChecks,
        onSelect: () => onAsk({ about: 'job', job: lastTest }),
      },
    { label: t('balance.all'), icon: Wallet, saves: true, onSelect: () => void updateBalances(client) },
    'line' as const,
    { label: t('change.matching'), icon: FilterX, saves: true, onSelect: () => onAsk({ about: 'change', query }) },
    {
      label: t('change.version'),
      icon: RefreshCw,
      saves: true,
      onSelect: () => onAsk({ about: 'change', query: { ...query, ...azure }, start: ['api_version'] }),
    },
    {
      label: t('change.model'),
      icon: FilterX,
      saves: true,
      onSelect: () => onAsk({ about: 'change', query, start: ['models'], how: 'remove' }),
    },
    { label: t('delete.off'), icon: Trash2, danger: true, onSelect: () => void removeOff() },
  ];
  return <MenuButton label={t('more')} icon={Ellipsis} variant="default" entries={entries} />;
}

/** Channels that have an API version. */
const azure = { keyword: '', status: 0, type: 3, group: '', tag: '', filter_tag: '', trouble: 0 } as const;
