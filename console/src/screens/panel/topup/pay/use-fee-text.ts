import type { PublicGateway } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatDollars } from '#ui/format/money.ts';
import { formatPlain } from '#ui/format/number.ts';

type Fees = Pick<PublicGateway, 'fixed_fee' | 'percent_fee'>;

/** Describes the fee of a gateway: "3 % fee", "$0.30 fee"; undefined without a fee. */
export function useFeeText(): (gateway: Fees) => string | undefined {
  const { t } = useTranslation('topup');
  return ({ fixed_fee: fixed, percent_fee: share }) => {
    if (share > 0) return t('pay.feePercent', { percent: formatPlain(share * 100, 4) });
    return fixed > 0 ? t('pay.feeFixed', { amount: formatDollars(fixed) }) : undefined;
  };
}
