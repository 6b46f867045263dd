import { useTranslation } from '#i18n/use-translation.ts';
import { formatWhole } from '#ui/format/number.ts';
import { formatDateTime } from '#ui/format/time.ts';

/** The newest version of the prices, and since when it applies. */
export function PriceVersion({ version }: { version: { version: number; from: number } | undefined }) {
  const { t } = useTranslation('price');
  if (!version) return null;
  return (
    <p className="text-12 text-text3 tabular-nums max-sm:hidden">
      {t('version', { version: formatWhole(version.version), time: formatDateTime(version.from).slice(0, -3) })}
    </p>
  );
}
