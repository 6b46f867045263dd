import type { Channel } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, Waypoints, Zap } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#shared/button.tsx';
import { DataTable } from '#shared/data-table.tsx';
import { EmptyState } from '#shared/empty-state.tsx';
import { PageHeader } from '#shared/page-header.tsx';
import { useIsPhone } from '#shared/use-media.ts';
import { listAllChannels } from '#api/every-channel.ts';
import type { Selection } from '#shared/use-selection.ts';
import { channelPage, type ChannelQuery, type ChannelSearch } from './channel-api.ts';
import { ChannelBulk } from './channel-bulk.tsx';
import { ChannelCard } from './channel-card.tsx';
import { ChannelTestButton } from './channel-test-button.tsx';
import { useChannelColumns, useHealth, useTypeTitle } from './use-channel-columns.tsx';
import { useChannelMenu } from './use-channel-menu.ts';
import { useChannelToolbar } from './use-channel-toolbar.tsx';

const loadDrawer = () => import('./channel-drawer.tsx');
const ChannelDrawer = lazy(async () => ({ default: (await loadDrawer()).ChannelDrawer }));
const ChannelDelete = lazy(async () => ({ default: (await import('./channel-delete.tsx')).ChannelDelete }));
const ChannelTestDialog = lazy(async () => ({
  default: (await import('./channel-test-dialog.tsx')).ChannelTestDialog,
}));
const ChannelTestConfirm = lazy(async () => ({
  default: (await import('./channel-test-confirm.tsx')).ChannelTestConfirm,
}));

const route = getRouteApi('/panel/channel');
const keyOf = ({ id }: Channel) => id;
const nameOf = ({ name }: Channel) => name;
const rowActions = (channel: Channel) => <ChannelTestButton channel={channel} />;

/** What is asked about one or several channels. */
interface Question {
  about: 'delete' | 'models' | 'test';
  channels: readonly Channel[];
  onDone?: () => void;
}

export function ChannelScreen() {
  const { t } = useTranslation('channel');
  const { edit, copy, ...query } = route.useSearch();
  const navigate = route.useNavigate();
  const page = useQuery(channelPage(query));
  const [question, setQuestion] = useState<Question>();
  const total = page.data?.total_count;
  // Then the one thing to do stands in the middle of the table.
  const isEmpty = total === 0 && !isNarrowed(query);
  const phone = useIsPhone();
  const go = (change: Partial<ChannelSearch>, replace = false) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace });
  const toolbar = useChannelToolbar({ query, total, onSearch: go });
  const menu = useChannelMenu({
    onEdit: ({ id }) => go({ edit: String(id) }),
    onCopy: ({ id }) => go({ copy: id }),
    onTest: (channel) => setQuestion({ about: 'models', channels: [channel] }),
    onDelete: (channel) => setQuestion({ about: 'delete', channels: [channel] }),
  });
  const add = (
    <Button
      variant="primary"
      icon={Plus}
      onPointerEnter={() => void loadDrawer()}
      onFocus={() => void loadDrawer()}
      onClick={() => go({ edit: 'new' })}
    >
      {t('add')}
    </Button>
  );
  const testAll = async () => setQuestion({ about: 'test', channels: (await listAllChannels()).data });
  const bulk = ({ rows, clear }: Selection<Channel>) => (
    <ChannelBulk
      channels={rows}
      onTest={() => setQuestion({ about: 'test', channels: rows })}
      onDelete={() => setQuestion({ about: 'delete', channels: rows, onDone: clear })}
      onDone={clear}
    />
  );
  return (
    <>
      {phone ? (
        <PageHeader title={t('title')} />
      ) : (
        <PageHeader title={t('title')} text={t('text')} help={<p className="whitespace-pre-line">{t('help')}</p>}>
          {total !== undefined && total > 1 && (
            <Button icon={Zap} onClick={() => void testAll()}>
              {t('test.all')}
            </Button>
          )}
          {!isEmpty && add}
        </PageHeader>
      )}
      <DataTable
        name="channel"
        label={t('title')}
        columns={useChannelColumns()}
        page={page}
        search={query}
        onSearch={go}
        keyOf={keyOf}
        nameOf={nameOf}
        // On a phone the list comes first: its toolbar has room for what the header holds elsewhere.
        toolbar={phone && !isEmpty ? { ...toolbar, aside: add } : toolbar}
        empty={<EmptyState icon={Waypoints} title={t('empty.title')} text={t('empty.text')} action={add} />}
        onOpen={({ id }) => go({ edit: String(id) })}
        activeKey={Number(edit) || copy || undefined}
        rowActions={rowActions}
        rowMenu={menu}
        actionsWidth={88}
        bulk={bulk}
        allRows={async () => (await listAllChannels(query)).data}
        card={useCard(menu)}
      />
      <Suspense>
        {(edit !== '' || copy > 0) && (
          <ChannelDrawer
            edit={edit}
            copy={copy}
            onMade={(id) => go({ edit: String(id), copy: 0 }, true)}
            onClose={() => go({ edit: '', copy: 0 })}
          />
        )}
        {question && <Asked question={question} onClose={() => setQuestion(undefined)} />}
      </Suspense>
    </>
  );
}

const isNarrowed = ({ keyword, status, type, group, tag }: ChannelQuery): boolean =>
  keyword !== '' || status > 0 || type > 0 || group !== '' || tag !== '';

function useCard(menu: ReturnType<typeof useChannelMenu>) {
  const typeTitle = useTypeTitle();
  const healthOf = useHealth();
  return (channel: Channel) => (
    <ChannelCard channel={channel} typeTitle={typeTitle(channel.type)} bars={healthOf(channel.id)} menu={menu} />
  );
}

function Asked({ question: { about, channels, onDone }, onClose }: { question: Question; onClose: () => void }) {
  const [first] = channels;
  if (about === 'delete') return <ChannelDelete channels={channels} onDeleted={() => onDone?.()} onClose={onClose} />;
  if (about === 'test') return <ChannelTestConfirm channels={channels} onClose={onClose} />;
  return first && <ChannelTestDialog channel={first} onClose={onClose} />;
}
