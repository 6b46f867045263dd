import { Download, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Time } from '#ui/format/time.tsx';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import type { Conversation } from '#domain/playground/playground-types.ts';
import { listConversations, removeConversation } from '#domain/playground/store/conversation-db.ts';
import { stopAll } from '#domain/playground/store/playground-calls.ts';
import { conversationStore, emptyConversation, openConversation } from '#domain/playground/store/playground-store.ts';
import { exportConversation } from './playground-head.tsx';

/** The conversations of this account in this browser: search, open, export, delete. */
export function HistoryDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('playground');
  const { user } = useSession();
  const userId = user?.id ?? 0;
  const [all, setAll] = useState<Conversation[]>();
  const [failed, setFailed] = useState(false);
  const [search, setSearch] = useState('');
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    listConversations(userId).then(setAll, () => setFailed(true)); // the dialog says so
  }, [userId]);
  const words = search.trim().toLowerCase();
  const shown = (all ?? []).filter((conversation) => words === '' || textOf(conversation).includes(words));
  const remove = async (ids: string[]) => {
    await Promise.all(ids.map(removeConversation));
    setAll((now) => now?.filter(({ id }) => !ids.includes(id)));
    if (!ids.includes(conversationStore.get().id)) return;
    stopAll();
    openConversation(emptyConversation(userId));
  };
  return (
    <Dialog
      title={t('history')}
      text={t('historyText')}
      onClose={onClose}
      footer={(close) => (
        <>
          {(all ?? []).length > 0 && (
            <Button className="mr-auto" icon={Trash2} onClick={() => setAsking(true)}>
              {t('deleteAll')}
            </Button>
          )}
          <Button onClick={close}>{t('close')}</Button>
        </>
      )}
    >
      {(close) => (
        <>
          {failed && <Note tone="warn">{t('notStored')}</Note>}
          {(all ?? []).length > 0 && (
            <input
              className="box mb-2"
              type="search"
              aria-label={t('searchHistory')}
              placeholder={t('searchHistory')}
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          )}
          {all && shown.length === 0 && (
            <p className="py-6 text-center text-13 text-text2">{t(words === '' ? 'noHistory' : 'noneFound')}</p>
          )}
          <ul className="max-h-[50dvh] overflow-y-auto">
            {shown.map((conversation) => (
              <li key={conversation.id} className="flex items-center gap-1 border-b border-line last:border-0">
                <button
                  type="button"
                  className="min-w-0 flex-1 rounded-control px-2 py-2 text-left hover:bg-hover"
                  onClick={() => {
                    stopAll();
                    openConversation(conversation);
                    close();
                  }}
                >
                  <span className="block truncate text-13">{conversation.title || t('title')}</span>
                  <span className="block truncate text-12 text-text2">
                    {t('messages', { count: conversation.rounds.length, number: conversation.rounds.length })}
                    {' · '}
                    <Time at={Math.floor(conversation.changedMs / 1000)} as="relative" />
                  </span>
                </button>
                <IconButton
                  size="sm"
                  label={t('exportNamed', { name: conversation.title })}
                  icon={Download}
                  onClick={() => exportConversation(conversation)}
                />
                <IconButton
                  size="sm"
                  label={t('deleteNamed', { name: conversation.title })}
                  icon={Trash2}
                  onClick={() => void remove([conversation.id])}
                />
              </li>
            ))}
          </ul>
          {asking && (
            <Confirm
              title={t('deleteAllTitle', { count: all?.length ?? 0, number: all?.length ?? 0 })}
              text={t('deleteAllText')}
              action={t('deleteAll')}
              saves={false}
              onConfirm={() => remove((all ?? []).map(({ id }) => id))}
              onClose={() => setAsking(false)}
            />
          )}
        </>
      )}
    </Dialog>
  );
}

const textOf = ({ title, rounds }: Conversation): string =>
  [title, ...rounds.flatMap(({ text, answers }) => [text, ...answers.map((answer) => answer.text)])]
    .join('\n')
    .toLowerCase();
