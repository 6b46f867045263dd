import { announcementApi, type Announcement } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CircleStop, Megaphone, Pencil, Trash2 } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { call } from '#api/call.ts';
import { textIn } from '#app/notice/announcement-text.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { CreateButton } from '#list/create-button.tsx';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { rowId, useRecordScreen } from '#list/use-list-screen.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { formatWhole } from '#ui/format/number.ts';
import { formatDateTime, formatWindow } from '#ui/format/time.ts';
import { useNow } from '#ui/format/use-now.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { announcementPage, refreshAnnouncements } from './announcement-api.ts';

const loadDrawer = () => import('./announcement-drawer.tsx');
const AnnouncementDrawer = lazy(async () => ({ default: (await loadDrawer()).AnnouncementDrawer }));

const RemoveAnnouncement = lazy(async () => ({
  default: (await import('./remove-announcement.tsx')).RemoveAnnouncement,
}));

const route = getRouteApi('/panel/announcement');

/** Announcements for users, and windows of maintenance. */
export function AnnouncementScreen() {
  const { t } = useTranslation('announcement');
  const { edit, query, activeKey, go, open, create, closeForm } = useRecordScreen(
    route.useSearch(),
    route.useNavigate(),
  );
  const page = useQuery(announcementPage(query));
  const end = useEnd();
  const [removing, setRemoving] = useState<Announcement>();
  const now = useNow(30);
  const menu = (row: Announcement): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => open(row) },
    row.kind === 'maintenance' &&
      stateOf(row, now) === 'running' && { label: t('endNow'), icon: CircleStop, onSelect: () => end(row) },
    'line',
    { label: t('remove'), icon: Trash2, danger: true, onSelect: () => setRemoving(row) },
  ];
  const add = <CreateButton label={t('add')} preload={loadDrawer} onCreate={create} />;
  const total = page.data?.total_count ?? 0;
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={add} />
      <DataTable
        name="announcement"
        label={t('title')}
        columns={useColumns(now)}
        page={page}
        search={query}
        onSearch={go}
        keyOf={rowId}
        nameOf={textIn}
        toolbar={useToolbarWith({}, add)}
        empty={<EmptyState icon={Megaphone} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={open}
        activeKey={activeKey}
        rowMenu={menu}
        summary={total <= query.size ? t('count', { count: total }) : undefined}
      />
      <Suspense>
        {edit !== '' && <AnnouncementDrawer key={edit} edit={edit} onClose={closeForm} />}
        {removing && <RemoveAnnouncement announcement={removing} onClose={() => setRemoving(undefined)} />}
      </Suspense>
    </>
  );
}

/** Ends a running maintenance. */
function useEnd() {
  const { t } = useTranslation('announcement');
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: (row: Announcement) =>
      call(announcementApi.update, { body: { ...row, end_time: Math.floor(Date.now() / 1000) } }),
    onSuccess: () => toast.success(t('ended')),
    onSettled: () => refreshAnnouncements(client),
  });
  return (row: Announcement) => end.mutate(row);
}

type State = 'planned' | 'running' | 'over';

const stateOf = ({ start_time: start, end_time: end }: Announcement, now: number): State =>
  now < start ? 'planned' : end !== 0 && end <= now ? 'over' : 'running';

const looks = { planned: 'queued', running: 'enabled', over: 'closed' } as const;

function useColumns(now: number): readonly Column<Announcement>[] {
  const { t } = useTranslation('announcement');
  return useMemo(
    () => [
      {
        id: 'text',
        head: t('announcement'),
        hideable: false,
        phone: 'title',
        cell: (row) => <span className="block truncate">{textIn(row)}</span>,
      },
      { id: 'kind', head: t('kind'), width: 130, phone: 'line', cell: ({ kind }) => t(`kinds.${kind}`) },
      {
        id: 'state',
        head: t('state'),
        width: 130,
        phone: 'aside',
        cell: (row) => {
          const state = stateOf(row, now);
          return <Status kind={looks[state]} text={t(`states.${state}`)} />;
        },
      },
      {
        id: 'start_time',
        head: t('time'),
        width: 230,
        sortable: true,
        phone: 'line',
        cell: ({ start_time: start, end_time: end }) => (
          <span className="text-text2 tabular-nums">
            {end === 0 ? formatDateTime(start).slice(0, 16) : formatWindow(start, end)}
          </span>
        ),
      },
      {
        id: 'groups',
        head: t('audience'),
        width: 160,
        cell: ({ groups }) => <span className="block truncate">{groups.join(', ') || t('everyone')}</span>,
      },
      {
        id: 'mailed',
        head: t('mailed'),
        width: 120,
        align: 'right',
        cell: ({ mail_state: state, mailed }) =>
          state === 'none' ? '–' : state === 'sent' ? formatWhole(mailed) : t('sending', { count: mailed }),
      },
    ],
    [t, now],
  );
}
