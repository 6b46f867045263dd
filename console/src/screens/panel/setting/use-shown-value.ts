import type { Option } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { languages } from '#i18n/languages.ts';
import { formatWhole, minus } from '#ui/format/number.ts';
import { rowsIn } from './discount-rows.ts';
import type { SettingField } from './setting-groups.ts';
import { teamGroupsIn } from './setting-values.ts';

const LONGEST = 40;

/** `$100 −10 %, $500 −15 %` */
const discountsText = (value: string): string =>
  rowsIn(value)
    .map(({ amount, off }) => `$${amount} ${minus}${off}%`)
    .join(', ');

export function useShownValue(): (field: SettingField, option: Pick<Option, 'value' | 'secret'>) => string {
  const { t } = useTranslation('setting');
  return ({ kind, choices = [] }, { value, secret }) => {
    if (secret) return '••••';
    if (value === '') return t('empty');
    if (kind === 'switch') return t(value === 'true' ? 'on' : 'off');
    if (kind === 'language') return languages.find(({ code }) => code === value)?.name ?? value;
    const choice = choices.find((each) => each === value);
    if (choice) return t(`choices.${choice}`);
    if (kind === 'discounts') return discountsText(value) || t('empty');
    if (kind === 'teamGroups')
      return teamGroupsIn(value)
        .map(({ group }) => group)
        .join(', ');
    if (kind === 'number' || kind === 'credits') return /^\d+$/.test(value) ? formatWhole(Number(value)) : value;
    const [first = ''] = value.split('\n');
    const cut = first.length > LONGEST || value.includes('\n');
    return cut ? `${first.slice(0, LONGEST)}…` : first;
  };
}
