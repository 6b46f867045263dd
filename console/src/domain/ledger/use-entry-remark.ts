import { firstStartRemark, type LedgerEntry } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';

/** The remark of a ledger entry; remarks that the server wrote are translated. */
export function useEntryRemark({ kind, remark }: Pick<LedgerEntry, 'kind' | 'remark'>): string {
  const { t } = useTranslation('ledger');
  return kind === 'gift' && remark === firstStartRemark ? t('firstStart') : remark;
}
