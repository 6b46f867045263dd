import type { LedgerEntry } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { ListTime } from '#ui/format/list-time.tsx';
import { Money } from '#ui/format/money.tsx';
import { LedgerKindName } from './ledger-kind.tsx';
import { useEntryRemark } from './use-entry-remark.ts';

const call = /^call:(.+)$/;

/** A ledger entry in a list of few, 36 px high; leads to the call in the log, or to the entry in the ledger. */
export function EntryRow({ entry }: { entry: LedgerEntry }) {
  const remark = useEntryRemark(entry);
  const { created_time: at, kind, credits, reference } = entry;
  const requestId = call.exec(reference)?.[1];
  const target = requestId
    ? ({ to: '/panel/log', search: { request_id: requestId } } as const)
    : ({ to: '/panel/ledger', search: { keyword: reference } } as const);
  return (
    <Link {...target} className="flex h-9 items-center gap-4 px-3 -outline-offset-2 hover:bg-hover">
      <ListTime at={at} brief />
      <LedgerKindName kind={kind} />
      <span className="min-w-0 flex-1 truncate text-12 text-text2">{remark}</span>
      <Money credits={credits} signed exact />
    </Link>
  );
}

/** A few ledger entries of a record. */
export function EntryList({ entries }: { entries: readonly LedgerEntry[] }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-card border border-line text-13">
      {entries.map((entry) => (
        <li key={entry.id}>
          <EntryRow entry={entry} />
        </li>
      ))}
    </ul>
  );
}
