import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { loadTexts } from '#i18n/i18n.ts';
import { useStore } from '#api/store.ts';
import { stepping, useListScreen } from '#list/use-list-screen.ts';
import { UnpricedNotice } from '#domain/model/unpriced-notice.tsx';
import { channelJobs, type ChannelSearch } from './channel-api.ts';
import { ChannelHeader } from '#screens/panel/channel/list/channel-header.tsx';
import { ChannelList } from '#screens/panel/channel/list/channel-list.tsx';
import type { ChannelDialog } from '#screens/panel/channel/list/channel-dialogs.tsx';
import { channelToTest } from '#screens/panel/channel/checks/channel-test-state.ts';
import { watchJob } from '#screens/panel/channel/checks/lazy-channel-actions.ts';

/** Forms need more texts than the list. */
async function withTexts<T>(code: Promise<T>): Promise<T> {
  const [loaded] = await Promise.all([code, loadTexts('channelForm')]);
  return loaded;
}

const loadDrawer = () => withTexts(import('#screens/panel/channel/form/channel-drawer.tsx'));
const ChannelDrawer = lazy(async () => ({ default: (await loadDrawer()).ChannelDrawer }));
const ChannelView = lazy(async () => ({
  default: (await import('#screens/panel/channel/view/channel-view.tsx')).ChannelView,
}));
const TagDrawer = lazy(async () => ({
  default: (await withTexts(import('#screens/panel/channel/tags/tag-drawer.tsx'))).TagDrawer,
}));
const RouteDrawer = lazy(async () => {
  const [{ RouteDrawer: Drawer }] = await Promise.all([
    import('#screens/panel/channel/routing/route-drawer.tsx'),
    loadTexts('channelRoute'),
  ]);
  return { default: Drawer };
});
const TagList = lazy(async () => ({ default: (await import('#screens/panel/channel/tags/tag-list.tsx')).TagList }));
const ChannelDialogs = lazy(async () => {
  const [{ ChannelDialogs: Questions }] = await Promise.all([
    import('#screens/panel/channel/list/channel-dialogs.tsx'),
    loadTexts('channelBulk'),
  ]);
  return { default: Questions };
});

const route = getRouteApi('/panel/channel');

/** Channels as a list or by tag, with the dialogs of both. */
export function ChannelScreen() {
  const { search, ...list } = useListScreen(route.useSearch(), route.useNavigate());
  const { show, edit, copy, kin, view } = search;
  const isForm = edit !== '' || copy > 0 || kin !== '';
  const [question, setQuestion] = useState<ChannelDialog>();
  const toChoose = useStore(channelToTest);
  const go = (change: Partial<ChannelSearch>, replace = false) =>
    list.go(change, { replace, resetScroll: change.show === undefined });
  useRunningJobs();
  const dialog = question ?? (toChoose && ({ about: 'models', channels: [toChoose] } as const));
  const shared = {
    search,
    onSearch: go,
    onAsk: setQuestion,
    onNew: () => go({ edit: 'new' }),
    onHint: () => void loadDrawer(),
  };
  return (
    <>
      <ChannelHeader {...shared} />
      <UnpricedNotice />
      {view !== 'tags' && <ChannelList {...shared} />}
      <Suspense>
        {view === 'tags' && <TagList {...shared} />}
        {search.why === 1 && (
          <RouteDrawer
            search={search}
            onSearch={(change) => go(change, true)}
            onEdit={(id) => go({ why: 0, edit: String(id) })}
            onClose={() => go({ why: 0 })}
          />
        )}
        {show > 0 && !isForm && (
          <ChannelView
            id={show}
            search={search}
            onGo={(id) => list.go({ show: id }, stepping)}
            onEdit={(id) => go({ edit: String(id) })}
            onClose={() => list.go({ show: 0 }, stepping)}
          />
        )}
        {kin !== '' && <TagDrawer tag={kin} onClose={() => go({ kin: '' })} />}
        {kin === '' && (edit !== '' || copy > 0) && (
          <ChannelDrawer
            edit={edit}
            copy={copy}
            onMade={(id) => go({ edit: String(id), copy: 0 }, true)}
            onTag={(tag) => go({ kin: tag, edit: '', copy: 0 })}
            onClose={() => go({ edit: '', copy: 0 })}
          />
        )}
        {dialog && (
          <ChannelDialogs
            question={dialog}
            onClose={() => {
              setQuestion(undefined);
              channelToTest.set(undefined);
            }}
          />
        )}
      </Suspense>
    </>
  );
}

/** Shows the progress of jobs started before this page was opened. */
function useRunningJobs(): void {
  const client = useQueryClient();
  const jobs = useQuery(channelJobs).data;
  useEffect(() => {
    for (const job of jobs ?? []) if (job.state === 'running') watchJob(client, job);
  }, [jobs, client]);
}
