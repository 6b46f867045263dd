import { siteApi, type ModelOwner } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from './api-query.ts';

export const ownersQuery = { ...apiQuery(siteApi.owners), staleTime: 10 * 60_000 };

const none: ModelOwner[] = [];

/** The model owners; empty until loaded. */
export const useOwners = (): ModelOwner[] => useQuery(ownersQuery).data ?? none;
