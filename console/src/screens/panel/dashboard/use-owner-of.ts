import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useOwners } from '#api/owners.ts';
import { availableQuery } from './dashboard-api.ts';

/** Finds name and icon of a model's owner; empty for models no longer available. */
export function useOwnerOf(): (model: string) => { owner?: string; icon?: string | undefined } {
  const owners = useOwners();
  const { data: available } = useQuery(availableQuery);
  return useMemo(() => {
    const icons = new Map(owners.map(({ name, icon }) => [name, icon]));
    return (model) => {
      const owner = available?.[model]?.owned_by;
      return owner === undefined ? {} : { owner, icon: icons.get(owner) };
    };
  }, [owners, available]);
}
