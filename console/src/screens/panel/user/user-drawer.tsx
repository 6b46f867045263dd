import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { userById } from './user-api.ts';
import { UserForm } from './user-form.tsx';

interface Props {
  /** `new`, or the id of an account. */
  edit: string;
  onClose: () => void;
}

/** The form that the address asks for. */
export function UserDrawer({ edit, onClose }: Props) {
  if (edit === 'new') return <UserForm onClose={onClose} />;
  return <KnownUser id={Number(edit)} onClose={onClose} />;
}

function KnownUser({ id, onClose }: { id: number; onClose: () => void }) {
  const known = Number.isInteger(id) && id > 0;
  // Never an old copy: somebody else may have changed it.
  const { data, isFetchedAfterMount, isError } = useQuery({
    ...userById(id),
    enabled: known,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  useEffect(() => {
    if (!known || isError) onClose();
  }, [known, isError, onClose]);
  return data && isFetchedAfterMount && <UserForm user={data} onClose={onClose} />;
}
