import { ledgerApi, type LedgerEntry, type Task } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { EntryList } from '#domain/ledger/entry-list.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import type { TaskReader } from '#screens/panel/task/task-search.ts';

/** The charge of a task on the balance of its owner, and its return. */
export function TaskEntries({ task, reader }: { task: Task; reader: TaskReader }) {
  const { t } = useTranslation('taskDetail');
  const charge = useEntries(task.request_id, reader);
  const refund = useEntries(task.refund_reference, reader);
  const entries = [...charge.entries, ...refund.entries].toSorted((a, b) => a.id - b.id);
  const error = charge.error ?? refund.error;
  const waits = charge.waits || refund.waits;
  if (!waits && !error && entries.length === 0) return null;
  return (
    <DetailSection title={t('entries')}>
      {error && <Note tone="bad">{error.message}</Note>}
      {waits && !error && <Skeleton width="100%" />}
      {entries.length > 0 && <EntryList entries={entries} />}
    </DetailSection>
  );
}

const most = 10;
const none: LedgerEntry[] = [];

/** Entries by a request id or a reference; empty: nothing is asked. */
function useEntries(keyword: string, { admin }: TaskReader) {
  const query = { keyword, size: most };
  const { data, error } = useQuery({
    ...apiQuery(admin ? ledgerApi.list : ledgerApi.ownList, { query }),
    enabled: keyword !== '',
    meta: { quiet: true },
  });
  return { entries: data?.data ?? none, error, waits: keyword !== '' && !data && !error };
}
