import { firstStartRemark, type LedgerEntry } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';

/** The remark of a ledger entry; remarks that the server wrote are translated. */
export function useEntryRemark({ kind, remark }: Pick<LedgerEntry, 'kind' | 'remark'>): string {
  const { t } = useTranslation('ledger');
  return kind === 'gift' && remark === firstStartRemark ? t('firstStart') : remark;
}
