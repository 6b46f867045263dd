import type { Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { FormSelect } from '#ui/form/form-select.tsx';
import type { TokenInput, TokenValues } from './token-rules.ts';

interface Props {
  control: Control<TokenInput, unknown, TokenValues>;
  /** The token's stored group. */
  current: string | undefined;
}

/** The group whose prices and channels apply to the token's calls. */
export function GroupField({ control, current = '' }: Props) {
  const { t } = useTranslation('token');
  const groups = useUserGroups();
  const own = groups[useSelf().data?.group ?? ''];
  const gone = current !== '' && !groups[current] ? [{ value: current, label: current, note: t('groupGone') }] : [];
  const options = [
    { value: '', label: own ? t('followUserOf', { group: `${own.name} ×${own.ratio}` }) : t('followUser') },
    ...Object.values(groups).map(({ symbol, name, ratio }) => ({ value: symbol, label: name, note: `×${ratio}` })),
    ...gone,
  ];
  return (
    <FormSelect
      control={control}
      name="group"
      label={t('group')}
      options={options}
      searchable={options.length > 12}
      hint={t('groupHint')}
    />
  );
}
