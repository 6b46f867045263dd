import { userGroupApi, type UserGroup } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from './api-query.ts';

export const userGroupsQuery = { ...apiQuery(userGroupApi.map), staleTime: 5 * 60_000 };

const none: Record<string, UserGroup> = {};

/** The user groups that the visitor may see, by symbol; empty until known. */
export const useUserGroups = (): Record<string, UserGroup> => useQuery(userGroupsQuery).data ?? none;
