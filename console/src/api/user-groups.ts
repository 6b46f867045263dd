import { defaultUserGroup, userGroupApi, type UserGroup } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from './api-query.ts';

export const userGroupsQuery = { ...apiQuery(userGroupApi.map), staleTime: 5 * 60_000 };

const none: Record<string, UserGroup> = {};

/** Translates the default group's name unless it was renamed. */
export function useNamedGroup(): <Group extends Pick<UserGroup, 'symbol' | 'name'>>(group: Group) => Group {
  const { t } = useTranslation('shared');
  return useCallback(
    (group) =>
      group.symbol === defaultUserGroup.symbol && group.name === defaultUserGroup.name
        ? { ...group, name: t('defaultGroup') }
        : group,
    [t],
  );
}

/** The user groups that the visitor may see, by symbol; empty until loaded. */
export function useUserGroups(): Record<string, UserGroup> {
  const groups = useQuery(userGroupsQuery).data ?? none;
  const named = useNamedGroup();
  return useMemo(
    () => Object.fromEntries(Object.entries(groups).map(([symbol, group]) => [symbol, named(group)])),
    [groups, named],
  );
}
