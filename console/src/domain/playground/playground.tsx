import { useQueryClient } from '@tanstack/react-query';
import { userApi } from '@relay-hub/contract';
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { useSession } from '#api/session.ts';
import { useStore } from '#api/store.ts';
import { TabPanel, Tabs } from '#ui/basic/tabs.tsx';
import { useMedia } from '#ui/basic/use-media.ts';
import { Note } from '#ui/feedback/note.tsx';
import {
  conversationStore,
  draftStore,
  emptyConversation,
  isRunning,
  openConversation,
  panelOpenStore,
  panelTabStore,
  unsavedStore,
} from './store/playground-store.ts';
import { usePlaygroundModels } from './use-playground-models.ts';
import { Composer } from './ui/composer.tsx';
import { PlaygroundHead } from './ui/playground-head.tsx';
import { SettingsPanel } from './ui/settings-panel.tsx';
import { Thread } from './ui/thread.tsx';

const CodePanel = lazy(async () => ({ default: (await import('./ui/code-panel.tsx')).CodePanel }));
const PanelSheet = lazy(async () => ({ default: (await import('./ui/panel-sheet.tsx')).PanelSheet }));

/** The chat with its settings; fills the height of its parent. */
export function Playground() {
  const { t } = useTranslation('playground');
  const { user } = useSession();
  const userId = user?.id ?? 0;
  const narrow = useMedia('(width < 1100px)');
  const open = useStore(panelOpenStore);
  const unsaved = useStore(unsavedStore);
  usePlaygroundModels();
  useFreshBalance();
  useEffect(() => {
    // Another account than before on this page.
    if (userId === 0 || conversationStore.get().userId === userId) return;
    openConversation(emptyConversation(userId));
    draftStore.set('');
  }, [userId]);
  return (
    <div className="flex h-full min-h-0">
      <section className="flex min-w-0 flex-1 flex-col bg-page">
        <PlaygroundHead sheet={narrow} />
        {unsaved && (
          <div className="px-4 pt-3">
            <Note tone="warn">{t('notStored')}</Note>
          </div>
        )}
        <Thread />
        <Composer />
      </section>
      {narrow ? (
        open && (
          <Suspense>
            <PanelSheet onClose={() => panelOpenStore.set(false)}>
              <SidePanel />
            </PanelSheet>
          </Suspense>
        )
      ) : (
        <aside className="w-84 flex-none overflow-y-auto border-l border-line bg-card" aria-label={t('settings')}>
          <SidePanel />
        </aside>
      )}
    </div>
  );
}

function SidePanel() {
  const { t } = useTranslation('playground');
  const tab = useStore(panelTabStore);
  const tabs = [
    { value: 'parameters', label: t('parameters') },
    { value: 'code', label: t('code') },
  ] as const;
  return (
    <>
      <Tabs
        id="playground"
        label={t('settings')}
        value={tab}
        tabs={tabs}
        onChange={(value) => panelTabStore.set(value)}
        className="sticky top-0 z-10 h-12 bg-(--surface,var(--color-card)) px-5 [&_[role=tab]]:h-12"
      />
      <TabPanel id="playground" value={tab} className="px-5 py-4">
        {tab === 'parameters' ? (
          <SettingsPanel />
        ) : (
          <Suspense>
            <CodePanel />
          </Suspense>
        )}
      </TabPanel>
    </>
  );
}

/** Fetches the balance again when the answers are complete. */
function useFreshBalance(): void {
  const client = useQueryClient();
  const running = useSyncExternalStore(conversationStore.subscribe, () => isRunning(conversationStore.get()));
  useEffect(() => {
    if (!running) void refresh(client, userApi.self);
  }, [running, client]);
}
