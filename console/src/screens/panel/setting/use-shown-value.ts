import type { Option } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { languages } from '#i18n/languages.ts';
import { formatWhole, minus } from '#ui/format/number.ts';
import { rowsIn } from './discount-rows.ts';
import { type SettingField, stores } from './setting-groups.ts';

const LONGEST = 40;

/** `$100 −10 %, $500 −15 %` */
const discountsText = (value: string): string =>
  rowsIn(value)
    .map(({ amount, off }) => `$${amount} ${minus}${off} %`)
    .join(', ');

export function useShownValue(): (field: SettingField, option: Pick<Option, 'value' | 'secret'>) => string {
  const { t } = useTranslation('setting');
  return ({ kind }, { value, secret }) => {
    if (secret) return '••••';
    if (value === '') return t('empty');
    if (kind === 'switch') return t(value === 'true' ? 'on' : 'off');
    if (kind === 'language') return languages.find(({ code }) => code === value)?.name ?? value;
    const store = kind === 'store' ? stores.find((each) => each === value) : undefined;
    if (store) return t(`stores.${store}`);
    if (kind === 'discounts') return discountsText(value) || t('empty');
    if (kind === 'number' || kind === 'credits') return /^\d+$/.test(value) ? formatWhole(Number(value)) : value;
    const [first = ''] = value.split('\n');
    const cut = first.length > LONGEST || value.includes('\n');
    return cut ? `${first.slice(0, LONGEST)}…` : first;
  };
}
