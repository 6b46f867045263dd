import { Columns2, Ellipsis, Download, History, Plus, SlidersHorizontal, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { Money } from '#ui/format/money.tsx';
import { saveFile } from '#ui/format/save-file.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { MOST_MODELS, type Conversation } from '#domain/playground/playground-types.ts';
import { removeConversation } from '#domain/playground/store/conversation-db.ts';
import { stopAll } from '#domain/playground/store/playground-calls.ts';
import {
  changeSettings,
  conversationStore,
  emptyConversation,
  openConversation,
  panelOpenStore,
  panelTabStore,
  useSettings,
} from '#domain/playground/store/playground-store.ts';
import { usePlaygroundModels } from '#domain/playground/use-playground-models.ts';

const HistoryDialog = lazy(async () => ({ default: (await import('./history-dialog.tsx')).HistoryDialog }));

/** Title and sum of the conversation, and what can be done with it. */
export function PlaygroundHead({ sheet }: { sheet: boolean }) {
  const { t } = useTranslation('playground');
  const { user } = useSession();
  const { title, count, charged } = useHeadFacts();
  const { models: chosen } = useSettings();
  const { models } = usePlaygroundModels();
  const [history, setHistory] = useState(false);
  const other = models.find(({ name }) => !chosen.includes(name));
  const create = () => {
    stopAll();
    openConversation(emptyConversation(user?.id ?? 0));
  };
  const remove = () => {
    const { id } = conversationStore.get();
    create();
    void removeConversation(id).catch(() => undefined); // it was never stored
  };
  return (
    <header className="flex min-h-12 flex-none items-center gap-2 border-b border-line bg-card px-4 py-1 max-sm:px-2">
      <IconButton label={t('history')} icon={History} onClick={() => setHistory(true)} />
      <h1 className="min-w-0 truncate text-14">{title || t('title')}</h1>
      <span className="min-w-0 flex-1 truncate text-12 text-text2 max-md:hidden">
        {count > 0 && t('messages', { count, number: count })}
        {charged > 0 && (
          <>
            {' · '}
            <Money credits={charged} exact />
          </>
        )}
      </span>
      <div className="ml-auto flex items-center gap-1">
        {chosen.length < MOST_MODELS && other && (
          <Button
            variant="ghost"
            icon={Columns2}
            className="max-md:hidden"
            onClick={() => {
              changeSettings({ models: [...chosen, other.name] });
              panelTabStore.set('parameters');
              panelOpenStore.set(true);
            }}
          >
            {t('compare')}
          </Button>
        )}
        {sheet && (
          <IconButton label={t('settings')} icon={SlidersHorizontal} onClick={() => panelOpenStore.set(true)} />
        )}
        <IconButton label={t('new')} icon={Plus} onClick={create} />
        <MenuButton
          label={t('moreForConversation')}
          icon={Ellipsis}
          disabled={count === 0}
          entries={() => [
            { label: t('export'), icon: Download, onSelect: () => exportConversation(conversationStore.get()) },
            { label: t('delete'), icon: Trash2, onSelect: remove },
          ]}
        />
      </div>
      {history && (
        <Suspense>
          <HistoryDialog onClose={() => setHistory(false)} />
        </Suspense>
      )}
    </header>
  );
}

/** The conversation as a file that other programs can read. */
export function exportConversation(conversation: Conversation): void {
  const { userId: _, ...shared } = conversation;
  saveFile(`${fileName(conversation.title)}.json`, JSON.stringify(shared, null, 2), 'text/plain');
}

const fileName = (title: string): string => title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 40) || 'conversation';

interface HeadFacts {
  title: string;
  count: number;
  charged: number;
}

let facts: HeadFacts = { title: '', count: 0, charged: 0 };

/** The same object until one of its values changes: the head does not follow growing answers. */
function useHeadFacts(): HeadFacts {
  return useSyncExternalStore(conversationStore.subscribe, () => {
    const { title, rounds } = conversationStore.get();
    const charged = rounds.reduce(
      (sum, { answers }) => answers.reduce((all, answer) => all + (answer.charged ?? 0), sum),
      0,
    );
    if (title !== facts.title || rounds.length !== facts.count || charged !== facts.charged)
      facts = { title, count: rounds.length, charged };
    return facts;
  });
}
