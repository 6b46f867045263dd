import type { UsageFinding } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatWhole } from '#ui/format/number.ts';

/** Explains why a reported usage was doubtful, and what was charged. */
export function useFindingText(): (finding: UsageFinding) => string {
  const { t } = useTranslation('usageCheck');
  return ({ counter, reported, most, charged, bound }) =>
    t(`bound_${bound}`, {
      what: t(`counter_${counter}`),
      reported: formatWhole(reported),
      most: formatWhole(most),
      charged: formatWhole(charged),
    });
}
