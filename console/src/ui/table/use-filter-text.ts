import { languageTag } from '#i18n/i18n.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatDates } from '#ui/format/time.ts';
import { endsOf, isPreset, isSet, type FilterDef, type FilterValue, type RangePreset } from './filter.ts';

const presetKeys = {
  '1h': 'lastHour',
  today: 'today',
  yesterday: 'yesterday',
  '7d': 'last7',
  '30d': 'last30',
} as const;

/** Texts of presets and of a filter's value. */
export function useFilterText() {
  const { t } = useTranslation('shared');
  const preset = (value: RangePreset) => t(presetKeys[value]);
  const valueText = (filter: FilterDef, value: FilterValue | undefined): string => {
    if (!isSet(value)) return t('all');
    if (filter.kind === 'options')
      return filter.options.find((option) => option.value === value)?.label ?? String(value);
    if (filter.kind === 'text') return String(value);
    if (isPreset(value)) return preset(value);
    const { from, to } = endsOf(value);
    return formatDates(from, to, languageTag());
  };
  return { preset, valueText };
}
