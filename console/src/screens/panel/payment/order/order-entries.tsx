import type { OrderDetail } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { EntryList } from '#domain/ledger/entry-list.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

const link = 'touch text-accent hover:underline';

/** Ledger entries of the order on the balance of its payer. */
export function OrderEntries({ order: { entries, username, trade_no: number } }: { order: OrderDetail }) {
  const { t } = useTranslation(['paymentOrder', 'activity']);
  const more = (
    <span className="flex gap-4">
      {entries.length > 0 && (
        <Link className={link} to="/panel/log" search={{ request_id: `order:${number}` }}>
          {t('inLog')}
        </Link>
      )}
      <Link className={link} to="/panel/ledger" search={{ username }}>
        {t('activity:showLedger')}
      </Link>
    </span>
  );
  return (
    <DetailSection title={t('entries')} aside={more}>
      {entries.length === 0 ? <p className="text-13 text-text2">{t('noEntries')}</p> : <EntryList entries={entries} />}
    </DetailSection>
  );
}
