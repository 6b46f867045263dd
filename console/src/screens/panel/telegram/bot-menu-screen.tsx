import { botCommands, type BotMenuEntry } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Bot, Pencil, Trash2 } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { CreateButton } from '#list/create-button.tsx';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { rowId, useRecordScreen } from '#list/use-list-screen.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import type { Column } from '#ui/table/table-column.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { botMenuPage } from './bot-api.ts';
import { BotState } from './bot-state.tsx';

const loadDrawer = () => import('./bot-menu-drawer.tsx');
const BotMenuDrawer = lazy(async () => ({ default: (await loadDrawer()).BotMenuDrawer }));
const RemoveBotCommand = lazy(async () => ({ default: (await import('./remove-bot-command.tsx')).RemoveBotCommand }));

const route = getRouteApi('/panel/telegram');
const nameOf = ({ command }: BotMenuEntry) => `/${command}`;

/** Commands that the operator adds to the Telegram bot, and the state of the bot. */
export function BotMenuScreen() {
  const { t } = useTranslation('telegram');
  const { edit, query, activeKey, go, find, open, create, closeForm } = useRecordScreen(
    route.useSearch(),
    route.useNavigate(),
  );
  const page = useQuery(botMenuPage(query));
  const [removing, setRemoving] = useState<BotMenuEntry>();
  const menu = (entry: BotMenuEntry): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => open(entry) },
    'line',
    { label: t('remove'), icon: Trash2, danger: true, onSelect: () => setRemoving(entry) },
  ];
  const add = <CreateButton label={t('add')} preload={loadDrawer} onCreate={create} />;
  const toolbar = {
    search: { value: query.keyword, placeholder: t('search'), onChange: (keyword: string) => find({ keyword }) },
  };
  const total = page.data?.total_count ?? 0;
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={add} />
      <BotState />
      <DataTable
        name="telegram"
        label={t('title')}
        columns={useColumns()}
        page={page}
        search={query}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={useToolbarWith(toolbar, add)}
        empty={<EmptyState icon={Bot} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={open}
        activeKey={activeKey}
        rowMenu={menu}
        summary={total <= query.size ? t('count', { count: total }) : undefined}
        note={<BuiltInCommands />}
      />
      <Suspense>
        {edit !== '' && <BotMenuDrawer key={edit} edit={edit} onRemove={setRemoving} onClose={closeForm} />}
        {removing && <RemoveBotCommand entry={removing} onRemoved={closeForm} onClose={() => setRemoving(undefined)} />}
      </Suspense>
    </>
  );
}

function useColumns(): readonly Column<BotMenuEntry>[] {
  const { t } = useTranslation('telegram');
  return useMemo(
    () => [
      {
        id: 'command',
        head: t('command'),
        width: 200,
        sortable: true,
        hideable: false,
        phone: 'title',
        cell: ({ command }) => <code className="font-mono text-13">/{command}</code>,
      },
      {
        id: 'description',
        head: t('description'),
        phone: 'line',
        cell: ({ description }) => <span className="block truncate">{description}</span>,
      },
      {
        id: 'parse_mode',
        head: t('format'),
        width: 140,
        cell: ({ parse_mode }) => <span className="text-text2">{parse_mode === 'html' ? 'HTML' : parse_mode}</span>,
      },
    ],
    [t],
  );
}

/** Names the commands that the bot answers by itself. */
function BuiltInCommands() {
  const { t } = useTranslation('telegram');
  const list = <code className="font-mono">{botCommands.map((command) => `/${command}`).join(' ')}</code>;
  return <TextWithElements text={t('builtIn')} parts={{ list }} />;
}
