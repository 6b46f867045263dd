import type { UserGroupRow } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { userGroupById } from './user-group-api.ts';
import { UserGroupForm } from './user-group-form.tsx';

interface Props {
  /** `new`, or the id of a group. */
  edit: string;
  onRemove: (group: UserGroupRow) => void;
  onClose: () => void;
}

/** The form that the address asks for. */
export function UserGroupDrawer({ edit, onRemove, onClose }: Props) {
  if (edit === 'new') return <UserGroupForm onClose={onClose} />;
  return <KnownGroup id={Number(edit)} onRemove={onRemove} onClose={onClose} />;
}

function KnownGroup({ id, onRemove, onClose }: Omit<Props, 'edit'> & { id: number }) {
  const known = Number.isInteger(id) && id > 0;
  const { data, isFetchedAfterMount, isError } = useQuery({
    ...userGroupById(id),
    enabled: known,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  useEffect(() => {
    if (!known || isError) onClose();
  }, [known, isError, onClose]);
  return data && isFetchedAfterMount && <UserGroupForm group={data} onRemove={onRemove} onClose={onClose} />;
}
