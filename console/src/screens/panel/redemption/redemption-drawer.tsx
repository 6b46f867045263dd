import { redemptionStatus } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CreatedCodes } from './created-dialog.tsx';
import { redemptionById } from './redemption-api.ts';
import { RedemptionDetail } from './redemption-detail.tsx';
import { RedemptionForm } from './redemption-form.tsx';

interface Props {
  /** `new`, or the id of a code. */
  edit: string;
  onCreated: (created: CreatedCodes) => void;
  onClose: () => void;
}

/** The form that the address asks for; a code that was redeemed can only be looked at. */
export function RedemptionDrawer({ edit, onCreated, onClose }: Props) {
  if (edit === 'new') return <RedemptionForm onCreated={onCreated} onClose={onClose} />;
  return <KnownCode id={Number(edit)} onClose={onClose} />;
}

function KnownCode({ id, onClose }: { id: number; onClose: () => void }) {
  const known = Number.isInteger(id) && id > 0;
  // Never an old copy: somebody may have redeemed it meanwhile.
  const { data, isFetchedAfterMount, isError } = useQuery({
    ...redemptionById(id),
    enabled: known,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  useEffect(() => {
    if (!known || isError) onClose();
  }, [known, isError, onClose]);
  if (!data || !isFetchedAfterMount) return null;
  if (data.status === redemptionStatus.used) return <RedemptionDetail row={data} onClose={onClose} />;
  return <RedemptionForm row={data} onClose={onClose} />;
}
