import type { LedgerEntry } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';
import { LedgerKindName } from '#domain/ledger/ledger-kind.tsx';
import { Money } from '#ui/format/money.tsx';
import { Time } from '#ui/format/time.tsx';
import { EntryAbout, EntryAmount } from './ledger-cells.tsx';

/** An entry on a phone: what, how much; then what for, when, and what was left. */
export function LedgerCard({ row, everybody }: { row: LedgerEntry; everybody: boolean }) {
  const { t } = useTranslation('ledger');
  return (
    <>
      <div className="flex items-center gap-2 text-15">
        <LedgerKindName kind={row.kind} />
        <span className="min-w-0 flex-1 truncate text-text2">{everybody && row.username}</span>
        <EntryAmount row={row} exact={row.kind === 'settle'} className="font-title" />
      </div>
      <div className="mt-1 flex min-w-0 text-13 text-text2">
        <EntryAbout row={row} />
      </div>
      <div className="mt-1 flex items-center gap-2 text-12 text-text3">
        <Time at={row.created_time} />
        <span className="ml-auto">
          {t('after')} <Money credits={row.balance_after} />
        </span>
      </div>
    </>
  );
}
