import type { UsageGroup, UsageGrouping } from '@relay-hub/contract';
import { useCallback } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useTokenName } from '#domain/token/use-token-name.ts';
import { useNamedGroup } from '#api/user-groups.ts';

/** The name of a group, with a fallback for groups without one. */
export function useGroupLabel(by: UsageGrouping): (group: Pick<UsageGroup, 'id' | 'name'>) => string {
  const { t } = useTranslation('analytics');
  const named = useNamedGroup();
  const tokenName = useTokenName();
  return useCallback(
    ({ id, name }) => {
      if (by === 'user_group') return named({ symbol: id, name }).name || id;
      if (name !== '') return by === 'token' ? tokenName(name) : name;
      if (by === 'owner') return t('noOwner');
      if (by === 'tag') return t('noTag');
      if (by === 'member' && id === '0') return t('noMember');
      // Usage from before sums by token were kept.
      if (by === 'token' && id === '0') return t('notRecorded');
      if (by === 'channel' && id === '0') return t('replyCache');
      return by === 'model' ? id : `#${id}`;
    },
    [by, t, named, tokenName],
  );
}

/** Label of the groups that charts merge into one. */
export function useOtherLabel(by: UsageGrouping): (count: number) => string {
  const { t } = useTranslation('analytics');
  return useCallback((count) => t(`other.${by}`, { count }), [by, t]);
}
