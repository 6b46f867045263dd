import type { Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { useAllGroups } from '#api/all-groups.ts';
import { FormSelect } from '#ui/form/form-select.tsx';
import type { UserBody, UserValues } from './user-values.ts';

interface Props {
  control: Control<UserValues, unknown, UserBody>;
  /** The account's stored group. */
  current: string | undefined;
}

/** The group whose prices, models and rate limit apply to the account. */
export function UserGroupField({ control, current }: Props) {
  const { t } = useTranslation('user');
  const groups = useAllGroups();
  const options = groups
    .filter(({ enable, symbol }) => enable || symbol === current)
    .map(({ symbol, name, ratio, enable }) => ({
      value: symbol,
      label: `${name} · ${symbol}`,
      note: enable ? `×${ratio}` : t('groupGone'),
    }));
  return (
    <FormSelect control={control} name="group" label={t('group')} options={options} searchable={options.length > 12} />
  );
}
