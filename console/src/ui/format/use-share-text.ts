import { useTranslation } from '#i18n/use-translation.ts';
import { fewCalls, formatPercent, formatWhole } from './number.ts';

/** A part of some calls in percent; of few calls as counts: "16 of 17". */
export function useShareText(): (part: number, whole: number, format?: (share: number) => string) => string {
  const { t } = useTranslation('shared');
  return (part, whole, format = (share) => formatPercent(share, 1)) =>
    whole < fewCalls ? t('ofTotal', { part: formatWhole(part), whole: formatWhole(whole) }) : format(part / whole);
}
