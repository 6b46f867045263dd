import type { Token } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { TokenExample } from '#screens/panel/token/connect/example-dialog.tsx';
import { tokenById } from './token-api.ts';
import { TokenForm } from './token-form.tsx';

interface Props {
  /** `new`, or the id of a token. */
  edit: string;
  /** Gets a new token with its key. */
  onCreated: (example: TokenExample) => void;
  onClose: () => void;
}

/** The form that the address asks for. */
export function TokenDrawer({ edit, onCreated, onClose }: Props) {
  if (edit === 'new') return <TokenForm onCreated={onCreated} onClose={onClose} />;
  return <KnownToken id={Number(edit)} onClose={onClose} />;
}

function KnownToken({ id, onClose }: { id: number; onClose: () => void }) {
  const known = Number.isInteger(id) && id > 0;
  // Never an old copy: what is left of the quota changes with every call.
  const { data, isFetchedAfterMount, isError } = useQuery({
    ...tokenById(id),
    enabled: known,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  useEffect(() => {
    if (!known || isError) onClose();
  }, [known, isError, onClose]);
  const token: Token | undefined = isFetchedAfterMount ? data : undefined;
  return token && <TokenForm token={token} onClose={onClose} />;
}
