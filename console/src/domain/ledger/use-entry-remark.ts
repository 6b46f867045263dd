import { firstStartRemark, type LedgerEntry } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';

/** What was written down beside an entry; what the server itself wrote is told in the reader's language. */
export function useEntryRemark({ kind, remark }: Pick<LedgerEntry, 'kind' | 'remark'>): string {
  const { t } = useTranslation('ledger');
  return kind === 'gift' && remark === firstStartRemark ? t('firstStart') : remark;
}
