import type { PriceChange } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';

/** "7 changed, 11 added, 19 dropped", without zeros. */
export function ChangeCounts({ change }: { change: Pick<PriceChange, 'added' | 'changed' | 'dropped'> }) {
  const { t } = useTranslation('pricing');
  return (['changed', 'added', 'dropped'] as const)
    .filter((what) => change[what] > 0)
    .map((what) => t(`counts.${what}`, { count: change[what] }))
    .join(t('listSeparator'));
}
