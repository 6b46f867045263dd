import type { OrderDetail } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { EntryRow } from '#domain/ledger/entry-row.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

/** What the order moved on the balance of its payer. */
export function OrderEntries({ order: { entries, username } }: { order: OrderDetail }) {
  const { t } = useTranslation(['paymentOrder', 'activity']);
  const more = (
    <Link className="touch text-accent hover:underline" to="/panel/ledger" search={{ username }}>
      {t('activity:showLedger')}
    </Link>
  );
  return (
    <DetailSection title={t('entries')} aside={more}>
      {entries.length === 0 ? (
        <p className="text-13 text-text2">{t('noEntries')}</p>
      ) : (
        <ul className="divide-y divide-line overflow-hidden rounded-card border border-line text-13">
          {entries.map((entry) => (
            <li key={entry.id}>
              <EntryRow entry={entry} />
            </li>
          ))}
        </ul>
      )}
    </DetailSection>
  );
}
